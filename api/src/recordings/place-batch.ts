import { exchangedChannel } from '@roastery/contract/channels';
import type { JournalBatch, JournalEvent } from '@roastery/contract/mqtt';
import { missingFrom, type SeqRange, withRange } from '../db/seq-ranges.ts';
import type { Sql } from '../db/sql.ts';
import type { ReceivedBatch } from './arrived-entries.ts';
import {
  arrivingSamples,
  cutPiece,
  insertChunks,
  joinNeighbours,
  type SamplePiece,
  samplesIn,
  sweepLater,
} from './chunks.ts';
import {
  layoutKey,
  type LayoutRow,
  type Recording,
  revisionKey,
  type StreamPart,
  writeLayouts,
} from './recording-rows.ts';
import { betterClock, type ClockClaim, clockOf, latestOffsetOf } from './wall-clock.ts';

/** An api of an earlier version may have stored a layout twice, so that they are more than their keys. */
const nextLayoutNo = ({ layouts }: Pick<Recording, 'layouts'>): number =>
  Math.max(-1, ...[...layouts.values()].map(({ layoutNo }) => layoutNo)) + 1;

/** What the columns of a batch are in its recording. */
const channelsOf = (
  { layouts, exchanged }: Pick<Recording, 'layouts' | 'exchanged'>,
  { map, ch }: Extract<JournalBatch, { k: 'samples' }>,
): readonly string[] =>
  layouts.get(layoutKey(map, ch))?.channels ?? (exchanged.has(revisionKey(map)) ? ch.map(exchangedChannel) : ch);

/** The batch with the names that its columns have in the recording. */
export const asRecorded = (recording: Pick<Recording, 'layouts' | 'exchanged'>, batch: JournalBatch): JournalBatch =>
  batch.k === 'events' ? batch : { ...batch, ch: [...channelsOf(recording, batch)] };

type GapEvent = Extract<JournalEvent, { type: 'gap' }>;

/** A new event of a stream with its position. */
export interface PlacedEvent {
  readonly recordingId: string;
  readonly machineId: string;
  readonly ownerId: string;
  readonly bootNo: number;
  /** wall ms = offset + monotonic ms, as known now. */
  readonly wallOffsetMs: number;
  /** The stream whose entry it is, and its number there. */
  readonly epoch: string;
  readonly seq: number;
  readonly monoMs: number;
  readonly event: JournalEvent;
}

/** The part of a batch that is new to its recording. */
export interface Placed {
  readonly pieces: SamplePiece[];
  readonly events: (Omit<PlacedEvent, 'wallOffsetMs'> & { readonly bootId: string })[];
  readonly newLayout: LayoutRow | undefined;
}

const lastMonoOf = (batch: JournalBatch): number =>
  batch.mono + (batch.k === 'samples' ? batch.dt.at(-1) : batch.ev.at(-1)?.dt)!;

/** The clock of a boot according to a batch. */
export const claimOf = (batch: JournalBatch, receivedAtMs: number): ClockClaim => ({
  synced: batch.synced,
  t: batch.t,
  mono: batch.mono,
  lastMono: lastMonoOf(batch),
  receivedAtMs,
});

/** Adds the batch's boot and updates its wall clock. Returns the boot's number. */
const updateBoot = (recording: Recording, { batch, message }: ReceivedBatch): number => {
  const claim = claimOf(batch, message.receivedAtMs);
  const boot = recording.boots.get(batch.boot);
  const bootNo = boot?.bootNo ?? recording.boots.size;
  recording.boots.set(batch.boot, { bootNo, clock: betterClock(boot?.clock, clockOf(claim), latestOffsetOf(claim)) });
  return bootNo;
};

/**
 * The part of a reported gap that is really missing: a board that was killed before it recorded an acknowledgement
 * also reports stored entries.
 */
const gapWithin = (event: GapEvent, { recording, range }: StreamPart): GapEvent | undefined => {
  const missing = missingFrom(recording.committed, range);
  const [first, last] = [missing[0], missing.at(-1)];
  return first && last && { ...event, from_seq: first.start, to_seq: last.end - 1 };
};

/**
 * Whether these entries are samples that continue their recording: then their chunks alone show that they are
 * committed.
 */
const continuesRecording = (recording: Recording, kind: JournalBatch['k'], missing: readonly SeqRange[]): boolean => {
  const start = missing[0]?.start ?? 0;
  return (
    kind === 'samples' &&
    missing.length === 1 &&
    start === recording.committed.at(-1)?.end &&
    start >= recording.sweptSeq
  );
};

/**
 * Adds a part of a batch to its recording, in memory: changes `committed`, `boots` and `layouts`. A reported gap belongs to the
 * recordings in which it lies (`placesOf`).
 */
export const placeBatch = (
  known: ReceivedBatch,
  { recording, range }: StreamPart,
  placesOf: (gap: SeqRange) => readonly StreamPart[],
): Placed => {
  const { batch } = known;
  const missing = missingFrom(recording.committed, range);
  if (missing.length === 0) return { pieces: [], events: [], newLayout: undefined };
  recording.isReceiving = true;
  if (!continuesRecording(recording, batch.k, missing)) recording.isRowDue = true;
  const bootNo = updateBoot(recording, known);
  recording.committed = withRange(recording.committed, range);
  if (batch.k === 'samples') {
    const key = layoutKey(batch.map, batch.ch);
    const isNew = !recording.layouts.has(key);
    const layout = recording.layouts.get(key) ?? {
      layoutNo: nextLayoutNo(recording),
      channels: channelsOf(recording, batch),
    };
    if (isNew) {
      recording.layouts.set(key, layout);
      recording.isRowDue = true;
    }
    return {
      pieces: missing.map((part) => cutPiece(batch, part, bootNo, layout.layoutNo)),
      events: [],
      newLayout: isNew ? { ...layout, recordingId: recording.recordingId, map: batch.map, sent: batch.ch } : undefined,
    };
  }
  const events = batch.ev.flatMap(({ dt, e }, index): Placed['events'] => {
    const seq = batch.seq + index;
    if (!missing.some(({ start, end }) => seq >= start && seq < end)) return [];
    const place = { machineId: known.machineId, ownerId: known.ownerId, epoch: batch.epoch, seq };
    const moment = { bootId: batch.boot, monoMs: batch.mono + dt };
    if (e.type !== 'gap') return [{ ...place, ...moment, recordingId: recording.recordingId, bootNo, event: e }];
    return placesOf({ start: e.from_seq, end: e.to_seq + 1 }).flatMap((part) => {
      const event = gapWithin(e, part);
      if (event === undefined) return [];
      const { recordingId } = part.recording;
      return [{ ...place, ...moment, recordingId, bootNo: updateBoot(part.recording, known), event }];
    });
  });
  return { pieces: [], events, newLayout: undefined };
};

/** Writes the layouts and samples of these parts. Returns the number of samples. */
export const storePlaced = async (
  tx: Sql,
  placed: readonly { recording: Recording; placed: Placed }[],
  receivedAtMs: number,
): Promise<number> => {
  await writeLayouts(
    tx,
    placed.flatMap(({ placed: { newLayout } }) => (newLayout === undefined ? [] : [newLayout])),
  );
  const byRecording = new Map<Recording, Placed['pieces']>();
  for (const { recording, placed: added } of placed) {
    const pieces = byRecording.get(recording) ?? [];
    pieces.push(...added.pieces);
    byRecording.set(recording, pieces);
  }
  const chunks = Array.from(byRecording, ([{ recordingId, sweptSeq }, pieces]) =>
    joinNeighbours(pieces, arrivingSamples).map((run) => ({
      recordingId,
      run,
      isLate: run[0].firstSeq < sweptSeq,
      // They may be in a range that was sealed.
      inTimeIndex: true,
    })),
  ).flat();
  await insertChunks(tx, chunks, receivedAtMs);
  await sweepLater(
    tx,
    chunks.filter(({ isLate }) => isLate),
    receivedAtMs,
  );
  return chunks.reduce((sum, { run }) => sum + samplesIn(run), 0);
};

/** Stores journal events about the recording itself: starts of the agent, and gaps. */
export const insertNotes = async (tx: Sql, events: readonly PlacedEvent[]): Promise<void> => {
  const rows = events.flatMap(({ recordingId, epoch, seq, bootNo, monoMs, event }) => {
    const place = { recording_id: recordingId, epoch, event_seq: seq, boot_no: bootNo, mono_ms: monoMs };
    const nothing = { agent_version: null, from_seq: null, to_seq: null, reason: null };
    if (event.type === 'start') return { ...place, ...nothing, kind: 'start', agent_version: event.agent_version };
    // A range that runs backwards covers no entry.
    if (event.type !== 'gap' || event.to_seq < event.from_seq) return [];
    const { from_seq, to_seq, reason } = event;
    return { ...place, ...nothing, kind: 'gap', from_seq, to_seq, reason };
  });
  if (rows.length === 0) return;
  await tx`INSERT INTO recording_notes ${tx(rows)} ON CONFLICT (recording_id, epoch, event_seq) DO NOTHING`;
};
