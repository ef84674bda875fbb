import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { nearestSample } from '@roastery/roasting/artisan/alog-controls';
import { markOf } from '@roastery/roasting/marks';
import { valueAt } from '@roastery/roasting/curves/series';
import { lacksColumns, refusedFile, valuesOf, type ImportedRoast, type ReadingChoices } from './imported-roast.ts';
import { figuresOf } from './plausibility.ts';
import { readRoastFile } from './read-roast-file.ts';
import type { FileRecording } from './file-jobs.ts';

/** Times of the samples on the recording's own clock, whole ms from 0. */
const recordingTimes = (timesSeconds: readonly number[], zeroSeconds: number): Int32Array =>
  Int32Array.from(timesSeconds, (seconds) => Math.round((seconds - zeroSeconds) * 1000));

/** Hash of the stored times and bean temperatures, counted from the first sample: equal for equal curves. */
export const curveHash = (roast: ImportedRoast): Uint8Array => {
  const times = recordingTimes(roast.timesSeconds, 0);
  const bean = valuesOf(roast, 'bean_temp') ?? [];
  const first = times[0] ?? 0;
  return createHash('sha256')
    .update(new Uint8Array(times.map((ms) => ms - first).buffer))
    .update(new Uint8Array(Float32Array.from(times, (_, index) => bean[index] ?? Number.NaN).buffer))
    .digest();
};

/** The samples and marks of a file as they are stored. Throws the errors of `readRoastFile`. */
export const recordingIn = async (content: Uint8Array, choices: ReadingChoices): Promise<FileRecording> => {
  const { format, roast } = await readRoastFile(content, choices);
  if (lacksColumns(roast)) throw refusedFile('Choose the columns of the time and the bean temperature first.');
  const { timesSeconds, table } = roast;
  const bean = valuesOf(roast, 'bean_temp') ?? [];
  const charge = markOf(roast.marks, 'charge');
  // A person's charge may lie before the first sample.
  const offsetSeconds = Math.min(0, timesSeconds[0] ?? 0, charge?.timeSeconds ?? 0);
  const monoMsOf = (seconds: number) => Math.round((seconds - offsetSeconds) * 1000);
  return {
    monoMs: recordingTimes(timesSeconds, offsetSeconds),
    channels: roast.channels.map(({ name, label, unit, values }) => ({
      name,
      label,
      unit,
      values: Float64Array.from(values, (value) => value ?? Number.NaN),
    })),
    marks: roast.marks.map((mark) => ({
      ...mark,
      tempC: mark.tempC ?? valueAt(timesSeconds, bean, mark.timeSeconds),
      monoMs: monoMsOf(mark.timeSeconds),
      atSample: Math.max(0, nearestSample(timesSeconds, mark.timeSeconds)),
    })),
    chargeMs: charge === undefined ? undefined : monoMsOf(charge.timeSeconds),
    startedAtMs: roast.recordedAtMs === null ? undefined : Math.round(roast.recordedAtMs + offsetSeconds * 1000),
    curveSha256: curveHash(roast),
    sourceId: roast.sourceId ?? null,
    batch: roast.batch,
    facts: roast.facts,
    figures: figuresOf(roast),
    ...(table?.source === 'person'
      ? { columns: table.columns.map(({ head, use, unit }) => ({ head, use, unit })) }
      : {}),
    source: { format, gzip: gzipSync(content) },
  };
};
