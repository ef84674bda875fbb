import type { Entry } from '../core/entry.ts';
import type { RecordedPast } from '../core/replay.ts';
import type { FoundStream } from './find-streams.ts';
import type { JournalSettings } from './journal-types.ts';
import { readSegment } from './segment.ts';
import { segmentsOfRecording } from './streams.ts';

/** Damage can hide a state; the search stops after this many segments. */
const maxSegments = 16;

/**
 * State and entries of the last process of this pairing: the roast of an earlier one does not continue in it. Reads
 * backwards from the newest segment until there is a state and every entry after it: nearly always only the newest
 * segment, since each begins with a state. Unreadable segments are skipped.
 */
export const readPast = async (
  streams: readonly FoundStream[],
  { disk, log }: Pick<JournalSettings, 'disk' | 'log'>,
): Promise<RecordedPast> => {
  const ofThisPairing = streams.map(({ stream }) => stream).filter((stream) => !stream.awaitsOwner());
  const lastWritten = ofThisPairing.findLast((stream) => stream.segments().length > 0);
  const sealed = lastWritten ? segmentsOfRecording(streams, lastWritten) : [];
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
