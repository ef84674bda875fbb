import type { UploadChoices } from '@roastery/contract/imports';
import {
  AlogError,
  type AlogWarning,
  type ArtisanRoast,
  artisanRoastIn,
  parseAlog,
} from '@roastery/roasting/artisan/alog';
import type { Dictionary } from '@roastery/roasting/artisan/alog-fields';
import { markOf } from '@roastery/roasting/marks';
import type { Reading } from '@roastery/roasting/curves/series';
import { cToF, formatDuration, fToC, type TemperatureUnit } from '@roastery/roasting/units';
import { headOf, textOf } from '../file-content.ts';
import {
  type ImportedBatch,
  type ImportedChannel,
  type ImportedRoast,
  type KnownUnit,
  noFacts,
  refusedFile,
  refuseStandingTimes,
  timeOfRecording,
} from '../imported-roast.ts';
import { type FileMoment, standardOffsetMs } from '../moments.ts';
import { guessTemperatureUnit } from '../read-table.ts';
import type { RoastFileFormat } from '../roast-file-format.ts';
import { readRecord, type RoastRecord } from '../roast-record.ts';
import { alogChannelColumns } from './artisan-channels.ts';

const parse = (read: () => ArtisanRoast): ArtisanRoast => {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof AlogError)) throw error;
    if (error.code === 'too_large') throw refusedFile('The file is too large.');
    if (error.code === 'not_a_roast') throw refusedFile('This is not an Artisan roast: it has no times.');
    throw refusedFile('This is not an Artisan file, or it is damaged.');
  }
};

const sentences: Record<AlogWarning, string | undefined> = {
  no_readings: undefined,
  unit_missing: undefined,
  marks_missing: 'The file has no marks.',
  mark_out_of_range: 'A mark outside the recording was skipped.',
  time_ran_backwards: 'Time runs backwards in the file; samples that can’t be placed were skipped.',
  series_of_unequal_length: 'A curve of the file is shorter than its times; the rest of it is missing.',
};

/** Artisan's default title of a roast. */
const untitled = new Set(['Roaster Scope', '烘焙記錄儀', '烘焙记录仪']);

/** `Guji, washed\nlot 12` → `Guji, washed`: the first line names the coffee. */
const coffeeNameOf = ({ title, beans }: ArtisanRoast): string | null => {
  if (title !== null && !untitled.has(title)) return title.slice(0, 200);
  return beans?.split('\n')[0]?.trim().slice(0, 200) || null;
};

/** `2:05 Turn on cooler`, one line each, on the axis of the roast if its charge is known. */
export const eventLines = ({ eventNotes, marks }: ArtisanRoast): string | null => {
  const charge = markOf(marks, 'charge')?.timeSeconds ?? 0;
  return (
    eventNotes.map(({ timeSeconds, text }) => `${formatDuration(timeSeconds - charge)} ${text}`).join('\n') || null
  );
};

const notesOf = (roast: ArtisanRoast, coffeeName: string | null): string | null => {
  const { beans, roastingNotes, cuppingNotes } = roast;
  const texts = [beans === coffeeName ? null : beans, roastingNotes, cuppingNotes, eventLines(roast)];
  return texts.filter((text) => text !== null).join('\n\n') || null;
};

const batchOf = ({ batchPrefix, batchNumber }: ArtisanRoast): ImportedBatch | null =>
  batchNumber === null || !(batchNumber > 0)
    ? null
    : { prefix: batchPrefix?.slice(0, 40) ?? '', number: Math.floor(batchNumber) };

const unitOf = (roast: ArtisanRoast, chosen: TemperatureUnit | undefined): KnownUnit<TemperatureUnit> => {
  if (chosen !== undefined) return { value: chosen, source: 'person' };
  if (!roast.warnings.includes('unit_missing')) return { value: roast.recordedIn, source: 'file' };
  return { value: guessTemperatureUnit(roast.beanTempC), source: 'guess' };
};

/** The parser has read °C according to the file's `mode`; another unit means that the numbers are something else. */
const reread = (readAs: TemperatureUnit, unit: TemperatureUnit) =>
  readAs === unit
    ? (tempC: Reading) => tempC
    : (tempC: Reading) => (tempC === null ? null : unit === 'F' ? fToC(tempC) : cToF(tempC));

/**
 * The keys of an Artisan file, as `.alog` and JSON have them. Throws `validation` with a sentence if they hold no
 * roast.
 */
export const readArtisanRoast = (file: Dictionary, choices: UploadChoices): ImportedRoast =>
  importedRoast(
    parse(() => artisanRoastIn(file)),
    choices,
  );

/** Artisan's `.alog`: one Python dictionary, as `repr()` writes it. */
export const artisan: RoastFileFormat = {
  format: 'alog',
  recognise: (bytes) => {
    const [, quote] = /^\s*\{\s*(['}"]?)/.exec(headOf(bytes).replace(/^\uFEFF/, '')) ?? [];
    // Python's `repr()` writes single quotes; in double ones it is JSON, or a literal by other means.
    return quote === undefined ? 'no' : quote === "'" ? 'certain' : 'possible';
  },
  read: (bytes, choices) =>
    importedRoast(
      parse(() => parseAlog(textOf(bytes) ?? '')),
      choices,
    ),
};

const importedRoast = (roast: ArtisanRoast, choices: UploadChoices): ImportedRoast => {
  refuseStandingTimes(roast.writtenTimes);
  const unit = unitOf(roast, choices.temperature_unit);
  const temp = reread(roast.recordedIn, unit.value);
  const record = readRecord(roast.record);
  const bean: ImportedChannel = { name: 'bean_temp', label: 'BT', unit: '°C', values: roast.beanTempC.map(temp) };
  const exhaust: ImportedChannel = {
    name: 'exhaust_temp',
    label: 'ET',
    unit: '°C',
    values: roast.exhaustTempC.map(temp),
  };
  const extra = record?.channels
    ? recordedChannels(roast, record.channels)
    : alogChannelColumns(roast, unit.value === 'F' ? (raw) => (raw === null ? null : fToC(raw)) : (raw) => raw);
  const coffeeName = coffeeNameOf(roast);
  return {
    timesSeconds: roast.timesSeconds,
    channels: [bean, ...(exhaust.values.some((value) => value !== null) ? [exhaust] : []), ...extra],
    marks: record?.marks ?? roast.marks.map((mark) => ({ ...mark, tempC: temp(mark.tempC) })),
    facts: record?.facts ?? {
      ...noFacts,
      coffee_name: coffeeName,
      machine_name: roast.machine?.slice(0, 120) ?? null,
      roasted_by: roast.operator?.slice(0, 120) ?? null,
      batch_size_kg: roast.greenKg,
      end_weight_kg: roast.roastedKg,
      color: roast.color,
      notes: notesOf(roast, coffeeName)?.slice(0, 10_000) ?? null,
    },
    batch: batchOf(roast),
    sourceId: roast.uuid?.slice(0, 80) || null,
    ...timeOfRecording(recordedAt(roast, record, choices), choices),
    temperatureUnit: unit,
    timeUnit: { value: 's', source: 'file' },
    // Artisan's canvas: `charge_offset` is 0 while `timeindex[0]` is -1, so START is its zero.
    countsFromStart: true,
    warnings: [
      ...roast.warnings.flatMap((warning) => sentences[warning] ?? []),
      ...lossWarnings(roast.greenKg, roast.roastedKg),
    ],
  };
};

/**
 * A date with the offset of its zone's standard time: in summer the clock was ahead of it, by the rules of the roastery's
 * zone if that has this offset.
 */
const recordedAt = (
  { roastedAt, roastedOnClock: clock }: ArtisanRoast,
  record: RoastRecord | undefined,
  { time_zone: timeZone = 'UTC' }: UploadChoices,
): FileMoment | null => {
  if (record !== undefined) return { ms: record.recordedAtMs, isLocal: false };
  if (roastedAt === null) return null;
  const isInZone =
    clock !== null &&
    (clock.standardOffsetMs === null || clock.standardOffsetMs === standardOffsetMs(clock.ms, timeZone));
  return isInZone ? { ms: clock.ms, isLocal: true } : { ms: Date.parse(roastedAt), isLocal: false };
};

/** Our own files name their channels explicitly; the curves are in the same order. */
const recordedChannels = (roast: ArtisanRoast, channels: NonNullable<RoastRecord['channels']>): ImportedChannel[] =>
  channels.flatMap((channel, place) => {
    const curve = roast.channels.find(({ name }) => name === channel.label) ?? roast.channels[place];
    return curve === undefined ? [] : [{ ...channel, values: curve.values }];
  });

const lossWarnings = (greenKg: number | null, roastedKg: number | null): string[] =>
  greenKg !== null && roastedKg !== null && (roastedKg > greenKg || roastedKg < greenKg * 0.6)
    ? ['The weights in the file are unlikely: a roast loses 10 to 25 % of its weight.']
    : [];
