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

/** Chunks grow to this many samples when a backlog drains; larger ones make reading a short curve wasteful. */
export const maxPieceSamples = 600;

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

/** Whether `next` continues `piece` so that both may be one chunk. dt is an int4: a piece spans less than a day. */
const continues = (piece: SamplePiece, next: SamplePiece): boolean =>
  next.firstSeq === piece.firstSeq + piece.dtMs.length &&
  next.bootNo === piece.bootNo &&
  next.layoutNo === piece.layoutNo &&
  next.monoMs >= piece.monoMs + (piece.dtMs.at(-1) ?? 0) &&
  next.monoMs - piece.monoMs < 86_400_000 &&
  piece.dtMs.length + next.dtMs.length <= maxPieceSamples;

const join = (pieces: readonly SamplePiece[]): SamplePiece => {
  const [first] = pieces;
  if (first === undefined || pieces.length === 1) return first as SamplePiece;
  return {
    ...first,
    dtMs: pieces.flatMap((piece) => piece.dtMs.map((dt) => dt + piece.monoMs - first.monoMs)),
    columns: first.columns.map((_, channel) => pieces.flatMap((piece) => piece.columns[channel] ?? [])),
  };
};

/** Puts neighbours together: few large chunks take less disk and are read faster than many small ones. */
export const joinNeighbours = (pieces: readonly SamplePiece[]): SamplePiece[] => {
  const sorted = [...pieces].sort((a, b) => a.firstSeq - b.firstSeq);
  const joined: SamplePiece[] = [];
  let run: SamplePiece[] = [];
  let length = 0;
  for (const piece of sorted) {
    const last = run.at(-1);
    if (last !== undefined && continues(last, piece) && length + piece.dtMs.length <= maxPieceSamples) {
      run.push(piece);
      length += piece.dtMs.length;
      continue;
    }
    if (run.length > 0) joined.push(join(run));
    run = [piece];
    length = piece.dtMs.length;
  }
  if (run.length > 0) joined.push(join(run));
  return joined;
};
