import type { ChannelUnit } from '@roastery/contract/channels';
import type { UploadChoices } from '@roastery/contract/imports';
import type { MarkKind } from '@roastery/roasting/marks';
import { risingIndices, valueAt, type Reading } from '@roastery/roasting/curves/series';
import { fToC, type TemperatureUnit } from '@roastery/roasting/units';
import { ChannelNames, isPercentage } from './channel-names.ts';
import {
  type ImportedBatch,
  type ImportedFacts,
  type ImportedRoast,
  type KnownUnit,
  noFacts,
  refuseStandingTimes,
  timeOfRecording,
} from './imported-roast.ts';
import type { FileMoment } from './moments.ts';
import { guessTemperatureUnit } from './read-table.ts';

/** A curve of the file. */
export interface FileCurve {
  /** Its name in the file or the program. */
  readonly label: string;
  readonly values: readonly Reading[];
  readonly unit: ChannelUnit;
  /** The matching channel. Absent: it keeps its own name. */
  readonly is?: 'bean_temp' | 'exhaust_temp' | 'heat_power' | 'fan_speed' | 'drum_speed';
}

/** A roast as a program wrote it, before units and names are converted. */
export interface FileRoast {
  readonly timesSeconds: readonly number[];
  readonly curves: readonly FileCurve[];
  readonly marks: readonly { readonly kind: MarkKind; readonly timeSeconds: number }[];
  readonly facts?: Partial<ImportedFacts>;
  readonly batch?: ImportedBatch | null;
  readonly recordedAt?: FileMoment | null;
  /** The unit of the file's temperatures, as stated in the file or usual for its program. */
  readonly temperatureUnit: TemperatureUnit;
  readonly warnings?: readonly string[];
}

/** Programs write °F if a person has chosen it, and few files contain the unit. */
const unitOf = ({ curves, temperatureUnit }: FileRoast, choices: UploadChoices): KnownUnit<TemperatureUnit> => {
  if (choices.temperature_unit !== undefined) return { value: choices.temperature_unit, source: 'person' };
  const bean = curves.find(({ is }) => is === 'bean_temp')?.values ?? [];
  return temperatureUnit === 'C' && guessTemperatureUnit(bean) === 'F'
    ? { value: 'F', source: 'guess' }
    : { value: temperatureUnit, source: 'file' };
};

/** Converts units, names and marks of a program's file for every import. A person's choice overrides the file. */
export const assembleRoast = (file: FileRoast, choices: UploadChoices): ImportedRoast => {
  const known = unitOf(file, choices);
  const unit = known.value;
  refuseStandingTimes(file.timesSeconds);
  const kept = risingIndices(file.timesSeconds);
  const timesSeconds = kept.map((index) => file.timesSeconds[index] ?? 0);
  const names = new ChannelNames();
  const channels = file.curves.flatMap((curve) => {
    const raw = kept.map((index): Reading => curve.values[index] ?? null);
    if (raw.every((value) => value === null)) return [];
    const isOutput = curve.unit !== '%' || isPercentage(raw);
    const name =
      curve.is !== undefined && isOutput && names.take(curve.is)
        ? curve.is
        : names.takeOwn(curve.label, names.size + 1);
    const values =
      curve.unit === '°C' && unit === 'F' ? raw.map((value) => (value === null ? null : fToC(value))) : raw;
    return [{ name, label: curve.label.slice(0, 80), unit: isOutput ? curve.unit : ('' as const), values }];
  });
  const bean = channels.find(({ name }) => name === 'bean_temp')?.values ?? [];
  const unordered = file.timesSeconds.length - kept.length;
  return {
    timesSeconds,
    channels,
    marks: file.marks.map(({ kind, timeSeconds }) => ({
      kind,
      timeSeconds,
      tempC: valueAt(timesSeconds, bean, timeSeconds),
      origin: 'person',
      confidence: 1,
      provisional: false,
    })),
    facts: { ...noFacts, ...file.facts },
    batch: file.batch ?? null,
    ...timeOfRecording(file.recordedAt ?? null, choices),
    temperatureUnit: known,
    timeUnit: { value: 's', source: 'file' },
    warnings: [
      ...(file.warnings ?? []),
      ...(known.source === 'guess'
        ? ['The bean temperatures are too high for °C, so they were read as °F. Check them.']
        : []),
      ...(unordered > 0 ? [`Time runs backwards or stands still at ${unordered} samples: skipped.`] : []),
    ],
  };
};

/** How far the reading falls within a minute of the drop, °C or °F: the probe is in air then. */
const minFall = 12;
const fallSeconds = 60;
const earliestDropSeconds = 90;

/**
 * The drop in a recording that begins with the charge and names no drop: the last of the hottest readings before a
 * steep fall, else the last sample.
 */
export const dropOf = (timesSeconds: readonly number[], bean: readonly Reading[]): number | undefined => {
  const first = timesSeconds[0];
  const last = timesSeconds.at(-1);
  if (first === undefined || last === undefined) return undefined;
  let top: { at: number; value: number } | undefined;
  for (const [index, time] of timesSeconds.entries()) {
    const value = bean[index] ?? null;
    if (value === null || time - first < earliestDropSeconds) continue;
    if (top === undefined || value >= top.value) top = { at: time, value };
    else if (top.value - value >= minFall && time - top.at <= fallSeconds) return top.at;
  }
  return last;
};
