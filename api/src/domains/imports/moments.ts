import { localClock } from '../../format/format.ts';
import type { SheetCell } from '../../sheets/read-workbook.ts';

/**
 * A time as a file states it, ms since 1970. Local: what a clock showed, as if it were UTC. The file does not name its zone.
 */
export interface FileMoment {
  readonly ms: number;
  readonly isLocal: boolean;
}

const dayMs = 86_400_000;

const clocks = new Map<string, (instant: Date) => number>();
/** The clock of a zone at an instant, as if it were UTC. Formats are expensive to create. */
const shownAt = (instantMs: number, timeZone: string): number => {
  const clock = clocks.get(timeZone) ?? localClock(timeZone);
  clocks.set(timeZone, clock);
  return clock(new Date(instantMs)) + (((instantMs % 1000) + 1000) % 1000);
};

/**
 * The instant of a time in a file; a local one belongs to this zone. Where clocks were set back and it occurs twice, the
 * earlier one; where they were set forward and it does not occur, an hour later on the clock.
 */
export const instantOf = ({ ms, isLocal }: FileMoment, timeZone: string): number => {
  if (!isLocal || Number.isNaN(new Date(ms).getTime())) return ms;
  // The zone's offset from UTC is that of a nearby time; on the day of a change there are two to try.
  const candidates = [ms - dayMs, ms + dayMs].map((near) => ms - (shownAt(near, timeZone) - near));
  const exact = candidates.filter((candidate) => shownAt(candidate, timeZone) === ms);
  return exact.length > 0 ? Math.min(...exact) : (candidates[0] ?? ms);
};

/** What a zone's clock shows without daylight saving in the year of an instant, less UTC, ms. */
export const standardOffsetMs = (instantMs: number, timeZone: string): number => {
  const year = new Date(instantMs).getUTCFullYear();
  return Math.min(...[0, 6].map((month) => shownAt(Date.UTC(year, month, 1), timeZone) - Date.UTC(year, month, 1)));
};

/** Which figure of an ambiguous date comes first. */
type DateOrder = 'dmy' | 'mdy' | 'ymd';

const dated =
  /^(\d{1,4})([./-])(\d{1,2})\2(\d{1,4})(?:[T,\s]\s*(\d{1,2}):(\d{2})(?::(\d{2})([.,]\d{1,9})?)?\s*(?:([AP])\.?M\.?)?\s*(Z|UTC|GMT|[+-]\d{2}:?(?:\d{2})?)?)?$/i;

/** `+05:30` in ms; `Z` and `UTC` are 0. */
const offsetMs = (zone: string): number => {
  const [, sign, hours, minutes] = /^([+-])(\d{2}):?(\d{2})?$/.exec(zone) ?? [];
  return sign === undefined ? 0 : (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes ?? 0)) * 60_000;
};

const orderOf = (first: string, sign: string, second: string, usual: DateOrder): DateOrder => {
  if (first.length === 4) return 'ymd';
  if (usual === 'ymd' && sign === '-') return 'ymd';
  // A period between day, month and year is not used in any country with the month first.
  if (sign === '.' || Number(first) > 12) return 'dmy';
  if (Number(second) > 12) return 'mdy';
  return usual === 'ymd' ? 'dmy' : usual;
};

/**
 * A date with or without its time, as programs write it in the region of their computer; null for other text.
 * @param usual order of an ambiguous date
 */
export const momentIn = (text: string, usual: DateOrder): FileMoment | null => {
  const found = text.length > 40 ? null : dated.exec(text.trim());
  if (found === null) return null;
  const [, first = '', sign = '', second = '', third = '', hourText = '0', minute = '0', seconds = '0'] = found;
  const [fraction = '0', half, zone] = found.slice(8);
  const order = orderOf(first, sign, second, usual);
  const [yearText, month, day] =
    order === 'ymd' ? [first, second, third] : order === 'dmy' ? [third, second, first] : [third, first, second];
  const year = yearText.length <= 2 ? 2000 + Number(yearText) : Number(yearText);
  const hour = half === undefined ? Number(hourText) : (Number(hourText) % 12) + (half.toUpperCase() === 'P' ? 12 : 0);
  const at = new Date(Date.UTC(year, Number(month) - 1, Number(day), hour, Number(minute), Number(seconds)));
  const isReal =
    at.getUTCMonth() === Number(month) - 1 &&
    at.getUTCDate() === Number(day) &&
    at.getUTCHours() === hour &&
    at.getUTCMinutes() === Number(minute);
  if (!isReal) return null;
  const ms = at.getTime() + Math.floor(Number(fraction.replace(',', '.')) * 1000);
  return { ms: ms - offsetMs(zone ?? ''), isLocal: zone === undefined };
};

/** Midnight of day 0 of a spreadsheet. */
const spreadsheetZero = Date.UTC(1899, 11, 30);

/** The same for a cell of a workbook: a date, a spreadsheet's day number that lost its format, or a text. */
export const momentInCell = (cell: SheetCell | undefined, usual: DateOrder): FileMoment | null => {
  if (typeof cell === 'string') return momentIn(cell, usual);
  const ms =
    cell instanceof Date ? cell.getTime() : typeof cell === 'number' ? spreadsheetZero + cell * dayMs : Number.NaN;
  // A spreadsheet counts in fractions of a day, which are not exact to the second.
  return ms > 0 ? { ms: Math.round(ms / 1000) * 1000, isLocal: true } : null;
};
