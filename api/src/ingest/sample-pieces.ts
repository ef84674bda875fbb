import type { SampleBatch } from '@roastery/contract/mqtt';
import type { SeqRange } from './seq-ranges.ts';

/** Samples of one boot and one layout, without a hole: what becomes a chunk. */
export interface SamplePiece {
  readonly firstSeq: number;
  readonly bootNo: number;
  readonly layoutNo: number;
  /** ms since boot of the first sample. */
  readonly monoMs: number;
  /** ms after `monoMs`, one a sample. */
  readonly dtMs: readonly number[];
  /** One column a channel, each as long as `dtMs`. */
  readonly columns: readonly (readonly (number | null)[])[];
}

/** Sealed chunks hold this many samples: they compress well, and larger ones make reading a short curve wasteful. */
export const sealedSamples = 600;
/** Chunks of a draining backlog: of 8 channels they are just too small to be compressed while boards wait. */
export const arrivingSamples = 200;

/** The part of a batch with these sequence numbers. */
export const cutPiece = (batch: SampleBatch, part: SeqRange, bootNo: number, layoutNo: number): SamplePiece => {
  const from = part.start - batch.seq;
  const to = part.end - batch.seq;
  if (from === 0 && to === batch.dt.length) {
    const first = batch.dt[0] ?? 0;
    return {
      firstSeq: batch.seq,
      bootNo,
      layoutNo,
      monoMs: batch.mono + first,
      dtMs: first === 0 ? batch.dt : batch.dt.map((dt) => dt - first),
      columns: batch.s,
    };
  }
  const first = batch.dt[from] ?? 0;
  return {
    firstSeq: part.start,
    bootNo,
    layoutNo,
    monoMs: batch.mono + first,
    dtMs: batch.dt.slice(from, to).map((dt) => dt - first),
    columns: batch.s.map((column) => column.slice(from, to)),
  };
};

/** dt is an int4. */
const longestSpanMs = 86_400_000;

/** Whether `next` continues `piece` so that both may be one chunk. */
const continues = (piece: SamplePiece, next: SamplePiece): boolean =>
  next.firstSeq === piece.firstSeq + piece.dtMs.length &&
  next.bootNo === piece.bootNo &&
  next.layoutNo === piece.layoutNo &&
  next.monoMs >= piece.monoMs + (piece.dtMs.at(-1) ?? 0);

/** Pieces that follow each other and become one chunk; the first one names it. */
export type Run = readonly [SamplePiece, ...SamplePiece[]];

export const samplesIn = (run: Run): number => run.reduce((sum, piece) => sum + piece.dtMs.length, 0);

/** Puts neighbours together: few large chunks take less disk and are read faster than many small ones. */
export const joinNeighbours = (pieces: readonly SamplePiece[], maxSamples: number): Run[] => {
  const runs: [SamplePiece, ...SamplePiece[]][] = [];
  let length = 0;
  for (const piece of pieces.toSorted((a, b) => a.firstSeq - b.firstSeq)) {
    const run = runs.at(-1);
    const last = run?.at(-1);
    length += piece.dtMs.length;
    const fits = run !== undefined && piece.monoMs - run[0].monoMs < longestSpanMs && length <= maxSamples;
    if (fits && last !== undefined && continues(last, piece)) {
      run.push(piece);
    } else {
      runs.push([piece]);
      length = piece.dtMs.length;
    }
  }
  return runs;
};
