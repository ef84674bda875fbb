import { agentVersion } from '../agent-version.ts';
import { usualConfigDir } from '../board-files.ts';
import { pairBoard } from '../pairing/pair-board.ts';
import { PairingTrouble } from '../pairing/pairing-trouble.ts';

const exitCodes = { 'may pass': 1, 'called wrongly': 2, 'ticket refused': 3 } as const;

/**
 * Pairs this board with a ticket. Returns the exit code: 0 paired, 1 not yet, 2 wrong usage, 3 the ticket was refused.
 */
export const pair = async (
  ticket: string | undefined,
  api: string | undefined,
  configDir: string = usualConfigDir,
  isTrial = false,
  next = 'Now start the agent: systemctl restart roastery-agent',
): Promise<number> => {
  if (ticket === undefined || api === undefined) {
    const missing = ticket === undefined ? 'the ticket' : 'the address of the roastery (--api)';
    process.stderr.write(
      `Missing: ${missing}. Usage: device-agent pair PAIR-XXXX-XXXX-XXXX --api https://roastery.example\n`,
    );
    return 2;
  }
  try {
    await pairBoard({ ticket, api, configDir, isTrial, agentVersion }, (line) => process.stdout.write(`${line}\n`));
    process.stdout.write(`${next}\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof PairingTrouble)) throw error;
    process.stderr.write(`${error.message}\n`);
    return exitCodes[error.kind];
  }
};
