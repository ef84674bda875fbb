import { access } from 'node:fs/promises';
import type { Logger } from '@roastery/runtime/logger';
import { isMissing } from '../atomic-file.ts';
import { RangeSet } from '../core/ranges.ts';
import { recoverJournal } from './recovery.ts';

/** How many entries a journal that nobody has open still owes to the server; 0 where there is no journal. */
export const countUnsent = async (folder: string, log: Logger): Promise<number> => {
  try {
    await access(folder);
  } catch (error) {
    if (isMissing(error)) return 0;
    throw error;
  }
  const { sealed, acked } = await recoverJournal(folder, log);
  const owed = new RangeSet(sealed.map(({ first, last }) => [first, last]));
  for (const [from, to] of acked.ranges()) owed.remove(from, to);
  return owed.ranges().reduce((sum, [from, to]) => sum + to - from + 1, 0);
};
