import { execFile } from 'node:child_process';
import { access, constants, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createLogger } from '@roastery/runtime/logger';
import { identityFile } from '../board-files.ts';
import { countUnsent } from '../journal/find-streams.ts';
import { codeOf } from '@roastery/runtime/system-errors';
import { planFile } from '../plan/plan-store.ts';
import { runFile } from '../status.ts';
import { findRunningAgent, type AgentPlace } from '../running-agent.ts';
import { settingsFile } from '../settings-trial.ts';

/** The reset cannot continue, and nothing was deleted. The message is an instruction. */
export class ResetRefused extends Error {
  override readonly name = 'ResetRefused';
}

export interface ResetOrder {
  readonly configDir: string;
  readonly place: AgentPlace;
  /** The machine map as well. */
  readonly all: boolean;
  /** Data that the server does not have yet is then lost. */
  readonly discardUnsent: boolean;
}

const stopTimeoutMs = 30_000;

const stopService = (): Promise<boolean> =>
  new Promise((resolve) => {
    execFile('systemctl', ['stop', 'roastery-agent.service'], { timeout: stopTimeoutMs }, (error) => resolve(!error));
  });

/** Stops the running agent, unless a roast runs. It still sends its current entries before it exits. */
const stopAgent = async (place: AgentPlace): Promise<void> => {
  const agent = await findRunningAgent(place);
  if (agent.kind === 'none') return;
  if (agent.kind === 'seen' && agent.status.roast.running !== null)
    throw new ResetRefused('A roast is running. Wait until it has ended: device-agent await-idle');
  const stopped = agent.kind === 'seen' && (await stopService());
  if (!stopped || (await findRunningAgent(place)).kind !== 'none')
    throw new ResetRefused('The agent is running. Stop it first: sudo systemctl stop roastery-agent');
};

const wantsRoot = `This user can't delete everything. Run as root: sudo device-agent factory-reset`;

/** Checked before the server revokes the credential: the files must be deletable. */
const mayDelete = async (folder: string): Promise<void> => {
  try {
    await access(folder, constants.W_OK);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') throw new ResetRefused(wantsRoot);
    if (code !== 'ENOENT') throw error;
  }
};

/**
 * Checks that the board may be reset: no roast, no unsent entries, deletable files. Stops the agent for that. Throws
 * `ResetRefused`.
 */
export const prepareReset = async ({ configDir, place, discardUnsent }: ResetOrder): Promise<void> => {
  await stopAgent(place);
  await mayDelete(configDir);
  await mayDelete(place.dataDir);
  if (discardUnsent) return;
  const unsent = await countUnsent(join(place.dataDir, 'journal'), createLogger('reset', 'silent'));
  if (unsent > 0)
    throw new ResetRefused(
      `The journal holds ${unsent} entries that the server doesn't have yet. Bring the board online and start the agent (sudo systemctl start roastery-agent), or delete them: --discard-unsent`,
    );
};

/** Deletes credential and journal, and on request the machine map. Returns what was deleted. */
export const resetBoard = async ({ configDir, place, all }: ResetOrder): Promise<string[]> => {
  const { dataDir } = place;
  const gone = [
    identityFile(configDir),
    join(configDir, 'pairing.json'),
    join(dataDir, 'journal'),
    join(dataDir, 'device.json'),
    runFile(dataDir),
    planFile(dataDir),
    settingsFile(dataDir),
    ...(all ? [join(dataDir, 'machine-map.json'), join(configDir, 'machine-map.json')] : []),
  ];
  try {
    for (const path of gone) await rm(path, { recursive: true, force: true });
  } catch (error) {
    if (codeOf(error) !== 'EACCES' && codeOf(error) !== 'EPERM') throw error;
    throw new ResetRefused(wantsRoot);
  }
  return gone;
};
