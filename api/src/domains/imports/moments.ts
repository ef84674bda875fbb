import type { SheetCell } from '../../sheets/read-workbook.ts';

/** Which of the figures of a date come first where they don't show it themselves. */
type DateOrder = 'dmy' | 'mdy' | 'ymd';

const dated =
  /^(\d{1,4})([./-])(\d{1,2})\2(\d{1,4})(?:[T,\s]\s*(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?\s*(?:([AP])\.?M\.?)?\s*(?:Z|UTC)?)?$/i;

const orderOf = (first: string, sign: string, second: string, usual: DateOrder): DateOrder => {
  if (first.length === 4) return 'ymd';
  if (usual === 'ymd' && sign === '-') return 'ymd';
  // A point between day, month and year is written in no country that has the month first.
  if (sign === '.' || Number(first) > 12) return 'dmy';
  if (Number(second) > 12) return 'mdy';
  return usual === 'ymd' ? 'dmy' : usual;
};

/**
 * A date with or without its time, as programs write it in the region of their computer, as ms since 1970; null for what is no moment.
 * It names no zone: taken for UTC, and shown so that it can be set right.
 * @param usual order of a date that can be read in two ways
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
/** Midnight of the day that a spreadsheet counts as 0. */
const spreadsheetZero = Date.UTC(1899, 11, 30);

/** The same of a cell of a workbook: a date, the days that a spreadsheet counts where it lost its format, or a text. */
export const momentInCell = (cell: SheetCell | undefined, usual: DateOrder): number | null => {
  if (typeof cell === 'string') return momentIn(cell, usual);
  const ms =
    cell instanceof Date ? cell.getTime() : typeof cell === 'number' ? spreadsheetZero + cell * dayMs : Number.NaN;
  // A spreadsheet counts in parts of a day, which hit no second exactly.
  return ms > 0 ? Math.round(ms / 1000) * 1000 : null;
};
