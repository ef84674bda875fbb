import type { Sql } from '../db/sql.ts';
import { readSamples, type Samples } from '../domains/roasts/read-samples.ts';
import type { KnownBatch } from './decode-batch.ts';
import { coveredBy, type SeqRange } from './seq-ranges.ts';
import type { Recording, StreamPart } from './streams.ts';

/** A batch of which a part was committed before it. */
export interface Overlap {
  readonly known: KnownBatch;
  readonly recording: Recording;
  readonly parts: readonly SeqRange[];
}

/** The stored value is a float4: what was sent must round to it. */
const sameReading = (sent: number | null, stored: number | null): boolean =>
  sent === null || stored === null ? sent === stored : Math.fround(sent) === Math.fround(stored);

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
      // No sample is stored under it: an event, or an entry refused earlier. Marks are compared by their own key.
      if (place === undefined) continue;
      if (batch.k === 'events') return `seq ${seq} was a sample and is now an event`;
      const index = seq - batch.seq;
      if (stored.monoMs[place] !== batch.mono + (batch.dt[index] ?? 0)) return `seq ${seq} has another time`;
      for (const [column, name] of batch.ch.entries()) {
        const value = batch.s[column]?.[index] ?? null;
        if (!sameReading(value, stored.channels.get(name)?.[place] ?? null)) return `seq ${seq} has another ${name}`;
      }
    }
  }
  return undefined;
};

/** Repeats of one recording within so many sequence numbers are compared by one query. */
const maxSeqsPerQuery = 20_000;

/** Groups the overlaps of each recording by place, so that a board that resends its backlog costs few queries. */
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
    const isNear = first?.recording === overlap.recording && endOf(overlap) - startOf(first) <= maxSeqsPerQuery;
    if (isNear) groups.at(-1)?.push(overlap);
    else groups.push([overlap]);
  }
  return groups;
};
const startOf = ({ parts }: Overlap): number => parts[0]?.start ?? 0;
const endOf = ({ parts }: Overlap): number => parts.at(-1)?.end ?? 0;

/**
 * Repeats whose content differs from what is stored under their sequence numbers. The first content stands; the others are
 * reported, since two contents under one number mean a copied or damaged journal.
 */
export const findConflicts = async (
  tx: Sql,
  overlaps: readonly Overlap[],
): Promise<{ known: KnownBatch; reason: string }[]> => {
  const found: { known: KnownBatch; reason: string }[] = [];
  for (const group of groupByPlace(overlaps)) {
    const [first] = group;
    if (first === undefined) continue;
    const last = Math.max(...group.map(endOf)) - 1;
    const stored = await readSamples(tx, first.recording.recordingId, startOf(first), last);
    const places = new Map(stored.seq.map((seq, index) => [seq, index]));
    for (const { known, recording, parts } of group) {
      const difference =
        firstDifference(known, parts, stored, places) ?? (await markDifference(tx, known, recording, parts));
      if (difference !== undefined) found.push({ known, reason: `sequence number claimed twice: ${difference}` });
    }
  }
  return found;
};

const markDifference = async (
  tx: Sql,
  { batch }: KnownBatch,
  recording: Recording,
  parts: readonly SeqRange[],
): Promise<string | undefined> => {
  if (batch.k !== 'events') return undefined;
  for (const [index, { e }] of batch.ev.entries()) {
    const seq = batch.seq + index;
    if (e.type !== 'mark' || !parts.some(({ start, end }) => seq >= start && seq < end)) continue;
    const [stored] = await tx<{ kind: string; at_seq: number | null }[]>`
      SELECT kind, at_seq FROM roast_marks
      WHERE roast_id = ${e.roast_id} AND recording_id = ${recording.recordingId} AND event_seq = ${seq}`;
    if (stored !== undefined && (stored.kind !== e.kind || stored.at_seq !== e.at_seq)) {
      return `seq ${seq} is another mark`;
    }
  }
  return undefined;
};

/** The entries of a part of a batch that were committed before it. */
export const overlapOf = (known: KnownBatch, { recording, range }: StreamPart): Overlap | undefined => {
  const parts = coveredBy(recording.committed, range);
  return parts.length === 0 ? undefined : { known, recording, parts };
};
