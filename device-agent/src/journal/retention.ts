import type { RangeSet } from '../core/ranges.ts';
import type { SealedSegment } from './segment.ts';

/** Segments whose every entry is committed. */
export const freeable = (sealed: readonly SealedSegment[], acked: RangeSet): SealedSegment[] =>
  sealed.filter(({ first, last }) => acked.covers(first, last));

/** What to let go on a full disk: the oldest samples outside roasts, and only when there are none the oldest roast. */
export const chooseVictim = (sealed: readonly SealedSegment[]): SealedSegment | undefined =>
  sealed.find(({ content }) => content === 'idle') ?? sealed[0];
