import { entryCount } from '@roastery/contract/mqtt';
import type { Sql } from '../db/sql.ts';
import { cutPiece, type SamplePiece } from './chunks.ts';
import type { KnownBatch } from './decode-batch.ts';
import type { PlacedEvent } from './roast-events.ts';
import { formatMultirange, missingFrom, type SeqRange, withRange } from './seq-ranges.ts';
import { layoutKey, type Recording, type StreamPart } from './streams.ts';
import { betterClock, type ClockClaim, clockOf, latestOffsetOf, type WallClock } from './wall-clock.ts';

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

/** Adds a part of a batch to its recording, in memory: changes `committed`, `boots` and `layouts`. */
export const placeBatch = (known: KnownBatch, { recording, range }: StreamPart): Placed => {
  const { batch } = known;
  const missing = missingFrom(recording.committed, range);
  if (missing.length === 0) return { pieces: [], events: [], newLayout: undefined };
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
    if (!missing.some(({ start, end }) => seq >= start && seq < end)) return [];
    return [
      {
        recordingId: recording.recordingId,
        machineId: known.machineId,
        ownerId: known.ownerId,
        bootNo,
        bootId: batch.boot,
        seq,
        monoMs: batch.mono + dt,
        event: e,
      },
    ];
  });
  return { pieces: [], events, newLayout: undefined };
};

const quotedTexts = (texts: readonly string[]): string => `{${texts.map((text) => `"${text}"`).join(',')}}`;

export const updateCommitted = async (
  tx: Sql,
  recordings: readonly Recording[],
  receivedAtMs: number,
): Promise<void> => {
  const committed = quotedTexts(recordings.map((recording) => formatMultirange(recording.committed)));
  await tx`
    UPDATE recordings r
    SET committed = seen.committed::int8multirange, last_received_at = ${new Date(receivedAtMs)}::timestamptz
    FROM unnest(${recordings.map((recording) => recording.recordingId)}::uuid[], ${committed}::text[]) AS seen (id, committed)
    WHERE r.id = seen.id`;
};

export interface BootRow {
  readonly recordingId: string;
  readonly bootNo: number;
  readonly bootId: string;
  readonly clock: WallClock;
}

/** Inserts new boots and updates the wall clock of known ones; `moveStarts` then moves the roasts of those boots. */
export const writeBoots = async (tx: Sql, boots: readonly BootRow[]): Promise<void> => {
  if (boots.length === 0) return;
  await tx`
    INSERT INTO recording_boots (recording_id, boot_no, boot_id, wall_offset_ms, quality)
    SELECT * FROM unnest(
      ${boots.map((boot) => boot.recordingId)}::uuid[], ${boots.map((boot) => boot.bootNo)}::smallint[],
      ${boots.map((boot) => boot.bootId)}::text[], ${boots.map((boot) => Math.round(boot.clock.offsetMs))}::bigint[],
      ${boots.map((boot) => boot.clock.quality)}::smallint[])
    ON CONFLICT (recording_id, boot_no)
      DO UPDATE SET wall_offset_ms = excluded.wall_offset_ms, quality = excluded.quality`;
};

export interface LayoutRow {
  readonly recordingId: string;
  readonly layoutNo: number;
  readonly map: { readonly id: string; readonly rev: number };
  readonly channels: readonly string[];
}

export const writeLayouts = async (tx: Sql, layouts: readonly LayoutRow[]): Promise<void> => {
  for (const { recordingId, layoutNo, map, channels } of layouts) {
    await tx`
      INSERT INTO recording_layouts (recording_id, layout_no, map_id, map_rev, channels)
      VALUES (${recordingId}, ${layoutNo}, ${map.id}, ${map.rev}, ${[...channels]}::text[])`;
  }
};
