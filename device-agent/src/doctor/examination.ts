import { realClock, type Clock } from '@roastery/runtime/clock';
import { agentVersion } from '../agent-version.ts';
import { inspectBoard } from './board-under-check.ts';
import { checkAgent, checkUpdate } from './check-agent.ts';
import { checkApi, checkCredential } from './check-api.ts';
import { checkBroker } from './check-broker.ts';
import { checkChannels } from './check-channels.ts';
import { checkClock } from './check-clock.ts';
import { checkConfiguration } from './check-configuration.ts';
import { checkDisk } from './check-disk.ts';
import { checkMachine } from './check-machine.ts';
import { checkMachineMap } from './check-machine-map.ts';
import { checkNetwork } from './check-network.ts';
import { checkTls } from './check-tls.ts';
import { checkValues } from './check-values.ts';
import { trouble, type Check, type Verdict } from './check.ts';

/** In order from the drum to the server. */
const checks: readonly Check[] = [
  checkConfiguration,
  checkAgent,
  checkUpdate,
  checkMachineMap,
  checkMachine,
  checkValues,
  checkChannels,
  checkClock,
  checkDisk,
  checkNetwork,
  checkTls,
  checkApi,
  checkCredential,
  checkBroker,
];

export interface Examination {
  readonly agent_version: string;
  readonly at: string;
  /** No action is needed, and everything could be checked. */
  readonly healthy: boolean;
  readonly checks: readonly ({ readonly check: string } & Verdict)[];
}

const runSafely = async (check: Check, board: Parameters<Check['run']>[0]): Promise<Verdict> => {
  try {
    return await check.run(board);
  } catch (error) {
    return trouble(
      `This could not be checked: ${error instanceof Error ? error.message : String(error)}.`,
      'Send a support bundle: sudo device-agent support-bundle',
    );
  }
};

/**
 * Checks everything between the machine and the server in order, and reports each result as soon as it is available.
 * It changes nothing and never uses the line or the session of the running agent.
 */
export const examineBoard = async (
  configDir: string,
  env: NodeJS.ProcessEnv = process.env,
  say: (check: string, verdict: Verdict) => void = () => undefined,
  clock: Clock = realClock,
): Promise<Examination> => {
  const board = inspectBoard(configDir, env, clock);
  const found: ({ check: string } & Verdict)[] = [];
  for (const check of checks) {
    const verdict = await runSafely(check, board);
    say(check.name, verdict);
    found.push({ check: check.name, ...verdict });
  }
  return {
    agent_version: agentVersion,
    at: new Date().toISOString(),
    healthy: found.every(({ outcome }) => outcome !== 'trouble' && outcome !== 'skipped'),
    checks: found,
  };
};
