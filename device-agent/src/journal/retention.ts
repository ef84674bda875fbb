import type { RangeSet } from '../core/ranges.ts';
import type { SealedSegment } from './segment.ts';

/** What choosing needs to know of a stream. */
export interface KeptStream {
  readonly acked: RangeSet;
  /** Kept for another owner than the one who is served now. */
  readonly isSealed: () => boolean;
  readonly segments: () => readonly SealedSegment[];
}

/**
 * What to drop when there is no room, of streams from the oldest on: first what the server has committed, of sealed
 * streams last; then samples outside roasts; and only when there are none the oldest roast.
 */
export const chooseVictim = <S extends KeptStream>(
  streams: readonly S[],
): { stream: S; segment: SealedSegment } | undefined => {
  const all = streams.flatMap((stream) => stream.segments().map((segment) => ({ stream, segment })));
  const committed = all.filter(({ stream, segment }) => stream.acked.covers(segment.first, segment.last));
  return (
    committed.find(({ stream }) => !stream.isSealed()) ??
    committed[0] ??
    all.find(({ segment }) => segment.content === 'idle') ??
    all[0]
  );
};
