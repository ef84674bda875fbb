import type { FieldError } from '@roastery/contract/errors';
import { lotBodyShape } from '@roastery/contract/inventory';
import type { LotImportChoices, LotImportColumn, LotImportField } from '@roastery/contract/lot-imports';
import { parseShape } from '@roastery/contract/parse-shape';
import { roundKg } from '@roastery/roasting/units';
import type { SheetCell } from '../../../sheets/read-workbook.ts';
import {
  poundKg,
  readAltitude,
  readDay,
  readNumber,
  readPrice,
  readWeight,
  shownCell,
  type ReadCell,
} from './cell-values.ts';
import type { TableRow } from './lot-table.ts';

type LotField = keyof typeof lotBodyShape.shape;

/** The values of a row, by field; null for missing or unreadable ones. */
export type LotValues = Partial<Record<LotField | 'current_weight', string | number | null | undefined>>;

export interface ReadRow {
  readonly line: number;
  readonly values: LotValues;
  readonly errors: readonly FieldError[];
  readonly warnings: readonly string[];
}

const maxShownCell = 60;
const requiredTexts = ['lot_number', 'coffee_name', 'origin'] as const;

interface Figures {
  bags?: number;
  bagKg?: number;
  price?: { amount: number; unit: string | null };
  totalCost?: number;
}

/** Fields whose values are missing or out of range, with the messages of the lot form. */
export const errorsOfValues = (values: LotValues, known: readonly FieldError[] = []): FieldError[] => {
  const { current_weight: left, ...lot } = values;
  const texts = Object.fromEntries(requiredTexts.map((field) => [field, lot[field] ?? '']));
  const parsed = parseShape(lotBodyShape, { ...lot, ...texts });
  const errors = [...known];
  const add = (field: string, message: string) => {
    if (!errors.some((error) => error.field === field)) errors.push({ field, message });
  };
  for (const issue of parsed.success ? [] : parsed.issues) add(String(issue.path[0]), issue.message);
  const whole = lot.initial_weight;
  if (typeof left === 'number' && left < 0) add('current_weight', 'The weight left is negative');
  if (typeof left === 'number' && typeof whole === 'number' && left > whole) {
    add('current_weight', 'The weight left is more than the initial weight');
  }
  return errors;
};

/** To a millionth of the currency, as in the forms: a price per pound keeps its digits. */
const roundPrice = (amount: number): number => Math.round(amount * 1e6) / 1e6;

/** The price per kilogram, from that per pound, per bag or of the lot. */
const pricePerKg = ({ price, totalCost, bagKg }: Figures, kg: number | null): number | null | 'no_bag' => {
  if (price !== undefined) {
    if (price.unit === 'per_lb') return roundPrice(price.amount / poundKg);
    if (price.unit === 'cents_per_lb') return roundPrice(price.amount / 100 / poundKg);
    if (price.unit !== 'per_bag') return price.amount;
    return bagKg === undefined ? 'no_bag' : roundPrice(price.amount / bagKg);
  }
  return totalCost === undefined || kg === null || kg <= 0 ? null : roundPrice(totalCost / kg);
};

/** Reads the rows of a list by its columns. */
export const rowReader = (columns: readonly LotImportColumn[], choices: LotImportChoices) => {
  let numbered = 0;
  const used = columns.flatMap((column, at) => (column.field === null ? [] : [{ ...column, at, field: column.field }]));
  const hasWeight = used.some(({ field }) => field === 'initial_weight');

  return ({ line, cells }: TableRow): ReadRow => {
    const values: LotValues = {};
    const errors: FieldError[] = [];
    const warnings: string[] = [];
    const figures: Figures = {};
    const add = (field: LotImportField | 'row', message: string) => errors.push({ field, message });

    const filled = cells.findLastIndex((cell) => shownCell(cell) !== '') + 1;
    if (filled > columns.length) add('row', `has ${filled} cells for ${columns.length} columns`);

    for (const { at, field, unit, decimal, date_order: order } of used) {
      const cell: SheetCell = cells[at] ?? null;
      const text = shownCell(cell);
      if (text === '') continue;
      const take = <Value>(read: ReadCell<Value>, store: (value: Value) => void) => {
        if ('error' in read) add(field, `“${text.slice(0, maxShownCell)}” ${read.error}`);
        else {
          store(read.value);
          if (read.note !== undefined) warnings.push(read.note);
        }
      };
      switch (field) {
        case 'initial_weight':
        case 'current_weight': {
          const weight = readWeight(cell, unit, decimal);
          if ('bags' in weight) {
            figures.bags = weight.bags;
            if (weight.bagKg !== undefined) figures.bagKg = weight.bagKg;
          } else take(weight, (kg) => (values[field] = roundKg(kg)));
          break;
        }
        case 'bag_weight': {
          const weight = readWeight(cell, unit, decimal);
          if ('bags' in weight) add(field, `“${text.slice(0, maxShownCell)}” is not the weight of one bag`);
          else take(weight, (kg) => (figures.bagKg = kg));
          break;
        }
        case 'bags': {
          const weight = readWeight(cell, null, decimal);
          if ('bags' in weight) {
            figures.bags = weight.bags;
            if (weight.bagKg !== undefined) figures.bagKg = weight.bagKg;
          } else take(readNumber(cell, decimal), (count) => (figures.bags = count));
          break;
        }
        case 'cost_per_kg':
          take(readPrice(cell, unit, decimal), (price) => (figures.price = price));
          break;
        case 'total_cost':
          take(readPrice(cell, null, decimal), ({ amount }) => (figures.totalCost = amount));
          break;
        case 'altitude':
          take(readAltitude(cell, unit, decimal), (metres) => (values.altitude = metres));
          break;
        case 'density':
          take(readNumber(cell, decimal), (density) => (values.density = unit === 'g_l' ? density / 1000 : density));
          break;
        case 'cupping_score':
        case 'moisture_content':
        case 'water_activity':
          take(readNumber(cell, decimal), (number) => (values[field] = number));
          break;
        case 'harvest_date':
        case 'purchase_date':
          take(readDay(cell, order), (day) => (values[field] = day));
          break;
        case 'lot_number':
        case 'coffee_name':
        case 'origin':
        case 'region':
        case 'farm':
        case 'variety':
        case 'process':
        case 'supplier':
        case 'location':
        case 'screen_size':
        case 'notes':
          values[field] = text;
      }
    }

    const bagKg = figures.bagKg ?? choices.bag_kg ?? undefined;
    if (
      values.initial_weight === undefined &&
      figures.bags !== undefined &&
      !errors.some(({ field }) => field === 'initial_weight')
    ) {
      if (bagKg === undefined) add('initial_weight', `${figures.bags} bags: enter the weight of a bag`);
      else values.initial_weight = roundKg(figures.bags * bagKg);
    }
    const isPriceRead = figures.price !== undefined || figures.totalCost !== undefined;
    if (isPriceRead) {
      const price = pricePerKg(
        bagKg === undefined ? figures : { ...figures, bagKg },
        Number(values.initial_weight ?? Number.NaN) || null,
      );
      if (price === 'no_bag') add('cost_per_kg', 'A price per bag: enter the weight of a bag');
      else values.cost_per_kg = price;
    }
    if (values.origin === undefined && typeof choices.origin === 'string') values.origin = choices.origin;
    if (values.lot_number === undefined && typeof choices.number_prefix === 'string') {
      numbered += 1;
      values.lot_number = `${choices.number_prefix}${numbered}`;
    }
    // For a lot without weight the list has only that.
    if (!hasWeight && values.initial_weight === undefined && typeof values.current_weight === 'number') {
      values.initial_weight = values.current_weight;
      delete values.current_weight;
    }
    return { line, values, errors: errorsOfValues(values, errors), warnings };
  };
};
