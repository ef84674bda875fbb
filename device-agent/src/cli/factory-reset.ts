import { createInterface } from 'node:readline/promises';
import { readBoardEnvironment, usualConfigDir } from '../board-files.ts';
import { agentPlace } from '../config.ts';
import { codeOf, messageOf } from '@roastery/runtime/system-errors';
import { revokeOnServer, type Revocation } from '../support/revoke-credential.ts';
import { prepareReset, resetBoard, ResetRefused } from '../support/factory-reset.ts';

export interface ResetOptions {
  readonly configDir?: string | undefined;
  readonly yes: boolean;
  readonly all: boolean;
  readonly discardUnsent: boolean;
}

const asksFor = 'forget';

const agrees = async (what: string): Promise<boolean> => {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const answer = await terminal.question(`This deletes ${what} from this board.\nType "${asksFor}" to continue: `);
    return answer.trim().toLowerCase() === asksFor;
  } finally {
    terminal.close();
  }
};

const revocationText = (revocation: Revocation, serial = ''): string => {
  if (revocation.kind === 'revoked') return 'The server has revoked its credential.';
  if (revocation.kind === 'was_not_valid') return 'The server had already revoked its credential.';
  if (revocation.kind === 'none') return 'There was no credential.';
  return `The server did not confirm the revocation (${revocation.reason}): THE OLD CREDENTIAL STAYS VALID until an administrator revokes it in the portal: Devices, menu of ${serial}, Revoke.`;
};

/** Removes all pairing data of the board. Returns the exit code: 0 done, 1 refused, 2 wrong usage. */
export const factoryReset = async ({
  configDir = usualConfigDir,
  yes,
  all,
  discardUnsent,
}: ResetOptions): Promise<number> => {
  try {
    const env = readBoardEnvironment(configDir);
    const order = { configDir, place: agentPlace(env), all, discardUnsent };
    if (!yes && !process.stdin.isTTY) {
      process.stderr.write('No terminal to ask for confirmation. To confirm: device-agent factory-reset --yes\n');
      return 2;
    }
    const serial = env['MACHINE_SERIAL'];
    const what = `${serial === undefined ? 'its credential' : `the credential of ${serial}`}, its journal${all ? ' and its machine map' : ''}`;
    if (!yes && !(await agrees(what))) {
      process.stdout.write('Nothing was changed.\n');
      return 1;
    }
    await prepareReset(order);
    // The server first, while the board still has its credential.
    const revocation = await revokeOnServer(env);
    await resetBoard(order);
    process.stdout.write(
      `Done${all ? '' : '; the machine map was kept'}. ${revocationText(revocation, serial)}\nTo pair the board again: sudo device-agent pair PAIR-XXXX-XXXX-XXXX --api https://roastery.example\n`,
    );
    return 0;
  } catch (error) {
    const denied = codeOf(error) === 'EACCES';
    if (!(error instanceof ResetRefused) && !denied) throw error;
    process.stderr.write(denied ? 'Run as root: sudo device-agent factory-reset\n' : `${messageOf(error)}\n`);
    return 1;
  }
};
