import type { SheetCell } from '../../sheets/read-workbook.ts';

/** Which figure of an ambiguous date comes first. */
type DateOrder = 'dmy' | 'mdy' | 'ymd';

const dated =
  /^(\d{1,4})([./-])(\d{1,2})\2(\d{1,4})(?:[T,\s]\s*(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?\s*(?:([AP])\.?M\.?)?\s*(?:Z|UTC)?)?$/i;

const orderOf = (first: string, sign: string, second: string, usual: DateOrder): DateOrder => {
  if (first.length === 4) return 'ymd';
  if (usual === 'ymd' && sign === '-') return 'ymd';
  // A period between day, month and year is not used in any country with the month first.
  if (sign === '.' || Number(first) > 12) return 'dmy';
  if (Number(second) > 12) return 'mdy';
  return usual === 'ymd' ? 'dmy' : usual;
};

/**
 * A date with or without its time, as programs write it in the region of their computer, as ms since 1970; null for
 * other text. Without a zone it is taken as UTC, and shown so that it can be corrected.
 * @param usual order of an ambiguous date
 */
export const momentIn = (text: string, usual: DateOrder): number | null => {
  const found = text.length > 40 ? null : dated.exec(text.trim());
  if (found === null) return null;
  const [, first = '', sign = '', second = '', third = '', hourText = '0', minute = '0', seconds = '0', half] = found;
  const order = orderOf(first, sign, second, usual);
  const [yearText, month, day] =
    order === 'ymd' ? [first, second, third] : order === 'dmy' ? [third, second, first] : [third, first, second];
  const year = yearText.length <= 2 ? 2000 + Number(yearText) : Number(yearText);
  const hour = half === undefined ? Number(hourText) : (Number(hourText) % 12) + (half.toUpperCase() === 'P' ? 12 : 0);
  const at = new Date(Date.UTC(year, Number(month) - 1, Number(day), hour, Number(minute), Number(seconds)));
  const isReal = at.getUTCMonth() === Number(month) - 1 && at.getUTCDate() === Number(day) && at.getUTCHours() === hour;
  return isReal ? at.getTime() : null;
};

const dayMs = 86_400_000;
/** Midnight of day 0 of a spreadsheet. */
const spreadsheetZero = Date.UTC(1899, 11, 30);

/** The same for a cell of a workbook: a date, a spreadsheet's day number that lost its format, or a text. */
export const momentInCell = (cell: SheetCell | undefined, usual: DateOrder): number | null => {
  if (typeof cell === 'string') return momentIn(cell, usual);
  const ms =
    cell instanceof Date ? cell.getTime() : typeof cell === 'number' ? spreadsheetZero + cell * dayMs : Number.NaN;
  // A spreadsheet counts in fractions of a day, which are not exact to the second.
  return ms > 0 ? Math.round(ms / 1000) * 1000 : null;
};
