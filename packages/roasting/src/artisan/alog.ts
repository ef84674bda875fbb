import { risingIndices } from '../curves/series.ts';
import { alogChannels, type AlogChannel } from './alog-channels.ts';
import { controlStepsOf, eventNamesOf, notesInEvents, type AlogNote, type ControlSteps } from './alog-controls.ts';
import { numberOf, numbersOf, textOf, valuesOf, type Dictionary } from './alog-fields.ts';
import type { Mark, MarkKind } from '../marks.ts';
import { LiteralError, type LiteralOptions, parsePythonLiteral, type PythonValue } from './python-literal.ts';
import type { Reading } from '../curves/series.ts';
import { fToC, parseMassUnit, toKg, type TemperatureUnit } from '../units.ts';

export type AlogErrorCode = 'too_large' | 'not_a_literal' | 'not_a_roast';

/** The text is not an Artisan roast file. */
export class AlogError extends Error {
  readonly code: AlogErrorCode;
  constructor(code: AlogErrorCode, message: string) {
    super(message);
    this.name = 'AlogError';
    this.code = code;
  }
}

/** Assumptions and omissions of the reader; show them to the person who imports the file. */
export type AlogWarning =
  | 'no_readings'
  | 'unit_missing'
  | 'marks_missing'
  | 'mark_out_of_range'
  | 'time_ran_backwards'
  | 'series_of_unequal_length';

/** A roast as an Artisan file stores it: °C, kg, seconds since the recording began. */
export interface ArtisanRoast {
  readonly timesSeconds: readonly number[];
  /** All times as the file has them, also those that do not rise. */
  readonly writtenTimes: readonly number[];
  readonly beanTempC: readonly Reading[];
  readonly exhaustTempC: readonly Reading[];
  readonly marks: readonly Mark[];
  readonly channels: readonly AlogChannel[];
  readonly controls: ControlSteps;
  /** The file's names for the four controls, in the order of `controlNames`: type 0 is not always air. */
  readonly controlLabels: readonly string[];
  /** Notes with a time, in the order of the file. */
  readonly eventNotes: readonly AlogNote[];
  readonly title: string | null;
  readonly beans: string | null;
  readonly machine: string | null;
  readonly operator: string | null;
  readonly roastingNotes: string | null;
  readonly cuppingNotes: string | null;
  /** Color of the ground coffee, else of the whole bean, on the roastery's own scale. */
  readonly color: number | null;
  readonly greenKg: number | null;
  readonly roastedKg: number | null;
  /** ISO 8601, UTC. */
  readonly roastedAt: string | null;
  /** Of a file without `roastepoch`: its own date, as if it were UTC, and its zone's offset in winter, where it has one. */
  readonly roastedOnClock: { readonly ms: number; readonly standardOffsetMs: number | null } | null;
  readonly batchNumber: number | null;
  readonly batchPrefix: string | null;
  readonly uuid: string | null;
  /** The unit the file was recorded in. */
  readonly recordedIn: TemperatureUnit;
  readonly artisanVersion: string | null;
  /** The data that `writeAlog` stores beside Artisan's own keys; undefined in every other file. */
  readonly record: PythonValue | undefined;
  readonly warnings: readonly AlogWarning[];
}

/** Artisan ignores keys that it does not know, so this key of ours holds data that the format has no place for. */
export const recordKey = 'roastery_record';

/** The mark kinds in the order of `timeindex`. */
export const timeindexKinds: readonly MarkKind[] = [
  'charge',
  'dry_end',
  'first_crack',
  'first_crack_end',
  'second_crack',
  'second_crack_end',
  'drop',
  'cool_end',
];

/**
 * Reads an Artisan `.alog` file: the `repr()` of one Python dictionary. It is parsed as a literal and never evaluated.
 * Dropouts (-1) become null, °F becomes °C, and samples at which time runs backwards are left out (the longest run of
 * rising times stays). A file without readings is a valid, empty roast with a warning.
 * @throws {AlogError} `too_large`, `not_a_literal` (damaged or another format), `not_a_roast` (a literal, but without
 * Artisan's `timex`)
 */
export function parseAlog(text: string, options: { maxLength?: number } = {}): ArtisanRoast {
  return artisanRoastIn(readDictionary(text, options));
}

/**
 * The roast in the keys of an Artisan file, as `.alog` and its JSON export have them.
 * @throws {AlogError} `not_a_roast` without `timex`
 */
export function artisanRoastIn(file: Dictionary): ArtisanRoast {
  const warnings = new Set<AlogWarning>();
  if (!Array.isArray(file.get('timex')))
    throw new AlogError('not_a_roast', 'The file holds no roast: timex is missing');

  const mode = textOf(file, 'mode');
  const recordedIn: TemperatureUnit = mode?.toUpperCase() === 'F' ? 'F' : 'C';
  if (mode === null) warnings.add('unit_missing');

  const rawTimes = numbersOf(file, 'timex');
  const kept = risingIndices(rawTimes);
  if (kept.length < rawTimes.length) warnings.add('time_ran_backwards');
  const timesSeconds = kept.map((index) => rawTimes[index] ?? 0);
  const temperatures = (key: string): Reading[] => {
    const raw = numbersOf(file, key);
    if (raw.length !== rawTimes.length) warnings.add('series_of_unequal_length');
    return kept.map((index) => temperatureC(raw[index], recordedIn));
  };
  const beanTempC = temperatures('temp2');
  const exhaustTempC = temperatures('temp1');
  if (beanTempC.every((temp) => temp === null)) warnings.add('no_readings');

  const eventNames = eventNamesOf(file);
  const weight = valuesOf(file, 'weight');
  return {
    timesSeconds,
    writtenTimes: rawTimes,
    beanTempC,
    exhaustTempC,
    marks: marksOf(file, kept, timesSeconds, beanTempC, warnings),
    channels: alogChannels(file, eventNames),
    controls: controlStepsOf(file, rawTimes),
    controlLabels: eventNames,
    eventNotes: notesInEvents(file, rawTimes),
    title: textOf(file, 'title'),
    beans: textOf(file, 'beans'),
    machine: textOf(file, 'roastertype'),
    operator: textOf(file, 'operator'),
    roastingNotes: textOf(file, 'roastingnotes'),
    cuppingNotes: textOf(file, 'cuppingnotes'),
    color: numberOf(file, 'ground_color') || numberOf(file, 'whole_color') || null,
    greenKg: weightKg(weight[0], weight[2]),
    roastedKg: weightKg(weight[1], weight[2]),
    roastedAt: roastedAtOf(file),
    roastedOnClock: roastedOnClockOf(file),
    batchNumber: numberOf(file, 'roastbatchnr') || null,
    batchPrefix: textOf(file, 'roastbatchprefix'),
    uuid: textOf(file, 'roastUUID'),
    recordedIn,
    artisanVersion: textOf(file, 'version'),
    record: file.get(recordKey),
    warnings: [...warnings],
  };
}

/**
 * The keys of an Artisan `.alog` file.
 * @throws {AlogError} `too_large`, `not_a_literal`, `not_a_roast`
 */
export function readDictionary(text: string, options: LiteralOptions = {}): Dictionary {
  try {
    const value = parsePythonLiteral(text, options);
    if (value instanceof Map) return value;
  } catch (error) {
    if (!(error instanceof LiteralError)) throw error;
    if (error.code === 'too_large') throw new AlogError('too_large', 'The file is larger than is read');
    throw new AlogError('not_a_literal', `The file is damaged or no Artisan roast: ${error.message}`);
  }
  throw new AlogError('not_a_roast', 'The file holds no roast: it is not a dictionary');
}

/** Artisan writes -1 for a missing reading; that and anything that is not a number counts as missing. */
function temperatureC(raw: number | undefined, recordedIn: TemperatureUnit): Reading {
  if (raw === undefined || raw === -1 || !Number.isFinite(raw)) return null;
  return recordedIn === 'F' ? fToC(raw) : raw;
}

function marksOf(
  file: Dictionary,
  kept: readonly number[],
  timesSeconds: readonly number[],
  beanTempC: readonly Reading[],
  warnings: Set<AlogWarning>,
): Mark[] {
  const timeindex = numbersOf(file, 'timeindex');
  if (timeindex.length === 0) warnings.add('marks_missing');
  const marks: Mark[] = [];
  for (const [slot, kind] of timeindexKinds.entries()) {
    const index = timeindex[slot];
    // Charge may be on the first sample; for the other marks an index of 0 means unset.
    if (index === undefined || index < (kind === 'charge' ? 0 : 1)) continue;
    const at = kept.indexOf(index);
    const timeSeconds = timesSeconds[at];
    if (timeSeconds === undefined) {
      warnings.add('mark_out_of_range');
      continue;
    }
    const tempC = beanTempC[at] ?? null;
    marks.push({ kind, timeSeconds, tempC, origin: 'person', confidence: 1, provisional: false });
  }
  return marks;
}

function weightKg(value: unknown, unit: unknown): number | null {
  if (typeof value !== 'number' || !(value > 0) || !Number.isFinite(value) || typeof unit !== 'string') return null;
  const known = parseMassUnit(unit);
  return known === null ? null : toKg(value, known);
}

const shortMonths = 'JanFebMarAprMayJunJulAugSepOctNovDec';

/** `2013-03-30`, or `Sat Mar 30 2013` in the oldest versions. */
function localDayOf(file: Dictionary): string | null {
  const iso = /^\d{4}-\d{2}-\d{2}$/.exec(textOf(file, 'roastisodate') ?? '');
  if (iso !== null) return iso[0];
  const [, month = '', day = '', year] =
    /^\w{3} (\w{3}) (\d{1,2}) (\d{4})$/.exec(textOf(file, 'roastdate') ?? '') ?? [];
  const place = shortMonths.indexOf(month);
  if (year === undefined || place < 0 || place % 3 !== 0) return null;
  return `${year}-${String(place / 3 + 1).padStart(2, '0')}-${day.padStart(2, '0')}`;
}

/** The date on the clock of the computer, as if it were UTC, ms since 1970; NaN without a date. */
function localMsOf(file: Dictionary): number {
  const [time] = /^\d{2}:\d{2}(?::\d{2})?$/.exec(textOf(file, 'roasttime') ?? '') ?? ['00:00'];
  return Date.parse(`${localDayOf(file)}T${time}Z`);
}

/**
 * What a file's local time lacks to UTC, s. `roasttzoffset` is that of the zone's standard time, in summer too: the true
 * one is the difference of the file's own two times, where it has both.
 */
export function secondsToUtc(file: Dictionary): number {
  const epoch = numberOf(file, 'roastepoch') ?? 0;
  const localMs = localMsOf(file);
  return epoch > 0 && Number.isFinite(localMs) ? epoch - localMs / 1000 : (numberOf(file, 'roasttzoffset') ?? 0);
}

/**
 * `roastepoch` is in UTC seconds. Older versions stored a local date with its offset from UTC, or no zone: then as if it
 * were UTC.
 */
function roastedAtOf(file: Dictionary): string | null {
  const epoch = numberOf(file, 'roastepoch') ?? 0;
  const date = new Date(epoch > 0 ? epoch * 1000 : localMsOf(file) + secondsToUtc(file) * 1000);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}

function roastedOnClockOf(file: Dictionary): ArtisanRoast['roastedOnClock'] {
  const ms = localMsOf(file);
  if ((numberOf(file, 'roastepoch') ?? 0) > 0 || Number.isNaN(ms)) return null;
  const lacking = numberOf(file, 'roasttzoffset');
  return { ms, standardOffsetMs: lacking === null ? null : -lacking * 1000 };
}
