import { createHash } from 'node:crypto';
import type { Upload } from '@roastery/contract/imports';
import { lttbIndices } from '@roastery/roasting/curves/decimate';
import { markOf } from '@roastery/roasting/marks';
import { batchName, lacksColumns, valuesOf, type ImportedRoast, type ReadingChoices } from './imported-roast.ts';
import { readRoastFile } from './read-roast-file.ts';
import { curveHash } from './recording-in-file.ts';
import type { DescribedFile } from './file-jobs.ts';
import { figuresOf } from './plausibility.ts';
import { headsKey } from './table-layout.ts';

const previewPoints = 300;

const pictureOf = (roast: ImportedRoast): Upload['curve'] => {
  const bean = valuesOf(roast, 'bean_temp') ?? [];
  const exhaust = valuesOf(roast, 'exhaust_temp');
  const shown = lttbIndices(roast.timesSeconds, bean, previewPoints);
  return {
    time_seconds: shown.map((index) => roast.timesSeconds[index] ?? 0),
    bean_temp: shown.map((index) => bean[index] ?? null),
    exhaust_temp: shown.map((index) => exhaust?.[index] ?? null),
  };
};

/** The time of charge, if the file contains the time of its recording and that time is valid. */
const startOf = ({ recordedAtMs }: ImportedRoast, chargeSeconds: number | undefined): string | null => {
  if (recordedAtMs === null || chargeSeconds === undefined) return null;
  const start = new Date(Math.round(recordedAtMs + chargeSeconds * 1000));
  return Number.isNaN(start.getTime()) ? null : start.toISOString();
};

const missingIn = (roast: ImportedRoast): string | null => {
  if (lacksColumns(roast)) {
    return 'The columns are not known: say which one is the time and which one the bean temperature.';
  }
  return markOf(roast.marks, 'charge') === undefined
    ? 'The file marks no charge and none was detected. Set the charge.'
    : null;
};

/** The contents of a roast file, read with its choices. Throws the errors of `readRoastFile`. */
export const describeFile = async (content: Uint8Array, choices: ReadingChoices): Promise<DescribedFile> => {
  const { format, roast } = await readRoastFile(content, choices);
  const charge = markOf(roast.marks, 'charge');
  const first = roast.timesSeconds[0] ?? 0;
  const upload: DescribedFile['upload'] = {
    format,
    size_bytes: content.length,
    ...roast.facts,
    source_batch: batchName(roast.batch),
    start_time: startOf(roast, charge?.timeSeconds),
    time_zone: roast.isLocalTime ? (choices.time_zone ?? null) : null,
    temperature_unit: roast.temperatureUnit,
    time_unit: roast.timeUnit,
    samples: roast.timesSeconds.length,
    recorded_seconds: (roast.timesSeconds.at(-1) ?? first) - first,
    charge_seconds: charge?.timeSeconds ?? null,
    channels: roast.channels.map(({ name, label, unit, values }) => ({
      name,
      label,
      unit,
      readings: values.filter((value) => value !== null).length,
    })),
    marks:
      charge === undefined
        ? []
        : roast.marks.map(({ timeSeconds, tempC, ...mark }) => ({
            ...mark,
            time_seconds: Math.round((timeSeconds - charge.timeSeconds) * 1000) / 1000,
            temp: tempC,
          })),
    curve: pictureOf(roast),
    warnings: [...roast.warnings],
    table: roast.table ?? null,
    missing: missingIn(roast),
  };
  const fileSha256 = createHash('sha256').update(content).digest();
  const layout = roast.table ? headsKey(roast.table.columns.map(({ head }) => head)) : null;
  const isUnread = lacksColumns(roast);
  return {
    upload,
    fileSha256,
    // Files without readings are not of one curve.
    curveSha256: isUnread ? fileSha256 : curveHash(roast),
    figures: isUnread ? null : figuresOf(roast),
    layout,
  };
};
