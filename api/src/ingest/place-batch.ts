import { entryCount, type JournalBatch, type JournalEvent } from '@roastery/contract/mqtt';
import { cutPiece, type SamplePiece } from './chunks.ts';
import type { KnownBatch } from './decode-batch.ts';
import type { PlacedEvent } from '../domains/roasts/roast-events.ts';
import { missingFrom, type SeqRange, type SeqRanges, withRange } from './seq-ranges.ts';
import { layoutKey, type LayoutRow, type Recording, type StreamPart } from './streams.ts';
import { betterClock, type ClockClaim, clockOf, latestOffsetOf } from './wall-clock.ts';

/** The part of a batch that is new to its recording. */
export interface Placed {
  readonly pieces: SamplePiece[];
  readonly events: (Omit<PlacedEvent, 'wallOffsetMs'> & { readonly bootId: string })[];
  readonly newLayout: LayoutRow | undefined;
}

export const rangeOf = ({ batch }: Pick<KnownBatch, 'batch'>): SeqRange => ({
  start: batch.seq,
  end: batch.seq + entryCount(batch),
});

const lastMonoOf = ({ batch }: KnownBatch): number =>
  batch.mono + (batch.k === 'samples' ? batch.dt.at(-1) : batch.ev.at(-1)?.dt)!;

/** Adds the batch's boot and updates its wall clock. Answers the boot's number. */
const updateBoot = (recording: Recording, known: KnownBatch): number => {
  const { batch, message } = known;
  const claim: ClockClaim = {
    synced: batch.synced,
    t: batch.t,
    mono: batch.mono,
    lastMono: lastMonoOf(known),
    receivedAtMs: message.receivedAtMs,
  };
  const boot = recording.boots.get(batch.boot);
  const bootNo = boot?.bootNo ?? recording.boots.size;
  recording.boots.set(batch.boot, { bootNo, clock: betterClock(boot?.clock, clockOf(claim), latestOffsetOf(claim)) });
  return bootNo;
};

/** A gap without what is committed: a board that was killed before it noted an acknowledgement reports entries that are here. */
const withoutCommitted = (event: JournalEvent, committed: SeqRanges): JournalEvent | undefined => {
  if (event.type !== 'gap') return event;
  const missing = missingFrom(committed, { start: event.from_seq, end: event.to_seq + 1 });
  const [first, last] = [missing[0], missing.at(-1)];
  return first && last && { ...event, from_seq: first.start, to_seq: last.end - 1 };
};

/** Whether these entries are samples that continue their recording: their chunks say by themselves that they are committed. */
const continuesRecording = (recording: Recording, kind: JournalBatch['k'], missing: readonly SeqRange[]): boolean => {
  const start = missing[0]?.start ?? 0;
  return (
    kind === 'samples' &&
    missing.length === 1 &&
    start === recording.committed.at(-1)?.end &&
    start >= recording.sweptSeq
  );
};

/** Adds a part of a batch to its recording, in memory: changes `committed`, `boots` and `layouts`. */
export const placeBatch = (known: KnownBatch, { recording, range }: StreamPart): Placed => {
  const { batch } = known;
  const missing = missingFrom(recording.committed, range);
  if (missing.length === 0) return { pieces: [], events: [], newLayout: undefined };
  if (!continuesRecording(recording, batch.k, missing)) recording.isRowDue = true;
  const bootNo = updateBoot(recording, known);
  recording.committed = withRange(recording.committed, range);
  if (batch.k === 'samples') {
    const key = layoutKey(batch.map, batch.ch);
    const layoutNo = recording.layouts.get(key) ?? recording.layouts.size;
    const isNew = !recording.layouts.has(key);
    if (isNew) recording.layouts.set(key, layoutNo);
    return {
      pieces: missing.map((part) => cutPiece(batch, part, bootNo, layoutNo)),
      events: [],
      newLayout: isNew
        ? { recordingId: recording.recordingId, layoutNo, map: batch.map, channels: batch.ch }
        : undefined,
    };
  }
  const events = batch.ev.flatMap(({ dt, e }, index) => {
    const seq = batch.seq + index;
    const event = withoutCommitted(e, recording.committed);
    if (event === undefined || !missing.some(({ start, end }) => seq >= start && seq < end)) return [];
    return [
      {
        recordingId: recording.recordingId,
        machineId: known.machineId,
        ownerId: known.ownerId,
        bootNo,
        bootId: batch.boot,
        seq,
        monoMs: batch.mono + dt,
        event,
      },
    ];
  });
  return { pieces: [], events, newLayout: undefined };
};
