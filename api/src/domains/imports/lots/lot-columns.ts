import {
  isDayField,
  unitsOfField,
  type LotImportChoices,
  type LotImportColumn,
  type LotImportField,
  type LotImportUnit,
} from '@roastery/contract/lot-imports';
import { lotNumberFields } from '@roastery/contract/inventory';
import { decimalSignOf, openSignsOf, type DecimalSign } from '../../../sheets/decimal-sign.ts';
import type { SheetCell } from '../../../sheets/read-workbook.ts';
import { dateOrderOf, figureText, shownCell, type DateOrder } from './cell-values.ts';
import { fieldOfHead, unitOfHead } from './head-words.ts';
import type { LotTable } from './lot-table.ts';

const samplesShown = 3;
const maxSampleLength = 60;

/** The lot number may not be in any of the list's columns. */
const numericFields: ReadonlySet<string> = new Set([
  ...lotNumberFields,
  'total_cost',
  'current_weight',
  'bags',
  'bag_weight',
]);
export const isNumeric = (field: LotImportField | null): boolean => field !== null && numericFields.has(field);

const cellsOf = (table: LotTable, at: number): SheetCell[] => table.rows.map(({ cells }) => cells[at] ?? null);

interface Guess {
  readonly field: LotImportField | null;
  readonly notes: readonly string[];
}

/** Fields by the heads, each field once; a remaining weight is the weight in a list without another one. */
const guessFields = (heads: readonly string[]): Guess[] => {
  const fields = heads.map((head) => (head === '' ? undefined : fieldOfHead(head)));
  const hasWeight = fields.includes('initial_weight') || fields.includes('bags');
  const taken = new Map<LotImportField, string>();
  return fields.map((found, at) => {
    const field = found === 'current_weight' && !hasWeight ? 'initial_weight' : found;
    if (field === undefined) return { field: null, notes: [] };
    const other = taken.get(field);
    if (other !== undefined)
      return { field: null, notes: [`“${other}” has the same meaning: only one of them can be imported`] };
    taken.set(field, heads[at] ?? '');
    return { field, notes: [] };
  });
};

/**
 * The decimal sign of a column, else that of the file's other numbers, else the one that does not separate its cells.
 */
const decimalOf = (
  texts: readonly string[],
  ofFile: DecimalSign | undefined,
  usual: DecimalSign | null,
): DecimalSign | null => {
  const own = decimalSignOf(texts) ?? ofFile;
  if (own !== undefined) return own;
  const open = openSignsOf(texts);
  return usual !== null && open.size > 0 && [...open].every((sign) => sign === usual) ? usual : null;
};

const orderOf = (cells: readonly SheetCell[]): { order: DateOrder | null; isOpen: boolean; isMixed: boolean } => {
  const shown = cells.map(dateOrderOf);
  const known = new Set(shown.filter((order) => order !== undefined && order !== 'open'));
  const isOpen = shown.includes('open');
  const [only] = known;
  const order = known.size === 1 && (only === 'dmy' || only === 'mdy' || only === 'ymd') ? only : null;
  return { order, isOpen, isMixed: known.has('dmy') && known.has('mdy') };
};

const unitNotes: Partial<Record<LotImportUnit, string>> = {
  kg: 'No unit in the file: read as kilograms',
  per_kg: 'Neither “per kg” nor “per lb” in the file: read as a price per kilogram',
  m: 'No unit in the file: read as meters',
};

/** Units in the cells: no unit has to be assumed for their column. */
const namesUnit = (cell: SheetCell): boolean => typeof cell === 'string' && /\d\s*[\p{L}%]|\/\s*\p{L}/u.test(cell);

/** A density of green coffee is 0.6 to 0.9 g/mL. */
const looksPerLitre = (cells: readonly SheetCell[]): boolean =>
  cells.some((cell) => Number.parseFloat(shownCell(cell).replace(',', '.')) > 5);

const unitFor = (
  field: LotImportField | null,
  head: string,
  cells: readonly SheetCell[],
): { unit: LotImportUnit | null; note: string | undefined } => {
  const [usual] = unitsOfField(field);
  if (field === null || usual === undefined) return { unit: null, note: undefined };
  const named = unitOfHead(head, field);
  if (named !== undefined) return { unit: named, note: undefined };
  if (field === 'density') {
    const isPerLitre = looksPerLitre(cells);
    return { unit: isPerLitre ? 'g_l' : usual, note: isPerLitre ? 'Values above 5: read as g/L' : undefined };
  }
  const filled = cells.filter((cell) => shownCell(cell) !== '');
  return { unit: usual, note: filled.length > 0 && filled.every(namesUnit) ? undefined : unitNotes[usual] };
};

const currencyIn = (head: string, cells: readonly SheetCell[]): string | undefined => {
  const text = [head, ...cells.slice(0, 20).map(shownCell)].join(' ');
  return /[$€£¥₩]|\b(?:USD|EUR|GBP|CHF|JPY|CAD|AUD|NZD|BRL|DKK|SEK|NOK|PLN|CZK)\b/.exec(text)?.[0];
};

/** The columns of a list: as a person chose, else by their heads and values. */
export const planColumns = (table: LotTable, choices: LotImportChoices): LotImportColumn[] => {
  const { heads } = table;
  const chosen = heads.map((_, at) => choices.columns?.[String(at)] ?? {});
  const guesses = guessFields(heads);
  // A field that a person assigned to one column is not guessed for another.
  const given = new Set(chosen.flatMap(({ field }) => field ?? []));
  const fields = guesses.map(({ field }, at) => {
    const own = chosen[at]?.field;
    if (own !== undefined) return own;
    return field !== null && given.has(field) ? null : field;
  });
  const texts = fields.map((field, at) =>
    isNumeric(field)
      ? cellsOf(table, at)
          .map(figureText)
          .filter((text) => text !== '')
      : [],
  );
  const ofFile = decimalSignOf(texts.flat());
  const days = fields.map((field, at) => (isDayField(field) ? orderOf(cellsOf(table, at)) : undefined));
  const ordersOfFile = new Set(days.flatMap((day) => day?.order ?? []));
  const [orderOfFile] = ordersOfFile;
  return heads.map((head, at) => {
    const field = fields[at] ?? null;
    const cells = cellsOf(table, at);
    const choice = chosen[at] ?? {};
    const { unit, note } = unitFor(field, head, cells);
    const day = days[at];
    const order =
      choice.date_order ?? day?.order ?? (ordersOfFile.size === 1 && !day?.isMixed ? (orderOfFile ?? null) : null);
    const decimal = isNumeric(field)
      ? (choice.decimal ?? decimalOf(texts[at] ?? [], ofFile, table.usualDecimal))
      : null;
    const isDecimalOpen = isNumeric(field) && decimal === null && openSignsOf(texts[at] ?? []).size > 0;
    const isOrderOpen = day !== undefined && day.isOpen && order === null;
    const currency = field === 'cost_per_kg' || field === 'total_cost' ? currencyIn(head, cells) : undefined;
    const validUnit = choice.unit !== undefined && choice.unit !== null && unitsOfField(field).includes(choice.unit);
    return {
      head,
      samples: cells
        .map(shownCell)
        .filter((text) => text !== '')
        .slice(0, samplesShown)
        .map((text) => text.slice(0, maxSampleLength)),
      field,
      unit: validUnit ? (choice.unit ?? null) : unit,
      decimal,
      date_order: day === undefined ? null : order,
      is_order_open: isOrderOpen,
      notes: [
        ...(choice.field === undefined ? (guesses[at]?.notes ?? []) : []),
        ...(note === undefined || validUnit ? [] : [note]),
        ...(isDecimalOpen ? ['The decimal sign can be a comma or a point: choose one'] : []),
        ...(isOrderOpen ? ['These dates can be read in two ways: choose their order'] : []),
        ...(day?.isMixed ? ['Some dates have the day first, some the month'] : []),
        ...(currency === undefined ? [] : [`Amounts in ${currency} are imported without conversion`]),
      ],
    };
  });
};
