import { randomBytes } from 'node:crypto';
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '@roastery/runtime/logger';
import { readFileIfThere, writeFileAtomically } from './atomic-file.ts';
import { slowReadingSentence } from './core/line-pace.ts';
import type { ArtisanSource } from './artisan/artisan-source.ts';
import type { Journal } from './journal/journal.ts';
import type { MachineMap } from '@roastery/contract/machine-map';
import { readUpdateState } from './update/update-state.ts';
import { noMapDetail } from '@roastery/contract/mqtt';
import type { MachineLink } from './source.ts';
import type { StatusDetails } from './uplink/board-session.ts';

/** Free room on the disk of a folder; undefined if the disk does not answer. The board continues without it. */
export const freeBytes = async (folder: string): Promise<number | undefined> => {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined;
    throw error;
  }
};

export interface StatusSources {
  readonly agentVersion: string;
  readonly firmwareVersion: string;
  readonly dataDir: string;
  readonly journal: Journal;
  readonly map: () => MachineMap | undefined;
  /** For a board whose readings come from a program instead of a map. */
  readonly source: () => StatusDetails['source'];
  readonly link: () => MachineLink;
  readonly clockSynced: () => boolean;
  readonly entriesWaiting: () => number;
  readonly config: () => StatusDetails['config'];
  readonly plan: () => StatusDetails['plan'];
  readonly channelsExchanged: () => StatusDetails['channels_exchanged'];
  readonly order: () => Promise<StatusDetails['order']>;
}

/** Artisan as the portal sees it. */
export const programSource = (
  from: Pick<ArtisanSource, 'files'> | undefined,
  live: boolean,
): NonNullable<StatusDetails['source']> => {
  const files = from?.files() ?? null;
  return {
    kind: 'artisan',
    live,
    files: files && {
      sent: files.sent,
      refused: files.refused,
      waiting: files.waiting,
      trouble: files.trouble?.slice(0, 300) ?? null,
      newest: files.newest.map(({ name, reason, ...file }) => ({
        ...file,
        name: name.slice(-120),
        ...(reason === undefined ? {} : { reason: reason.slice(0, 300) }),
      })),
    },
  };
};

/** Identifies this run of the agent, also against one on a copied card. */
const instance = randomBytes(8).toString('hex');

export const runFile = (dataDir: string): string => join(dataDir, 'run');

/**
 * The number of this run: greater than that of every earlier one, also while the clock is not set. It is the time of the start where
 * that is greater, so that a board whose disk forgot the last number, or can't be read, has a greater one too.
 */
export const nextRun = async (dataDir: string, now: number, log: Logger): Promise<number> => {
  const path = runFile(dataDir);
  try {
    const last = Number((await readFileIfThere(path)) ?? 0);
    const run = Number.isSafeInteger(last) ? Math.max(last + 1, now) : now;
    await writeFileAtomically(path, `${run}\n`);
    return run;
  } catch (error) {
    log.warn({ reason: String(error) }, 'uplink: number of this run not stored');
    return now;
  }
};

/** The board's retained status. */
export const describeBoard = async (from: StatusSources): Promise<StatusDetails> => {
  const free = await freeBytes(from.dataDir);
  const { bytes, droppedEntries, trouble, inMemory, entriesInMemory, syncEveryMs } = from.journal.stats();
  const link = from.link();
  const map = from.map();
  const config = from.config();
  const source = from.source();
  const exchanged = from.channelsExchanged();
  const update = await readUpdateState();
  const order = await from.order();
  const detail = [
    map === undefined && source === undefined ? noMapDetail : undefined,
    link.detail,
    map === undefined || link.reachedHz === undefined ? undefined : slowReadingSentence(link.reachedHz, map.hz),
    trouble === undefined ? undefined : `journal: ${trouble}`,
  ].filter((part) => part !== undefined);
  return {
    instance,
    agent_version: from.agentVersion,
    firmware_version: from.firmwareVersion,
    epoch: from.journal.epoch,
    ...(map === undefined ? {} : { map: { id: map.id, rev: map.rev } }),
    ...(source === undefined ? {} : { source }),
    ...(config === undefined ? {} : { config }),
    plan: from.plan() ?? null,
    ...(exchanged === undefined ? {} : { channels_exchanged: exchanged }),
    machine_link: link.state,
    ...(detail.length > 0 ? { machine_link_detail: detail.join('; ').slice(0, 300) } : {}),
    journal: {
      entries_waiting: from.entriesWaiting(),
      bytes,
      dropped_entries: droppedEntries,
      send_every_seconds: syncEveryMs / 1000,
      ...(inMemory ? { in_memory: true, entries_in_memory: entriesInMemory } : {}),
    },
    history: await from.journal.history(),
    clock_synced: from.clockSynced(),
    ...(free === undefined ? {} : { disk_free_bytes: free }),
    ...(update === undefined ? {} : { update }),
    ...(order === undefined ? {} : { order }),
  };
};
