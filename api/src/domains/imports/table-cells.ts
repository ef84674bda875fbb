import type { SheetCell } from '../../sheets/read-workbook.ts';

/** A number or time with its unit is shorter; the patterns below take quadratic time in the length. */
const maxNumberLength = 60;
const plainNumber = /^-?\d+(?:\.\d+)?$/;

/** `204,5` and `1 204.5 °C` as numbers; null for other text. */
export const numberIn = (cell: SheetCell | undefined): number | null => {
  if (typeof cell === 'number') return Number.isFinite(cell) ? cell : null;
  if (typeof cell !== 'string') return null;
  // A fast path for nearly every cell of a file of megabytes.
  if (plainNumber.test(cell)) return Number(cell);
  if (cell.length > maxNumberLength) return null;
  const text = cell
    .trim()
    .replace(/\s*(?:°\s*[CF]?|[CF]|%|kg|s)$/i, '')
    .replaceAll(/[\s\u00A0]/g, '');
  if (/^[+-]?(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:e[+-]?\d+)?$/i.test(text)) return Number(text.replace(',', '.'));
  return null;
};

/** Midnight of day 0 of a spreadsheet: a time of day is stored as a time on it. */
const spreadsheetZero = Date.UTC(1899, 11, 30);
const dayMs = 86_400_000;

export interface CellTime {
  readonly value: number;
  /** True when the cell itself shows that it counts seconds: `6:12`, or a time of day. */
  readonly isClock: boolean;
}

/** `6:12`, `6:60` of a rounded 59.6 s, `6:12.5`, `1:02:03`, `-0:30`, a time of day, or a plain number in the unit of the column. */
export const timeIn = (cell: SheetCell | undefined): CellTime | null => {
  if (cell instanceof Date) {
    const ms = cell.getTime() - spreadsheetZero;
    return ms >= 0 && ms < 2 * dayMs ? { value: ms / 1000, isClock: true } : null;
  }
  if (typeof cell === 'string' && cell.length <= maxNumberLength) {
    const clock = /^(-)?(?:(\d{1,3}):)?(\d{1,4}):((?:[0-5]?\d|60)(?:[.,]\d+)?)$/.exec(cell.trim());
    if (clock) {
      const [, minus, hours, minutes, seconds] = clock;
      const value = Number(hours ?? 0) * 3600 + Number(minutes) * 60 + Number(seconds?.replace(',', '.'));
      return { value: minus === undefined ? value : -value, isClock: true };
    }
  }
  const number = numberIn(cell);
  return number === null ? null : { value: number, isClock: false };
};

export const textIn = (cell: SheetCell | undefined): string => {
  if (cell === null || cell === undefined) return '';
  return cell instanceof Date ? cell.toISOString() : String(cell).trim();
};
