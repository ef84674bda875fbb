import { uuidV7 } from '@roastery/runtime/uuid';
import type { UploadChoices } from '@roastery/contract/imports';
import type { Sql } from '../db/sql.ts';

/** As long as the chunks that ingest writes for a draining backlog; shorter where a sample has very many readings. */
const chunkSamples = 600;
const chunkReadings = 20_000;
const bootNo = 0;
const layoutNo = 0;

/** A curve that was read from a file. */
interface Curve {
  /** ms on the recording's clock. */
  readonly monoMs: Int32Array;
  readonly channels: readonly {
    readonly name: string;
    readonly label: string;
    readonly unit: string;
    readonly values: Float64Array;
  }[];
  readonly curveSha256: Uint8Array;
  /** The file itself, gzip. */
  readonly source: { readonly format: string; readonly gzip: Uint8Array };
}

export interface StoredFile {
  readonly fileName: string;
  readonly sha256: Uint8Array;
  readonly choices: UploadChoices;
}

/**
 * Stores an uploaded curve as a recording: the same tables that ingest fills from a board's journal. Sample k has sequence
 * number k; the wall clock of second 0 is `recordedAtMs`.
 */
export const storeFile = async (
  tx: Sql,
  { monoMs, channels, curveSha256, source }: Curve,
  recordedAtMs: number,
  file: StoredFile,
): Promise<{ recordingId: string; bootNo: number }> => {
  const recordingId = uuidV7();
  const names = channels.map(({ name }) => name);
  const labels = Object.fromEntries(channels.map(({ name, label, unit }) => [name, { label, unit }]));
  await tx`
    INSERT INTO recordings (id, source, committed, file_name, file_sha256, curve_sha256, channel_labels, file_format)
    VALUES (${recordingId}, 'upload', int8multirange(int8range(0, ${monoMs.length})), ${file.fileName},
            ${Buffer.from(file.sha256)}, ${Buffer.from(curveSha256)}, ${tx.json(labels)}, ${source.format})`;
  await tx`
    INSERT INTO recording_boots (recording_id, boot_no, boot_id, wall_offset_ms, quality)
    VALUES (${recordingId}, ${bootNo}, 'file', ${recordedAtMs}, 2)`;
  await tx`
    INSERT INTO recording_layouts (recording_id, layout_no, map_id, map_rev, channels)
    VALUES (${recordingId}, ${layoutNo}, 'file', 0, ${names}::text[])`;
  await tx`
    INSERT INTO recording_files (recording_id, format, choices, content)
    VALUES (${recordingId}, ${source.format}, ${tx.json(file.choices)}, ${Buffer.from(source.gzip)})`;
  const atOnce = Math.max(1, Math.min(chunkSamples, Math.floor(chunkReadings / channels.length)));
  for (let from = 0; from < monoMs.length; from += atOnce) {
    const times = monoMs.subarray(from, from + atOnce);
    const start = times[0] ?? 0;
    const dt = Array.from(times, (ms) => ms - start);
    const values = channels.flatMap((channel) =>
      Array.from(channel.values.subarray(from, from + atOnce), (value) => (Number.isNaN(value) ? null : value)),
    );
    await tx`
      INSERT INTO recording_chunks (recording_id, first_seq, boot_no, layout_no, mono_ms, dt_ms, values)
      VALUES (${recordingId}, ${from}, ${bootNo}, ${layoutNo}, ${start}, ${dt}::integer[], ${values}::real[])`;
  }
  return { recordingId, bootNo };
};
