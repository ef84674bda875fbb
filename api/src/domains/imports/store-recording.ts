import { createHash } from 'node:crypto';
import { uuidV7 } from '@roastery/runtime/uuid';
import type { Sql } from '../../db/sql.ts';
import { valuesOf, type ImportedRoast } from './imported-roast.ts';

/** As long as the chunks that ingest makes when a backlog drains. */
const chunkSamples = 600;
const bootNo = 0;
const layoutNo = 0;

/** Times of the samples on the recording's own clock, whole ms from 0. */
export const recordingTimes = (timesSeconds: readonly number[]): number[] => {
  const first = Math.min(0, timesSeconds[0] ?? 0);
  return timesSeconds.map((seconds) => Math.round((seconds - first) * 1000));
};

export const fileHash = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest();

/** Over what is stored of times and bean temperatures, counted from the first sample: equal for equal curves. */
export const curveHash = (roast: ImportedRoast): Buffer => {
  const times = recordingTimes(roast.timesSeconds);
  const bean = valuesOf(roast, 'bean_temp') ?? [];
  const first = times[0] ?? 0;
  return createHash('sha256')
    .update(new Uint8Array(Int32Array.from(times, (ms) => ms - first).buffer))
    .update(new Uint8Array(Float32Array.from(times, (_, index) => bean[index] ?? Number.NaN).buffer))
    .digest();
};

export interface StoredFile {
  readonly fileName: string;
  readonly sha256: Uint8Array;
}

/**
 * Stores an uploaded curve as a recording: the same tables that ingest fills from a board's journal. Sample k has sequence
 * number k; the wall clock of second 0 is `recordedAtMs`.
 */
export const storeRecording = async (
  tx: Sql,
  roast: ImportedRoast,
  recordedAtMs: number,
  file: StoredFile,
): Promise<{ recordingId: string; bootNo: number; monoMs: readonly number[] }> => {
  const recordingId = uuidV7();
  const monoMs = recordingTimes(roast.timesSeconds);
  const names = roast.channels.map(({ name }) => name);
  const labels = Object.fromEntries(roast.channels.map(({ name, label, unit }) => [name, { label, unit }]));
  await tx`
    INSERT INTO recordings (id, source, committed, file_name, file_sha256, curve_sha256, channel_labels)
    VALUES (${recordingId}, 'upload', int8multirange(int8range(0, ${monoMs.length})), ${file.fileName},
            ${Buffer.from(file.sha256)}, ${curveHash(roast)}, ${tx.json(labels)})`;
  await tx`
    INSERT INTO recording_boots (recording_id, boot_no, boot_id, wall_offset_ms, quality)
    VALUES (${recordingId}, ${bootNo}, 'file', ${recordedAtMs}, 2)`;
  await tx`
    INSERT INTO recording_layouts (recording_id, layout_no, map_id, map_rev, channels)
    VALUES (${recordingId}, ${layoutNo}, 'file', 0, ${names}::text[])`;
  for (let from = 0; from < monoMs.length; from += chunkSamples) {
    const times = monoMs.slice(from, from + chunkSamples);
    const start = times[0] ?? 0;
    const dt = times.map((ms) => ms - start);
    const values = roast.channels.flatMap((channel) => channel.values.slice(from, from + times.length));
    await tx`
      INSERT INTO recording_chunks (recording_id, first_seq, boot_no, layout_no, mono_ms, dt_ms, values)
      VALUES (${recordingId}, ${from}, ${bootNo}, ${layoutNo}, ${start}, ${dt}::integer[], ${values}::real[])`;
  }
  return { recordingId, bootNo, monoMs };
};
