import { access } from 'node:fs/promises';
import type { Logger } from '@roastery/runtime/logger';
import { isMissing } from '../atomic-file.ts';
import { createWallClock } from '../core/wall-clock.ts';
import { nodeDisk } from './disk.ts';
import { findStreams } from './find-streams.ts';

/** Counts the unacknowledged entries of a journal that no agent has open; 0 where there is no journal. */
export const countUnsent = async (folder: string, log: Logger): Promise<number> => {
  try {
    await access(folder);
  } catch (error) {
    if (isMissing(error)) return 0;
    throw error;
  }
  const clock = createWallClock(() => ({ boot: '', mono: 0, wall: 0, synced: false }));
  const { streams } = await findStreams({ disk: nodeDisk, folder, log, clock, damaged: () => undefined });
  return streams.flatMap(({ stream }) => stream.waiting()).reduce((sum, [from, to]) => sum + to - from + 1, 0);
};
