import type { UploadChoices } from '@roastery/contract/imports';
import type { Mark } from '@roastery/roasting/marks';
import { risingIndices, type Reading } from '@roastery/roasting/series';
import type { TimeUnit } from '@roastery/roasting/time-unit';
import { formatDuration, fToC, type TemperatureUnit } from '@roastery/roasting/units';
import { ChannelNames, isPercentage, knownChannel, labelWithoutUnit } from './channel-names.ts';
import { type ImportedChannel, type ImportedRoast, type KnownUnit, refusedFile } from './imported-roast.ts';
import { numberIn, textIn } from './table-cells.ts';
import { findTable, markNamed, type TableLayout, type TableRow } from './table-layout.ts';
import { timesOf, type TableTimes } from './table-times.ts';

export interface TableHints {
  /** As stated in the file outside of the table. */
  readonly temperatureUnit?: TemperatureUnit | undefined;
  /** Texts for -1, which Artisan writes for a missing reading. */
  readonly dropout?: number | undefined;
}

type Curve = Pick<ImportedRoast, 'timesSeconds' | 'channels' | 'marks' | 'temperatureUnit' | 'timeUnit' | 'warnings'> &
  Pick<TableTimes, 'recordedAt'>;

interface TimedRow {
  readonly seconds: number;
  readonly row: TableRow;
}

/** A recording of another length may have times in another unit. */
const usualSeconds = { from: 120, to: 3600 };

const unitNames: Record<TimeUnit, string> = {
  s: 'seconds',
  cs: 'hundredths of a second',
  ms: 'milliseconds',
  min: 'minutes',
  h: 'hours',
};

const unitRemark = (rows: readonly TimedRow[], { value, source }: KnownUnit<TimeUnit>): string[] => {
  const seconds = (rows.at(-1)?.seconds ?? 0) - (rows[0]?.seconds ?? 0);
  if (source !== 'guess' || (seconds >= usualSeconds.from && seconds <= usualSeconds.to)) return [];
  return [
    `Times were read as ${unitNames[value]}: the recording lasts ${formatDuration(seconds)}. Choose another unit of time if that is wrong.`,
  ];
};

/**
 * Rows in seconds, rising. Rows whose time is not a number, or negative, are dropped, as the product document says.
 */
const timedRows = (rows: readonly TableRow[], layout: TableLayout, chosen: TimeUnit | undefined) => {
  const columns = layout.columns.filter(({ use }) => use === 'time');
  const { seconds, unit, recordedAt } = timesOf(rows, columns, chosen);
  const timed = rows.flatMap((row, index): TimedRow[] => {
    const time = seconds[index] ?? null;
    return time === null || time < 0 ? [] : [{ seconds: time, row }];
  });
  const kept = risingIndices(timed.map((one) => one.seconds)).flatMap((index) => timed[index] ?? []);
  const dropped = rows.filter((row) => row.some((cell) => textIn(cell) !== '')).length - timed.length;
  return { kept, unit, recordedAt, dropped, unordered: timed.length - kept.length };
};

const channelsOf = (rows: readonly TimedRow[], layout: TableLayout, { dropout }: TableHints): ImportedChannel[] => {
  const names = new ChannelNames();
  return layout.columns.flatMap(({ place: column, head, use }) => {
    if (use !== 'channel') return [];
    const values = rows.map(({ row }): Reading => {
      const number = numberIn(row[column]);
      return number === dropout ? null : number;
    });
    if (values.every((value) => value === null)) return [];
    const known = knownChannel(head);
    const place = names.size + 1;
    const fits = known !== undefined && (known.unit !== '%' || isPercentage(values)) && names.take(known.channel);
    const name = fits ? known.channel : names.takeOwn(labelWithoutUnit(head.trim()), place);
    const unit = fits ? known.unit : /°/.test(head) ? '°C' : /%/.test(head) ? '%' : '';
    return [{ name, label: head.trim().slice(0, 80), unit, values }];
  });
};

const marksOf = (rows: readonly TimedRow[], layout: TableLayout, bean: readonly Reading[]): Mark[] => {
  const place = layout.columns.find(({ use }) => use === 'event')?.place;
  if (place === undefined) return [];
  return rows.flatMap(({ seconds, row }, index) =>
    textIn(row[place])
      .split(/[;,/]/)
      .flatMap((text) => {
        const kind = markNamed(text);
        if (kind === undefined) return [];
        const tempC = bean[index] ?? null;
        return [{ kind, timeSeconds: seconds, tempC, origin: 'person' as const, confidence: 1, provisional: false }];
      }),
  );
};

const counted = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;

/** A table of readings, one row per sample. Throws `validation` with a sentence if there is none. */
export const readTable = (rows: readonly TableRow[], choices: UploadChoices, hints: TableHints = {}): Curve => {
  const layout = findTable(rows);
  if (layout === undefined) {
    throw refusedFile(
      'No table of readings was found. A header row must name a time column and a bean temperature column (BT).',
    );
  }
  const timed = timedRows(rows.slice(layout.headRow + 1), layout, choices.time_unit);
  const raw = channelsOf(timed.kept, layout, hints);
  const beanRaw = raw.find(({ name }) => name === 'bean_temp')?.values ?? [];
  const stated = hints.temperatureUnit ?? layout.temperatureUnit;
  const unit: KnownUnit<TemperatureUnit> =
    choices.temperature_unit !== undefined
      ? { value: choices.temperature_unit, source: 'person' }
      : stated !== undefined
        ? { value: stated, source: 'file' }
        : { value: guessTemperatureUnit(beanRaw), source: 'guess' };
  const channels = raw.map((channel) =>
    channel.unit === '°C' && unit.value === 'F'
      ? { ...channel, values: channel.values.map((value) => (value === null ? null : fToC(value))) }
      : channel,
  );
  const bean = channels.find(({ name }) => name === 'bean_temp')?.values ?? [];
  return {
    timesSeconds: timed.kept.map(({ seconds }) => seconds),
    channels,
    marks: marksOf(timed.kept, layout, bean),
    temperatureUnit: unit,
    timeUnit: timed.unit,
    recordedAt: timed.recordedAt,
    warnings: [
      ...unitRemark(timed.kept, timed.unit),
      ...(timed.dropped > 0 ? [`${counted(timed.dropped, 'row', 'rows')} without a roast time: skipped.`] : []),
      ...(timed.unordered > 0
        ? [`Time runs backwards or stands still at ${counted(timed.unordered, 'row', 'rows')}: skipped.`]
        : []),
    ],
  };
};

/** No beans are hotter than this in °C, and none are dropped below it in °F. */
const betweenBoth = 270;

/** Of the readings: a probe that was unplugged briefly does not change the guess. */
const minShare = 0.05;

/** °C or °F, guessed from how hot the beans are. Show the choice and let a person change it. */
export const guessTemperatureUnit = (beanTemps: readonly Reading[]): TemperatureUnit => {
  const readings = beanTemps.filter((temp) => temp !== null);
  const hot = readings.filter((temp) => temp > betweenBoth).length;
  return hot > 0 && hot >= readings.length * minShare ? 'F' : 'C';
};
