import type { ColumnChoice, Upload } from '@roastery/contract/imports';
import type { Mark } from '@roastery/roasting/marks';
import { risingIndices, type Reading } from '@roastery/roasting/curves/series';
import { formatDuration, fToC, type TemperatureUnit, type TimeUnit } from '@roastery/roasting/units';
import { beanProbeOf } from './bean-probe.ts';
import { ChannelNames, isPercentage, labelWithoutUnit } from './channel-names.ts';
import {
  type ImportedChannel,
  type ImportedRoast,
  type KnownUnit,
  type ReadingChoices,
  refusedFile,
  refuseStandingTimes,
} from './imported-roast.ts';
import { markNamed } from './mark-names.ts';
import { numberIn, textIn } from './table-cells.ts';
import { findTable, isComplete, type TableColumn, type TableLayout, type TableRow } from './table-layout.ts';
import { timesOf, type TableTimes } from './table-times.ts';

export interface TableHints {
  /** As stated in the file outside of the table. */
  readonly temperatureUnit?: TemperatureUnit | undefined;
  /** Texts for -1, which Artisan writes for a missing reading. */
  readonly dropout?: number | undefined;
}

type Curve = Pick<
  ImportedRoast,
  'timesSeconds' | 'channels' | 'marks' | 'temperatureUnit' | 'timeUnit' | 'warnings' | 'table'
> &
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
  refuseStandingTimes(timed.map((one) => one.seconds));
  const kept = risingIndices(timed.map((one) => one.seconds)).flatMap((index) => timed[index] ?? []);
  const dropped = rows.filter((row) => row.some((cell) => textIn(cell) !== '')).length - timed.length;
  return { kept, unit, recordedAt, dropped, unordered: timed.length - kept.length };
};

/** A column of the table with its numbers as they are written. */
interface RawChannel extends ImportedChannel {
  readonly temperatureUnit: TemperatureUnit | undefined;
}

const channelsOf = (rows: readonly TimedRow[], layout: TableLayout, { dropout }: TableHints): RawChannel[] => {
  const names = new ChannelNames();
  return layout.columns.flatMap(({ place: column, head, use, channel, unit = '', temperatureUnit }) => {
    if (use !== 'channel') return [];
    const values = rows.map(({ row }): Reading => {
      const number = numberIn(row[column]);
      return number === dropout ? null : number;
    });
    if (values.every((value) => value === null)) return [];
    const place = names.size + 1;
    const fits = channel !== undefined && (unit !== '%' || isPercentage(values)) && names.take(channel);
    const name = fits ? channel : names.takeOwn(labelWithoutUnit(head.trim()), place);
    const shown = fits || unit !== '%' || isPercentage(values) ? unit : '';
    return [{ name, label: head.trim().slice(0, 80), unit: shown, values, temperatureUnit }];
  });
};

const useOf = ({ use, channel }: TableColumn): ColumnChoice['use'] => (use === 'channel' ? (channel ?? 'other') : use);
const unitOf = ({ timeUnit, temperatureUnit, unit }: TableColumn): ColumnChoice['unit'] =>
  timeUnit ?? temperatureUnit ?? (unit === '%' ? '%' : null);
/** Rows in which an example of a column is searched. */
const examinedRows = 50;

/** What a person sees of the columns, to assign them. */
const describedTable = (layout: TableLayout, rows: readonly TableRow[]): NonNullable<Upload['table']> => {
  const examples = (place: number) =>
    rows
      .slice(layout.firstRow, layout.firstRow + examinedRows)
      .map((row) => textIn(row[place]).slice(0, 40))
      .filter((text) => text !== '')
      .slice(0, 3);
  return {
    source: layout.source,
    columns: layout.columns.map((column) => ({
      head: column.head,
      use: useOf(column),
      unit: unitOf(column),
      examples: examples(column.place),
    })),
  };
};

/** A table without times or a bean temperature: a person has to say which columns they are. */
const withoutRoast = (layout: TableLayout, rows: readonly TableRow[]): Curve => ({
  timesSeconds: [],
  channels: [],
  marks: [],
  temperatureUnit: { value: 'C', source: 'guess' },
  timeUnit: { value: 's', source: 'guess' },
  recordedAt: null,
  warnings: [],
  table: describedTable(layout, rows),
});

/** The layout with a bean temperature where only unnamed probes are: the only one, or the one whose curve shows the beans. */
const withBeanProbe = (
  layout: TableLayout,
  rows: readonly TimedRow[],
): { layout: TableLayout; remarks: readonly string[] } => {
  const probes = layout.columns.filter(({ place }) => layout.unnamedProbes.includes(place));
  const isMissing = !layout.columns.some(({ channel }) => channel === 'bean_temp');
  const curves = probes.map(({ place }) => rows.map(({ row }) => numberIn(row[place])));
  const found = isMissing
    ? beanProbeOf(
        rows.map(({ seconds }) => seconds),
        curves,
      )
    : undefined;
  const bean = found === undefined ? undefined : probes[found];
  if (bean === undefined) return { layout, remarks: [] };
  const hasExhaust = layout.columns.some(({ channel }) => channel === 'exhaust_temp');
  const columns = layout.columns.map((column) => {
    if (column === bean) return { ...column, channel: 'bean_temp' as const };
    const isOther = probes.length === 2 && probes.includes(column) && !hasExhaust;
    return isOther ? { ...column, channel: 'exhaust_temp' as const } : column;
  });
  const why = probes.length === 1 ? 'it is the only temperature' : 'its curve falls at the charge as beans do';
  return {
    layout: { ...layout, columns },
    remarks: [`No column is named bean temperature: “${bean.head}” was read as it, since ${why}. Check the curve.`],
  };
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

/**
 * A table of readings, one row per sample. One whose columns have to be assigned first has no samples. Throws `validation` with a
 * sentence if there is no table.
 */
export const readTable = (rows: readonly TableRow[], choices: ReadingChoices, hints: TableHints = {}): Curve => {
  const found = findTable(rows, choices);
  if (found === undefined) {
    throw refusedFile('No table of readings was found: no rows of numbers below each other.');
  }
  if (!found.columns.some(({ use }) => use === 'time')) return withoutRoast(found, rows);
  const timed = timedRows(rows.slice(found.firstRow), found, choices.time_unit);
  const { layout, remarks } = withBeanProbe(found, timed.kept);
  if (!isComplete(layout)) return withoutRoast(layout, rows);
  const raw = channelsOf(timed.kept, layout, hints);
  const beanRaw = raw.find(({ name }) => name === 'bean_temp');
  const stated =
    hints.temperatureUnit ?? beanRaw?.temperatureUnit ?? raw.find((one) => one.temperatureUnit)?.temperatureUnit;
  const unit: KnownUnit<TemperatureUnit> =
    choices.temperature_unit !== undefined
      ? { value: choices.temperature_unit, source: 'person' }
      : stated !== undefined
        ? { value: stated, source: layout.source === 'person' ? 'person' : 'file' }
        : { value: guessTemperatureUnit(beanRaw?.values ?? []), source: 'guess' };
  const channels = raw.map(({ temperatureUnit, ...channel }): ImportedChannel => {
    const written = choices.temperature_unit ?? temperatureUnit ?? unit.value;
    return channel.unit === '°C' && written === 'F'
      ? { ...channel, values: channel.values.map((value) => (value === null ? null : fToC(value))) }
      : channel;
  });
  const bean = channels.find(({ name }) => name === 'bean_temp')?.values ?? [];
  return {
    timesSeconds: timed.kept.map(({ seconds }) => seconds),
    channels,
    marks: marksOf(timed.kept, layout, bean),
    temperatureUnit: unit,
    timeUnit: timed.unit,
    recordedAt: timed.recordedAt,
    table: describedTable(layout, rows),
    warnings: [
      ...remarks,
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
