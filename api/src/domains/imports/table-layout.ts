import { createHash } from 'node:crypto';
import { columnHeadLength, type ColumnChoice, type TableUse } from '@roastery/contract/imports';
import { channelUnit, type ChannelUnit, type KnownChannel } from '@roastery/contract/channels';
import type { TemperatureUnit, TimeUnit } from '@roastery/roasting/units';
import type { SheetCell } from '../../sheets/read-workbook.ts';
import { wordsIn } from './head-vocabulary.ts';
import { type HeadMeaning, isUnitText, meaningOf } from './head-meaning.ts';
import { type KeptLayouts, maxColumns, refusedFile } from './imported-roast.ts';
import { numberIn, textIn, timeIn } from './table-cells.ts';

export type TableRow = readonly SheetCell[];

/** The meaning of a column in a table of readings. */
export interface TableColumn {
  readonly place: number;
  readonly head: string;
  readonly use: HeadMeaning['use'];
  /** Of a column of time, as its head states it. */
  readonly timeUnit?: TimeUnit | undefined;
  /** Of a channel: the known one; undefined for one of the file's own. */
  readonly channel?: KnownChannel | undefined;
  readonly unit?: ChannelUnit | undefined;
  /** Of a temperature, as its head states it. */
  readonly temperatureUnit?: TemperatureUnit | undefined;
}

export interface TableLayout {
  /** The first row of readings. */
  readonly firstRow: number;
  /** All columns, in their order. */
  readonly columns: readonly TableColumn[];
  /** Temperatures without a named probe, by place: one may be that of the beans. */
  readonly unnamedProbes: readonly number[];
  readonly source: 'heads' | 'person';
}

/** Rows above the head of a table that may hold something else. */
const maxRowsAbove = 60;
/** Rows of readings below a head, by which it is recognised as one. */
const examined = 10;

const isHeadOf = (layout: TableLayout, ...names: readonly (KnownChannel | 'time')[]): boolean =>
  names.every((name) =>
    layout.columns.some((column) => (name === 'time' ? column.use === 'time' : column.channel === name)),
  );

/** A table can be read when it has times and a bean temperature. */
export const isComplete = (layout: TableLayout): boolean => isHeadOf(layout, 'time', 'bean_temp');

const headOf = (cell: SheetCell | undefined, place: number): string =>
  textIn(cell).slice(0, columnHeadLength) || `Column ${place + 1}`;

/** `BT` and `BT temp (°C)` are equally plain. */
const wordsBesideUnit = (head: string): number =>
  wordsIn(head).filter((word) => word.temperatureUnit === undefined && !word.concepts.includes('temperature')).length;

/** Of columns with one meaning the one in the fewest words counts: `BT` before `BT 2` and `BT avg`. */
const withoutDoubles = (columns: readonly TableColumn[]): TableColumn[] =>
  columns.map((column) => {
    const same = columns.filter((other) =>
      column.use === 'event' ? other.use === 'event' : column.channel !== undefined && other.channel === column.channel,
    );
    const [counts] = same.toSorted((a, b) => wordsBesideUnit(a.head) - wordsBesideUnit(b.head));
    if (counts === undefined || counts === column) return column;
    return column.use === 'event' ? { ...column, use: 'none' } : { ...column, channel: undefined };
  });

/**
 * In a table that we have written every column between these two is a channel, whatever its name says: Artisan files have channels such
 * as `dBT`.
 */
const isOwnChannel = (heads: readonly string[]): ((place: number) => boolean) => {
  const first = heads.findIndex((head) => /^since charge(?: \(s\))?$/i.test(head));
  const last = heads.findIndex((head) => /^rate of rise \(°[CF]\/min\)$/i.test(head));
  return (place) => first !== -1 && place > first && place < last;
};

const layoutOf = (heads: readonly string[], firstRow: number, rows: readonly TableRow[]): TableLayout => {
  const isOwn = isOwnChannel(heads);
  const meanings = heads.map((head, place): HeadMeaning | undefined => {
    const meaning = meaningOf(head);
    return isOwn(place) && meaning?.use !== 'channel' ? { use: 'channel', unit: '' } : meaning;
  });
  const hasTime = meanings.some((one) => one?.use === 'time' && one.isTimeOrTemperature !== true);
  const hasNumbers = (place: number) => rows.some((row, at) => at >= firstRow && numberIn(row[place]) !== null);
  const understood = meanings.map((one): HeadMeaning => {
    const isTemperature = hasTime && one?.isTimeOrTemperature === true;
    if (isTemperature) return { use: 'channel', unit: '°C', isUnnamedProbe: true };
    return one ?? { use: 'channel', unit: '' };
  });
  const columns = understood.map((one, place): TableColumn => {
    const { isUnnamedProbe: _probe, isTimeOrTemperature: _either, channel, ...meaning } = one;
    // A column of names may be called `Bean`.
    const isNamed = channel === 'bean_temp' && !hasNumbers(place);
    return { place, head: heads[place] ?? '', ...meaning, ...(channel === undefined || isNamed ? {} : { channel }) };
  });
  const unnamedProbes = understood.flatMap((one, place) =>
    one.isUnnamedProbe === true && hasNumbers(place) ? [place] : [],
  );
  return { firstRow, columns: withoutDoubles(columns), unnamedProbes, source: 'heads' };
};

/** `(s)`, `(°C)` … in the row below the heads. */
const hasUnitsBelow = (row: TableRow | undefined): boolean => {
  const texts = (row ?? []).map(textIn).filter((text) => text !== '');
  return texts.length > 1 && texts.every(isUnitText);
};

const headsOf = (rows: readonly TableRow[], headRow: number): { heads: string[]; firstRow: number } => {
  const row = Array.from(rows[headRow] ?? []);
  const units = hasUnitsBelow(rows[headRow + 1]) ? (rows[headRow + 1] ?? []) : undefined;
  const heads = row.map((cell, place) => {
    const unit = textIn(units?.[place]);
    return headOf(unit === '' ? cell : `${textIn(cell)} (${unit.replaceAll(/[()[\]]/g, '')})`, place);
  });
  return { heads, firstRow: headRow + (units === undefined ? 1 : 2) };
};

const isFigure = (cell: SheetCell | undefined): boolean => timeIn(cell) !== null || cell instanceof Date;

/** Columns that hold numbers or times in nearly all of these rows. */
const figureColumns = (rows: readonly TableRow[]): number[] => {
  const width = Math.max(0, ...rows.map((row) => row.length));
  return Array.from({ length: width }, (_, place) => place).filter(
    (place) => rows.filter((row) => isFigure(row[place])).length >= rows.length * 0.8,
  );
};

/** A row above at least ten rows with two columns of figures, whose heads say nothing that is known. */
const unknownHead = (rows: readonly TableRow[]): TableLayout | undefined => {
  for (let at = -1; at < Math.min(maxRowsAbove, rows.length - examined); at += 1) {
    const below = rows.slice(at + 1, at + 1 + examined);
    if (below.length < examined) return undefined;
    const figures = figureColumns(below).filter((place) => isFigure(below[0]?.[place]));
    if (figures.length < 2) continue;
    const row = rows[at] ?? [];
    if (figures.some((place) => isFigure(row[place]))) return undefined;
    const { heads, firstRow } = headsOf(rows, at);
    const width = Math.max(heads.length, ...below.map((one) => one.length));
    const all = Array.from({ length: width }, (_, place) => heads[place] ?? headOf(undefined, place));
    return layoutOf(all, firstRow, rows);
  }
  return undefined;
};

/** The table of readings in a file: by heads that name a time and a bean temperature, else by its figures. */
const recognisedTable = (rows: readonly TableRow[]): TableLayout | undefined => {
  let unnamed: TableLayout | undefined;
  for (const [headRow, row] of rows.slice(0, maxRowsAbove).entries()) {
    if (row.length > maxColumns) {
      throw refusedFile(`The table has more than ${maxColumns} columns, too many for a roast.`);
    }
    if (row.length < 2) continue;
    const { heads, firstRow } = headsOf(rows, headRow);
    const layout = layoutOf(heads, firstRow, rows);
    if (isComplete(layout)) return layout;
    if (isHeadOf(layout, 'time') && layout.unnamedProbes.length > 0) unnamed ??= layout;
  }
  return unnamed ?? unknownHead(rows);
};

/** The key of tables with the same heads, in any order. */
export const headsKey = (heads: readonly string[]): string =>
  createHash('sha256')
    .update(JSON.stringify([...heads].sort()))
    .digest('hex');

const unitOfUse = (use: TableUse, unit: ColumnChoice['unit']): ChannelUnit => {
  if (use !== 'other') return channelUnit(use);
  return unit === 'C' || unit === 'F' ? '°C' : unit === '%' ? '%' : '';
};

const chosenColumn = (column: TableColumn, { use, unit }: ColumnChoice): TableColumn => {
  const { place, head } = column;
  if (use === 'none' || use === 'event') return { place, head, use };
  if (use === 'time')
    return {
      place,
      head,
      use,
      timeUnit: unit === 'C' || unit === 'F' || unit === '%' ? undefined : (unit ?? undefined),
    };
  const temperatureUnit = unit === 'C' || unit === 'F' ? unit : undefined;
  return {
    place,
    head,
    use: 'channel',
    channel: use === 'other' ? undefined : use,
    unit: unitOfUse(use, unit),
    temperatureUnit,
  };
};

/** The columns as a person has assigned them; of several with one head in their order. */
const assigned = (layout: TableLayout, choices: readonly ColumnChoice[]): TableLayout => {
  const left = [...choices];
  const columns = layout.columns.map((column) => {
    const at = left.findIndex(({ head }) => head === column.head);
    const [choice] = at < 0 ? [] : left.splice(at, 1);
    return choice === undefined ? column : chosenColumn(column, choice);
  });
  return { ...layout, columns: withoutDoubles(columns), unnamedProbes: [], source: 'person' };
};

/**
 * The table of readings in a file; undefined without one. A person's columns, for this file or kept for tables with these heads, count
 * before what the heads say.
 */
export const findTable = (
  rows: readonly TableRow[],
  {
    columns,
    layouts,
  }: { readonly columns?: readonly ColumnChoice[] | undefined; readonly layouts?: KeptLayouts | undefined } = {},
): TableLayout | undefined => {
  const layout = recognisedTable(rows);
  if (layout === undefined) return undefined;
  const kept = layouts?.[headsKey(layout.columns.map(({ head }) => head))];
  const choices = columns ?? kept ?? [];
  return choices.length === 0 ? layout : assigned(layout, choices);
};
