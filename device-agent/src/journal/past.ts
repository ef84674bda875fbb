import type { Logger } from '@roastery/runtime/logger';
import type { Entry } from '../core/entry.ts';
import type { RecordedPast } from '../core/replay.ts';
import type { JournalDisk } from './disk.ts';
import { readSegment, type SealedSegment } from './segment.ts';

/** Damage can hide a state; the search stops after this many segments. */
const maxSegments = 16;

/**
 * Reads backwards from the newest segment until there is a state and every entry after it: nearly always only the
 * newest segment, since each begins with a state. Unreadable segments are skipped.
 */
export const readPast = async (
  disk: JournalDisk,
  sealed: readonly SealedSegment[],
  log: Logger,
): Promise<RecordedPast> => {
  const collected: (readonly Entry[])[] = [];
  let state: RecordedPast['state'];
  for (const segment of sealed.slice(-maxSegments).toReversed()) {
    try {
      const data = readSegment(await disk.readFile(segment.path), segment);
      collected.unshift(data.entries);
      state ??= data.state;
      if (state && segment.first <= state.tracker.seq + 1) break;
    } catch (error) {
      log.warn({ segment: segment.path, reason: String(error) }, 'journal: segment missing in replay');
      break;
    }
  }
  return { state, entries: collected.flat() };
};
