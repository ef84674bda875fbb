import { guessTimeUnit, perSecond, type TimeUnit } from '@roastery/roasting/units';
import type { SheetCell } from '../../sheets/read-workbook.ts';
import type { KnownUnit } from './imported-roast.ts';
import { type FileMoment, instantOf, momentInCell } from './moments.ts';
import { numberIn, textIn, timeIn } from './table-cells.ts';
import type { TableColumn, TableRow } from './table-layout.ts';

/** The times of the rows of a table. */
export interface TableTimes {
  /** One for each row; null without a time. */
  readonly seconds: readonly (number | null)[];
  readonly unit: KnownUnit<TimeUnit>;
  /** Of second 0, where a column states it. */
  readonly recordedAt: FileMoment | null;
}

interface TimeColumn extends TableTimes {
  /** A clock on the wall may be set while the beans roast, and shows nothing of the time of the roast. */
  readonly isWallClock: boolean;
  /** A date without a clock. */
  readonly day: FileMoment | null;
}

const dayS = 86_400;
const halfDayS = dayS / 2;
/** An elapsed time does not begin after this; a clock on the wall does. */
const latestStartS = 3600;
const inFile: KnownUnit<TimeUnit> = { value: 's', source: 'file' };

const isSome = <Value>(value: Value | null): value is Value => value !== null;
const firstOf = <Value>(values: readonly (Value | null)[]): Value | null => values.find(isSome) ?? null;

/** `America/Los_Angeles` in the head of a column. */
const zoneIn = (head: string): string | undefined => /\b[A-Z][A-Za-z]+\/[A-Za-z_]+(?:\/[A-Za-z_]+)?\b/.exec(head)?.[0];

const mayBeDate = (cell: SheetCell): boolean => typeof cell === 'string' || cell instanceof Date;

/** Dates with a clock. The order of an ambiguous date is the one in which the rows are closer together. */
const momentColumn = (cells: readonly SheetCell[], head: string): TimeColumn | undefined => {
  const read = (['dmy', 'mdy'] as const).map((order) =>
    cells.map((cell) => (mayBeDate(cell) && timeIn(cell) === null ? momentInCell(cell, order) : null)),
  );
  const spanOf = (moments: readonly (FileMoment | null)[]) =>
    Math.abs((moments.findLast(isSome)?.ms ?? 0) - (firstOf(moments)?.ms ?? 0));
  const [moments = []] = read.toSorted((a, b) => spanOf(a) - spanOf(b));
  const found = moments.filter(isSome);
  const filled = cells.filter((cell) => textIn(cell) !== '').length;
  const [first] = found;
  if (first === undefined || found.length * 2 < filled) return undefined;
  const zone = zoneIn(head);
  const named = zone === undefined ? first : { ms: instantOf(first, zone), isLocal: false };
  const none = cells.map(() => null);
  if (found.every(({ ms }) => ms === first.ms)) {
    return { seconds: none, unit: inFile, recordedAt: null, isWallClock: true, day: named };
  }
  const seconds = moments.map((moment) => (moment === null ? null : (moment.ms - first.ms) / 1000));
  return { seconds, unit: inFile, recordedAt: named, isWallClock: true, day: null };
};

/** Since 2000; numbers of seconds, milliseconds and microseconds since 1970 do not overlap. */
const unixPerSecond = (value: number): number | undefined =>
  [1, 1e3, 1e6].find((units) => value >= 946_684_800 * units && value < 4_102_444_800 * units);

const unixColumn = (cells: readonly SheetCell[]): TimeColumn | undefined => {
  const numbers = cells.map((cell) => (cell instanceof Date ? null : numberIn(cell)));
  const first = firstOf(numbers) ?? 0;
  const units = unixPerSecond(first);
  if (units === undefined) return undefined;
  return {
    seconds: numbers.map((value) => (value === null ? null : (value - first) / units)),
    unit: inFile,
    recordedAt: { ms: Math.round((first / units) * 1000), isLocal: false },
    isWallClock: true,
    day: null,
  };
};

/** `1:10:29 PM` as seconds of its day. */
const halfDayClock = (cell: SheetCell): number | null => {
  const found = /^(\d{1,2}):(\d{2})(?::(\d{2}(?:[.,]\d{1,6})?))?\s*([AP])\.?M\.?$/i.exec(textIn(cell).slice(0, 40));
  if (found === null) return null;
  const [, hour, minute, second = '0', half] = found;
  const of12 = (Number(hour) % 12) + (half?.toUpperCase() === 'P' ? 12 : 0);
  return of12 * 3600 + Number(minute) * 60 + Number(second.replace(',', '.'));
};

/** Seconds of a clock that begins again at midnight, counted on. */
const overMidnight = (clock: readonly (number | null)[]): (number | null)[] => {
  let days = 0;
  let before: number | null = null;
  return clock.map((value) => {
    if (value === null) return null;
    if (before !== null && before - value > halfDayS) days += 1;
    before = value;
    return value + days * dayS;
  });
};

/** Artisan rounds 59.6 s to `00:60`; where `01:00` follows, that row is between the two seconds. */
const betweenSeconds = (cells: readonly SheetCell[], seconds: readonly (number | null)[]): (number | null)[] =>
  seconds.map((value, index) => {
    const before = seconds[index - 1] ?? null;
    const isDouble = value !== null && value === seconds[index + 1] && textIn(cells[index]).endsWith(':60');
    return isDouble && before !== null && before < value ? (before + value) / 2 : value;
  });

const clockColumn = (cells: readonly SheetCell[]): TimeColumn | undefined => {
  const halves = cells.map(halfDayClock);
  const hasHalves = halves.some(isSome);
  const times = cells.map(timeIn);
  if (!hasHalves && !times.some((time) => time?.isClock === true)) return undefined;
  const shown = hasHalves ? halves : times.map((time) => time?.value ?? null);
  const first = firstOf(shown) ?? 0;
  const counted = overMidnight(shown);
  // `23:55:00`; `23:55` are minutes and seconds.
  const hasHours =
    hasHalves || cells.some((cell) => cell instanceof Date || /^\s*\d{1,2}:\d{2}:\d{2}/.test(textIn(cell)));
  const isWallClock =
    hasHalves || (hasHours && (first >= latestStartS || counted.some((value, at) => value !== shown[at])));
  return {
    seconds: isWallClock
      ? counted.map((value) => (value === null ? null : value - first))
      : betweenSeconds(cells, shown),
    unit: inFile,
    recordedAt: null,
    isWallClock,
    day: null,
  };
};

const numberColumn = (
  cells: readonly SheetCell[],
  stated: TimeUnit | undefined,
  chosen: TimeUnit | undefined,
): TimeColumn => {
  const numbers = cells.map((cell) => timeIn(cell)?.value ?? null);
  const unit: KnownUnit<TimeUnit> =
    chosen !== undefined
      ? { value: chosen, source: 'person' }
      : stated !== undefined
        ? { value: stated, source: 'file' }
        : { value: guessTimeUnit(numbers.findLast(isSome) ?? 0), source: 'guess' };
  const seconds = numbers.map((value) => (value === null ? null : value / perSecond[unit.value]));
  return { seconds, unit, recordedAt: null, isWallClock: false, day: null };
};

const doesRise = ({ seconds }: TimeColumn): boolean => {
  const known = seconds.filter(isSome);
  return known.length > 1 && known.every((value, index) => index === 0 || value >= (known[index - 1] ?? 0));
};

/** Seconds of the day of the first cell with a clock. */
const clockOf = (cells: readonly SheetCell[]): number =>
  firstOf(cells.map((cell) => halfDayClock(cell) ?? timeIn(cell)?.value ?? null)) ?? 0;

/**
 * The times of a table with one or more columns of time: of an elapsed time, of a clock, or of dates. An elapsed time counts
 * before a clock, which may be set during a roast, unless it begins again within the table.
 */
export const timesOf = (
  rows: readonly TableRow[],
  columns: readonly TableColumn[],
  chosen: TimeUnit | undefined,
): TableTimes => {
  const read = columns.map(({ place, head, timeUnit }) => {
    const cells = rows.map((row) => row[place] ?? null);
    const column =
      momentColumn(cells, head) ?? unixColumn(cells) ?? clockColumn(cells) ?? numberColumn(cells, timeUnit, chosen);
    return { ...column, cells };
  });
  const elapsed = read.filter(({ isWallClock }) => !isWallClock);
  const walls = read.filter(({ isWallClock, day }) => isWallClock && day === null);
  const counts = elapsed.find(doesRise) ?? walls[0] ?? elapsed[0];
  if (counts === undefined) return { seconds: rows.map(() => null), unit: inFile, recordedAt: null };
  const dated = read.find(({ recordedAt }) => recordedAt !== null);
  const day = read.find((column) => column.day !== null)?.day;
  const [clock] = walls;
  const stated =
    dated?.recordedAt ?? (day && clock ? { ...day, ms: day.ms + Math.round(clockOf(clock.cells) * 1000) } : null);
  const stater = dated ?? clock;
  // The clock's first row need not be second 0 of the elapsed time.
  const at = stater?.seconds.findIndex(isSome) ?? 0;
  const offset = stater === counts ? 0 : (counts.seconds[at] ?? 0);
  const recordedAt = stated === null ? null : { ...stated, ms: stated.ms - Math.round(offset * 1000) };
  return { seconds: counts.seconds, unit: counts.unit, recordedAt };
};
