import { type Lot, lotBodyShape, lotNumberFields } from '@roastery/contract/inventory';
import type { FieldError } from '@roastery/contract/errors';
import { parseShape } from '@roastery/contract/parse-shape';
import { kgOfTyped, parseMassUnit, type MassUnit } from '@roastery/roasting/units';
import type { FileJob } from '../../file-reading/file-job.ts';
import { invalid } from '../../http/app-error.ts';
import { parseCsv, writeCsv } from '../../sheets/csv.ts';
import { numberReader, type ReadNumber } from '../../sheets/decimal-sign.ts';
import type { ReaderFormats } from '../../format/reader-formats.ts';
import type { LotForm } from './create-lot.ts';

type LotField = keyof LotForm;
const fields = Object.keys(lotBodyShape.shape) as LotField[];
const requiredFields = ['lot_number', 'coffee_name', 'origin', 'initial_weight'] as const;
const numberFields: ReadonlySet<LotField> = new Set<LotField>(lotNumberFields);
const dayFields: ReadonlySet<LotField> = new Set<LotField>(['harvest_date', 'purchase_date']);

/** What only the ledger or the clock decides: in the export for whoever reads it, left out of an import. */
const derivedFields = [
  'current_weight',
  'percentage_remaining',
  'estimated_runout_days',
  'usage_count',
  'status',
  'registration_date',
] as const satisfies readonly (keyof Lot)[];

const dayOf = (instant: string | null) => instant?.slice(0, 10) ?? null;

/** Lots as CSV: a column for each field that an import takes, then what follows from the ledger. */
export const writeLotsCsv = (lots: readonly Lot[], { weightUnit, weightNumber }: ReaderFormats): string => {
  const head = (field: string) => (weightUnit !== 'kg' && isWeight(field) ? `${field} (${weightUnit})` : field);
  const cellOf = (lot: Lot, field: keyof Lot) => {
    const value = lot[field];
    return isWeight(field) && typeof value === 'number' ? weightNumber(value) : value;
  };
  return writeCsv([
    [...fields, ...derivedFields].map(head),
    ...lots.map((lot) => [
      ...fields.map((field) => (dayFields.has(field) ? dayOf(String(lot[field] ?? '')) : cellOf(lot, field))),
      ...derivedFields.map((field) => cellOf(lot, field)),
    ]),
  ]);
};

const isWeight = (field: string): boolean => field === 'initial_weight' || field === 'current_weight';

/** `initial_weight (lb)`: the unit of a column of weights; kg where none is named. */
const unitOfHead = (head: string): MassUnit => parseMassUnit(/\(([^()]*)\)/.exec(head)?.[1] ?? 'kg') ?? 'kg';

/** Other names that a column has in roasteries' own lists. */
const otherNames: Readonly<Record<string, LotField>> = {
  lot: 'lot_number',
  lot_no: 'lot_number',
  name: 'coffee_name',
  coffee: 'coffee_name',
  country: 'origin',
  weight: 'initial_weight',
  cost: 'cost_per_kg',
  price_per_kg: 'cost_per_kg',
  warehouse: 'location',
  moisture: 'moisture_content',
  score: 'cupping_score',
  screen: 'screen_size',
};

/** No column is called something longer. */
const maxHeadLength = 120;

/** `Initial weight (kg)` → `initial_weight`. */
const fieldOfHead = (head: string): LotField | undefined => {
  const name = head
    .slice(0, maxHeadLength)
    .replace(/\([^)]*\)/g, '')
    .trim()
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_|_$/g, '');
  return fields.find((field) => field === name) ?? otherNames[name];
};

/** `2025-12-01`, `2025-12-01T…`, `01.12.2025`; undefined for what could mean two days. */
const readDay = (cell: string): string | undefined => {
  const iso = /^(\d{4}-\d{2}-\d{2})(T.*)?$/.exec(cell);
  const dotted = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/.exec(cell);
  const day = iso?.[1] ?? (dotted && `${dotted[3]}-${dotted[2]?.padStart(2, '0')}-${dotted[1]?.padStart(2, '0')}`);
  return day === null || day === undefined || Number.isNaN(Date.parse(day)) ? undefined : day;
};

/** What stands in a row: text, numbers read, null for an empty cell, undefined for what could not be read. */
type LotCells = Readonly<Partial<Record<LotField, string | number | null | undefined>>>;

export interface ParsedLotRow {
  readonly line: number;
  readonly cells: LotCells;
  /** Absent when something is wrong with the row. */
  readonly form: LotForm | undefined;
  readonly errors: FieldError[];
}

export interface ParsedLots {
  readonly rows: ParsedLotRow[];
  readonly ignoredColumns: string[];
}

/** Reading a file of lots, as a job of the file readers. */
export const readLots: FileJob<null, ParsedLots> = { name: 'read lots' };

const maxRows = 5000;
const maxColumns = 100;

/**
 * Reads a file of lots row by row, each held to the shape of the lot form.
 * @throws `validation` for a file that holds no lots at all (no rows, or a required column is missing), and for one whose rows
 *         can't be told apart because a quote is not closed
 */
export const readLotsCsv = (text: string): ParsedLots => {
  const { separator, records, unclosedQuoteLine } = parseCsv(text);
  if (unclosedQuoteLine !== undefined) {
    throw invalid('csv', `The quote that begins in line ${unclosedQuoteLine} is not closed`);
  }
  const [head, ...body] = records;
  if (head === undefined || body.length === 0) throw invalid('csv', 'The file holds no lots');
  if (body.length > maxRows) throw invalid('csv', `The file holds more than ${maxRows} lots`);
  if (head.cells.length > maxColumns) throw invalid('csv', `The file has more than ${maxColumns} columns`);
  const columns = head.cells.map(fieldOfHead);
  const twice = columns.find((field, i) => field !== undefined && columns.indexOf(field) !== i);
  if (twice !== undefined) throw invalid('csv', `The column ${twice} stands in the file twice`);
  const missing = requiredFields.filter((field) => !columns.includes(field));
  if (missing.length > 0) throw invalid('csv', `The file has no column ${missing.join(', ')}`);
  const numberCells = body.flatMap(({ cells }) =>
    columns.flatMap((field, i) => (field !== undefined && numberFields.has(field) ? (cells[i] ?? '') : [])),
  );
  const readNumber = numberReader(numberCells, separator);
  const unit = unitOfHead(head.cells[columns.indexOf('initial_weight')] ?? '');
  return {
    rows: body.map(({ line, cells }) => readRow(line, columns, cells, readNumber, unit)),
    ignoredColumns: head.cells
      .filter((cell, i) => columns[i] === undefined && cell.trim() !== '')
      .map((cell) => cell.slice(0, maxHeadLength)),
  };
};

const readRow = (
  line: number,
  columns: readonly (LotField | undefined)[],
  cells: readonly string[],
  readNumber: (cell: string) => ReadNumber,
  unit: MassUnit,
): ParsedLotRow => {
  const values: { -readonly [Field in LotField]?: LotCells[Field] } = {};
  const errors: FieldError[] = [];
  if (cells.length > columns.length) {
    errors.push({ field: 'row', message: `has ${cells.length} cells under ${columns.length} columns` });
  }
  for (const [i, field] of columns.entries()) {
    if (field === undefined) continue;
    const cell = cells[i]?.trim() ?? '';
    const number = numberFields.has(field) && cell !== '' ? readNumber(cell) : undefined;
    if (numberFields.has(field)) {
      const value = number && 'value' in number ? number.value : null;
      values[field] = value !== null && field === 'initial_weight' ? kgOfTyped(value, unit) : value;
    } else if (dayFields.has(field)) values[field] = cell === '' ? null : readDay(cell);
    else values[field] = requiredFields.some((required) => required === field) || cell !== '' ? cell : null;
    if (number && 'error' in number) errors.push({ field, message: `“${cell}” ${number.error}` });
    if (dayFields.has(field) && cell !== '' && values[field] === undefined) {
      errors.push({ field, message: `“${cell}” is not a day; write it as 2025-12-31` });
    }
  }
  const parsed = parseShape(lotBodyShape, values);
  for (const issue of parsed.success ? [] : parsed.issues) {
    const field = String(issue.path[0]);
    if (!errors.some((error) => error.field === field)) errors.push({ field, message: issue.message });
  }
  return { line, cells: values, form: errors.length === 0 ? parsed.data : undefined, errors };
};
