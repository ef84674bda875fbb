import { maxImportedLots, type LotImportChoices } from '@roastery/contract/lot-imports';
import { formatCount } from '../../../format/format.ts';
import { invalid } from '../../../http/app-error.ts';
import { parseCsv } from '../../../sheets/csv.ts';
import type { SheetCell, SheetRows } from '../../../sheets/read-workbook.ts';
import { countLines, isWorkbook, sheetsOf, textOf } from '../file-content.ts';
import { fieldOfHead, maxHeadLength } from './head-words.ts';
import { shownCell } from './cell-values.ts';

export interface TableRow {
  /** Line of the file, or row of the sheet, from 1. */
  readonly line: number;
  readonly cells: readonly SheetCell[];
}

export interface LotTable {
  readonly sheet: string | null;
  readonly sheets: readonly string[];
  readonly heads: readonly string[];
  readonly rows: readonly TableRow[];
  /** The decimal sign that can't separate the cells of the file; null in a workbook. */
  readonly usualDecimal: '.' | ',' | null;
  readonly notes: readonly string[];
}

const maxColumns = 100;
/** Some lists have titles and addresses above the heads. */
const maxLinesAboveHeads = 20;
const maxSheets = 50;
const refuse = (why: string) => invalid('file', why);

const isEmpty = (cell: SheetCell): boolean => shownCell(cell) === '';

const knownHeads = ({ cells }: TableRow): number =>
  new Set(cells.slice(0, maxColumns).flatMap((cell) => (typeof cell === 'string' ? (fieldOfHead(cell) ?? []) : [])))
    .size;

/** The row of column names: the one of the first rows with the most known names, else the first. */
const findHeads = (rows: readonly TableRow[]): number => {
  const known = rows.slice(0, maxLinesAboveHeads + 1).map(knownHeads);
  const most = Math.max(0, ...known);
  return most === 0 ? 0 : known.indexOf(most);
};

const cutTable = (rows: readonly TableRow[]): Pick<LotTable, 'heads' | 'rows' | 'notes'> => {
  const at = findHeads(rows);
  const head = rows[at];
  if (head === undefined || rows.length < at + 2) throw refuse('The file has no lots');
  const width = rows.reduce((widest, { cells }) => Math.max(widest, cells.length), 0);
  if (head.cells.length > maxColumns || width > maxColumns * 3) {
    throw refuse(`The file has more than ${maxColumns} columns`);
  }
  const body = rows.slice(at + 1);
  if (body.length > maxImportedLots) {
    throw refuse(`The file has more than ${formatCount(maxImportedLots)} lots: split it`);
  }
  const above = rows.slice(0, at).map(({ line }) => line);
  return {
    heads: head.cells.map((cell) => shownCell(cell).slice(0, maxHeadLength)),
    rows: body,
    notes: above.length === 0 ? [] : [`Not imported: line ${above.join(', ')}, above the column names.`],
  };
};

const rowsOfSheet = ({ rows }: SheetRows): TableRow[] =>
  rows.flatMap((cells, at) => (cells.every(isEmpty) ? [] : [{ line: at + 1, cells }]));

const ofWorkbook = async (bytes: Uint8Array, wanted: string | undefined): Promise<LotTable> => {
  const sheets = (await sheetsOf(bytes)).slice(0, maxSheets);
  const tables = sheets.map((sheet) => ({ name: sheet.name, rows: rowsOfSheet(sheet) }));
  const scored = tables.map((table) => ({
    ...table,
    known: Math.max(0, ...table.rows.slice(0, maxLinesAboveHeads + 1).map(knownHeads)),
  }));
  const [best] = scored.toSorted((a, b) => b.known - a.known || b.rows.length - a.rows.length);
  const chosen = scored.find(({ name }) => name === wanted) ?? best;
  if (chosen === undefined) throw refuse('The file has no lots');
  return {
    sheet: chosen.name,
    sheets: scored.filter(({ rows }) => rows.length > 0).map(({ name }) => name),
    usualDecimal: null,
    ...cutTable(chosen.rows),
  };
};

/**
 * The table of a file of lots, whatever its columns contain.
 * @throws `validation` for a file without a table, or one whose rows can't be separated because a quote is not closed
 */
export const readLotTable = async (bytes: Uint8Array, choices: LotImportChoices): Promise<LotTable> => {
  if (bytes.length === 0) throw refuse('The file is empty');
  if (isWorkbook(bytes)) return ofWorkbook(bytes, choices.sheet);
  const text = textOf(bytes);
  if (text === undefined) throw refuse('This file can’t be read as a list of lots: it is neither text nor a workbook');
  if (countLines(text) > maxImportedLots * 10) {
    throw refuse(`The file has more than ${formatCount(maxImportedLots)} lots: split it`);
  }
  const { separator, records, unclosedQuoteLine } = parseCsv(text);
  if (unclosedQuoteLine !== undefined)
    throw refuse(`The quotation mark opened in line ${unclosedQuoteLine} is not closed`);
  return { sheet: null, sheets: [], usualDecimal: separator === ';' ? ',' : '.', ...cutTable(records) };
};
