import type { SampleBatch } from '@roastery/contract/mqtt';
import { coveredBy, type SeqRange, type SeqRanges, withRange } from '../db/seq-ranges.ts';
import type { Sql } from '../db/sql.ts';
import type { KnownBatch } from './arrived-entries.ts';
import { readSamples, type Samples } from './read-samples.ts';
import type { Recording, StreamPart } from './recording-rows.ts';

/** A batch of which a part was committed before. */
export interface Overlap {
  readonly known: KnownBatch;
  readonly recording: Recording;
  readonly parts: readonly SeqRange[];
}

/** Compares in the precision of the stored value, a float4. */
const sameReading = (sent: number | null, stored: number | null): boolean =>
  sent === null || stored === null ? sent === stored : Math.fround(sent) === Math.fround(stored);

/** How a sample of a batch differs from one that is stored. */
const differenceAt = (batch: SampleBatch, index: number, stored: Samples, place: number): string | undefined => {
  if (stored.monoMs[place] !== batch.mono + (batch.dt[index] ?? 0)) return 'time';
  return batch.ch.find(
    (name, column) => !sameReading(batch.s[column]?.[index] ?? null, stored.channels.get(name)?.[place] ?? null),
  );
};

/** The first sequence number at which a batch differs from what is stored, and the difference. */
const firstDifference = (
  { batch }: KnownBatch,
  parts: readonly SeqRange[],
  stored: Samples,
  places: ReadonlyMap<number, number>,
): string | undefined => {
  for (const { start, end } of parts) {
    for (let seq = start; seq < end; seq++) {
      const place = places.get(seq);
      // No sample is stored under this number: an event, or an entry that was refused earlier. Marks are compared by
      // their own key.
      if (place === undefined) continue;
      if (batch.k === 'events') return `seq ${seq} was a sample and is now an event`;
      const difference = differenceAt(batch, seq - batch.seq, stored, place);
      if (difference !== undefined) return `seq ${seq} has another ${difference}`;
    }
  }
  return undefined;
};

/** One statement compares repeats of at most this many sequence numbers. */
const maxSeqs = 20_000;
const startOf = ({ parts }: Overlap): number => parts[0]?.start ?? 0;
const endOf = ({ parts }: Overlap): number => parts.at(-1)?.end ?? 0;
const spanOf = (group: readonly Overlap[]): number => Math.max(...group.map(endOf)) - Math.min(...group.map(startOf));

/** Groups the overlaps of each recording by position, so that the backlog that a board resends is read in few ranges. */
const groupByPlace = (overlaps: readonly Overlap[]): Overlap[][] => {
  const sorted = overlaps.toSorted((a, b) =>
    a.recording.recordingId === b.recording.recordingId
      ? startOf(a) - startOf(b)
      : a.recording.recordingId < b.recording.recordingId
        ? -1
        : 1,
  );
  const groups: Overlap[][] = [];
  for (const overlap of sorted) {
    const [first] = groups.at(-1) ?? [];
    const isNear = first?.recording === overlap.recording && endOf(overlap) - startOf(first) <= maxSeqs;
    if (isNear) groups.at(-1)?.push(overlap);
    else groups.push([overlap]);
  }
  return groups;
};

/**
 * Groups that one statement compares: when an api ends, a thousand boards repeat what it had not acknowledged, and the rows of all
 * stay locked for as long as this transaction waits for one answer after the other.
 */
const inSlices = (groups: readonly Overlap[][]): Overlap[][][] => {
  const slices: Overlap[][][] = [];
  let seqs = 0;
  for (const group of groups) {
    seqs += spanOf(group);
    const slice = slices.at(-1);
    if (slice !== undefined && seqs <= maxSeqs) slice.push(group);
    else {
      slices.push([group]);
      seqs = spanOf(group);
    }
  }
  return slices;
};

const channelsOf = (overlaps: readonly Overlap[]): string[] => [
  ...new Set(overlaps.flatMap(({ known: { batch } }) => (batch.k === 'samples' ? batch.ch : []))),
];

export interface Conflict {
  readonly known: KnownBatch;
  /** The number, and what is different. */
  readonly difference: string;
}

/**
 * Repeats whose content differs from what is stored under their sequence numbers, and those without a difference. The first
 * content is kept; the others are reported, because two contents under one number mean a copied or damaged journal.
 */
export const findConflicts = async (tx: Sql, overlaps: readonly Overlap[]) => {
  const conflicts: Conflict[] = [];
  const repeats: Overlap[] = [];
  const compare = (group: readonly Overlap[], stored: Samples): void => {
    const places = new Map(stored.seq.map((seq, index) => [seq, index]));
    for (const overlap of group) {
      const difference = firstDifference(overlap.known, overlap.parts, stored, places);
      if (difference === undefined) repeats.push(overlap);
      else conflicts.push({ known: overlap.known, difference });
    }
  };
  for (const slice of inSlices(groupByPlace(overlaps))) {
    const ranges = slice.flatMap((group) => {
      const [first] = group;
      if (first === undefined) return [];
      const { recordingId } = first.recording;
      return [{ recordingId, fromSeq: startOf(first), toSeq: Math.max(...group.map(endOf)) - 1 }];
    });
    let at = 0;
    for await (const stored of readSamples(tx, ranges, channelsOf(slice.flat()))) compare(slice[at++] ?? [], stored);
  }
  return { conflicts, repeats };
};

/** The entries of a part of a batch that were committed before. */
export const overlapOf = (known: KnownBatch, { recording, range }: StreamPart): Overlap | undefined => {
  const parts = coveredBy(recording.committed, range);
  return parts.length === 0 ? undefined : { known, recording, parts };
};

/** How many numbers before and after an event are searched for a sample. */
const aroundEvent = 50;

/**
 * The entries of a batch that another recording already holds. A board whose disk failed sends entries that were not
 * safe on it from memory, in a stream that continues that recording, and may find them again in the file on the disk.
 * Only the same entry has the same number and, in the same boot, the same time; an event has a time between the samples
 * around it.
 */
export const repeatsIn = async (
  tx: Sql,
  { batch }: KnownBatch,
  { recording, range }: StreamPart,
): Promise<SeqRanges> => {
  const held = coveredBy(recording.committed, range);
  const bootNo = recording.boots.get(batch.boot)?.bootNo;
  const [first, last] = [held[0], held.at(-1)];
  if (!first || !last || bootNo === undefined) return [];
  const [fromSeq, toSeq] = [first.start - aroundEvent, last.end + aroundEvent];
  const stored = await readSamples(tx, { recordingId: recording.recordingId, fromSeq, toSeq });
  const places = new Map(stored.seq.map((seq, index) => [seq, index]));
  const monoAt = (place: number): number => (stored.bootNo[place] === bootNo ? (stored.monoMs[place] ?? NaN) : NaN);
  const isRepeat = (seq: number): boolean => {
    const [place, index] = [places.get(seq), seq - batch.seq];
    if (batch.k === 'samples')
      return place !== undefined && stored.bootNo[place] === bootNo && !differenceAt(batch, index, stored, place);
    const after = stored.seq.findIndex((other) => other > seq);
    const mono = batch.mono + (batch.ev[index]?.dt ?? 0);
    return place === undefined && after > 0 && monoAt(after - 1) <= mono && mono <= monoAt(after);
  };
  let repeats: SeqRanges = [];
  for (const { start, end } of held)
    for (let seq = start; seq < end; seq++)
      if (isRepeat(seq)) repeats = withRange(repeats, { start: seq, end: seq + 1 });
  return repeats;
};
