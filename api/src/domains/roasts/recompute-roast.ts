import { markOf } from '@roastery/roasting/marks';
import { valueAt } from '@roastery/roasting/series';
import type { Sql } from '../../db/sql.ts';
import { readBootClocks } from './boots.ts';
import { effectiveMarks, type EffectiveMark, type MarkWord } from './effective-marks.ts';
import { keepSamples, readSamples } from './read-samples.ts';
import { roastFigures, timedMarks } from './roast-window.ts';

/** Every word about the marks of a roast. A foreign recording can't speak about it. */
export const readMarkWords = (sql: Sql, roastId: string, recordingId: string | null) => sql<MarkWord[]>`
  SELECT kind, origin, at_seq, mono_ms, temp, confidence, provisional, taken_back, boot_no, event_seq, id
  FROM roast_marks
  WHERE roast_id = ${roastId} AND recording_id IS NOT DISTINCT FROM ${recordingId}`;

/** Bean temperature of the recording at a moment, °C, between the samples around it; null in a gap. */
export const beanTempAt = async (
  sql: Sql,
  recordingId: string,
  at: { readonly boot_no: number; readonly mono_ms: number; readonly at_seq: number | null },
): Promise<number | null> => {
  if (at.at_seq === null) return null;
  // The nearest sample's neighbours may lie in the chunks beside its own. A mark set while its board was cut off lies up to a
  // minute behind the last sample that was known then: 600 samples at 10 Hz, and the events among them.
  const around = await readSamples(sql, recordingId, at.at_seq - 20, at.at_seq + 700);
  const samples = keepSamples(around, (index) => around.bootNo[index] === at.boot_no);
  return valueAt(
    samples.monoMs.map((ms) => ms / 1000),
    samples.channels.get('bean_temp') ?? [],
    at.mono_ms / 1000,
  );
};

const withTemperatures = (sql: Sql, recordingId: string, marks: readonly EffectiveMark[]): Promise<EffectiveMark[]> =>
  Promise.all(
    marks.map(async (mark) =>
      mark.temp === null && ['charge', 'drop', 'first_crack'].includes(mark.kind)
        ? { ...mark, temp: await beanTempAt(sql, recordingId, mark) }
        : mark,
    ),
  );

/**
 * Brings a roast's window and derived figures in line with its marks. The one place that writes them: called in the same
 * transaction by whatever changed a mark. The caller holds the roast's row.
 */
export const recomputeRoast = async (tx: Sql, roastId: string): Promise<void> => {
  const [roast] = await tx<{ recording_id: string | null; boot_no: number | null }[]>`
    SELECT recording_id, boot_no FROM roasts WHERE id = ${roastId} FOR UPDATE`;
  if (roast === undefined || roast.recording_id === null) return;
  const clocks = await readBootClocks(tx, roast.recording_id);
  const words = await readMarkWords(tx, roastId, roast.recording_id);
  const marks = await withTemperatures(tx, roast.recording_id, effectiveMarks(words));
  const charge = markOf(marks, 'charge');
  const timed = timedMarks(marks, clocks);
  const drop = markOf(timed, 'drop');
  const offsetMs = charge === undefined ? undefined : clocks.get(charge.boot_no)?.offsetMs;
  const startTime =
    charge === undefined || offsetMs === undefined ? null : new Date(offsetMs + charge.mono_ms).toISOString();
  const figures = roastFigures(timed);
  await tx`
    UPDATE roasts SET
      boot_no = ${charge?.boot_no ?? roast.boot_no},
      charge_mono_ms = ${charge?.mono_ms ?? null},
      charge_seq = ${charge?.at_seq ?? null},
      drop_mono_ms = ${charge === undefined || drop === undefined ? null : charge.mono_ms + Math.round(drop.timeSeconds * 1000)},
      drop_seq = ${drop?.mark.at_seq ?? null},
      start_time = coalesce(${startTime}::timestamptz, start_time),
      duration_seconds = ${figures.duration_seconds},
      charge_temp = ${figures.charge_temp},
      drop_temp = ${figures.drop_temp},
      first_crack_time = ${figures.first_crack_time},
      first_crack_temp = ${figures.first_crack_temp},
      first_crack_told = ${figures.first_crack_told},
      development_time_seconds = ${figures.development_time_seconds},
      development_time_ratio = ${figures.development_time_ratio}
    WHERE id = ${roastId}`;
};
