import type { Reading } from '@roastery/roasting/curves/series';
import type { FileCurve } from '../assemble-roast.ts';
import { cutName } from '../head-vocabulary.ts';
import { firstRows, tableOf } from '../file-content.ts';
import { numberIn, textIn } from '../table-cells.ts';
import { temperatureUnitOf } from '../head-meaning.ts';
import type { TableRow } from '../table-layout.ts';

/** A column of a program whose heads never change. */
export type FixedColumn = Omit<FileCurve, 'values'> & {
  /** As in the head, without its unit and without regard to case. */
  readonly head: string;
  /** How many of the file's numbers make one unit: 10 for tenths of a degree. */
  readonly divisor?: number;
};

/** `Bean temp (°C)` → `bean temp` */
const plain = (head: string): string =>
  cutName(head)
    .replaceAll(/[([][^)\]]*[)\]]|°\s*[CF]?/g, ' ')
    .replaceAll(/[\s_]+/g, ' ')
    .trim()
    .toLowerCase();

/** Index of a head in a row of heads, wherever the program or a person has moved the column; -1 when it is absent. */
export const placeOf = (heads: TableRow, name: string): number => {
  const wanted = plain(name);
  return heads.findIndex((head) => plain(textIn(head)) === wanted);
};

/** True when a row names all of these columns. */
export const namesAll = (heads: TableRow, ...names: readonly string[]): boolean =>
  names.every((name) => placeOf(heads, name) >= 0);

/** True when one of the first rows names all of these columns, whatever separates them. */
export const hasHeads = (bytes: Uint8Array, rows: number, ...names: readonly string[]): boolean =>
  firstRows(bytes)
    .slice(0, rows)
    .some((row) => namesAll(row, ...names));

/** The table of a text below the row that names these columns. */
export const tableBelow = (bytes: Uint8Array, ...names: readonly string[]) => {
  const all = tableOf(bytes).records.map(({ cells }) => cells.map((cell) => cell.trim()));
  const at = all.findIndex((row) => namesAll(row, ...names));
  return { above: all.slice(0, Math.max(0, at)), heads: all[at] ?? [], rows: all.slice(at + 1) };
};

/** The unit that the head of a column names. */
export const unitIn = (heads: TableRow, name: string) => temperatureUnitOf(textIn(heads[placeOf(heads, name)]));

/** The known columns of a program's table, as curves; missing ones are left out. */
export const curvesOf = (heads: TableRow, rows: readonly TableRow[], columns: readonly FixedColumn[]): FileCurve[] =>
  columns.flatMap(({ head, divisor = 1, ...curve }) => {
    const place = placeOf(heads, head);
    if (place < 0) return [];
    const values = rows.map((row): Reading => {
      const number = numberIn(row[place]);
      return number === null ? null : number / divisor;
    });
    return [{ ...curve, values }];
  });

/** The times at which a signal of 0 and 1 first rises, and falls again. */
export const switchedAt = (
  timesSeconds: readonly number[],
  values: readonly Reading[],
): { on: number | undefined; off: number | undefined } => {
  const rises = values.findIndex((value) => value === 1);
  const falls = rises < 0 ? -1 : values.findIndex((value, index) => index > rises && value === 0);
  return { on: timesSeconds[rises], off: timesSeconds[falls] };
};

/** This many rows with one time are not a clock of whole seconds: the program counts while the clock stands still. */
const maxRowsOfASecond = 4;

/**
 * Times of a clock that shows whole seconds, or stands still while the machine heats up: rows with one time are spread
 * up to the next one, and a second apart while the clock stands still.
 */
export const spreadClock = (shown: readonly number[]): number[] => {
  const times: number[] = [];
  let offset = 0;
  for (let from = 0; from < shown.length;) {
    let to = from + 1;
    while (to < shown.length && shown[to] === shown[from]) to += 1;
    const rows = to - from;
    const value = shown[from] ?? 0;
    const next = shown[to];
    const room = next === undefined || next <= value ? rows : next - value;
    const isStill = rows >= maxRowsOfASecond;
    const step = isStill ? 1 : Math.min(1, room / rows);
    for (let row = 0; row < rows; row++) times.push(value + offset + row * step);
    if (isStill) offset += rows - Math.min(room, 1);
    else if (next !== undefined && next < value) offset += value - next + rows * step;
    from = to;
  }
  return times;
};
