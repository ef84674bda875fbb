import { lotBodyShape, lotNumberFields, type Lot } from '@roastery/contract/inventory';
import { parseShape } from '@roastery/contract/parse-shape';
import type { FieldErrors, Resolver } from 'react-hook-form';
import type { z } from 'zod';
import { priceUnit } from '../../format/money.ts';
import { t } from '../../language/t.ts';

export type LotBody = z.output<typeof lotBodyShape>;

const textFields = [
  'lot_number',
  'coffee_name',
  'origin',
  'region',
  'farm',
  'variety',
  'process',
  'supplier',
  'location',
  'screen_size',
  'notes',
] as const;
const dateFields = ['harvest_date', 'purchase_date'] as const;

type NumberField = (typeof lotNumberFields)[number];
type DateField = (typeof dateFields)[number];
export type LotField = (typeof textFields)[number] | NumberField | DateField;
export const lotFields: readonly LotField[] = [...textFields, ...lotNumberFields, ...dateFields];

/** The fields as text, numbers too; dates as `yyyy-mm-dd`. */
export type LotValues = Record<LotField, string> & { is_reserved: boolean };

export const emptyLot: LotValues = {
  lot_number: '',
  coffee_name: '',
  origin: '',
  region: '',
  farm: '',
  variety: '',
  process: '',
  supplier: '',
  location: '',
  screen_size: '',
  notes: '',
  altitude: '',
  cost_per_kg: '',
  initial_weight: '',
  cupping_score: '',
  moisture_content: '',
  water_activity: '',
  density: '',
  harvest_date: '',
  purchase_date: '',
  is_reserved: false,
};

/** A lot as its form shows it. Dates are days, stored as midnight UTC. */
export const valuesOfLot = (lot: Lot): LotValues => ({
  ...emptyLot,
  ...Object.fromEntries(textFields.map((field) => [field, lot[field] ?? ''])),
  ...Object.fromEntries(lotNumberFields.map((field) => [field, lot[field] === null ? '' : String(lot[field])])),
  ...Object.fromEntries(dateFields.map((field) => [field, lot[field]?.slice(0, 10) ?? ''])),
  is_reserved: lot.is_reserved,
});

/** On save empty strings become null, numbers are sent as numbers, days as ISO timestamps. */
export const bodyOfValues = (values: LotValues): Record<string, string | number | null | undefined> => {
  const texts = textFields.map((field) => [field, values[field].trim() === '' ? null : values[field]]);
  const numbers = lotNumberFields.map((field) => [field, values[field].trim() === '' ? null : Number(values[field])]);
  const dates = dateFields.map((field) => [field, values[field] === '' ? null : `${values[field]}T00:00:00.000Z`]);
  return Object.fromEntries([...texts, ...numbers, ...dates]);
};

const required: Partial<Record<string, string>> = {
  lot_number: t`Lot number is required`,
  coffee_name: t`Coffee name is required`,
  origin: t`Origin is required`,
};

/** Checks the form against the contract's shape; the sentences are the document's. */
export const lotResolver: Resolver<LotValues, unknown, LotBody> = (values) => {
  const body = bodyOfValues(values);
  const parsed = parseShape(lotBodyShape, {
    ...body,
    lot_number: body['lot_number'] ?? '',
    coffee_name: body['coffee_name'] ?? '',
    origin: body['origin'] ?? '',
  });
  if (parsed.success) return { values: parsed.data, errors: {} };
  const errors: FieldErrors<LotValues> = {};
  for (const issue of parsed.issues) {
    const field = lotFields.find((known) => known === issue.path[0]);
    if (field === undefined || errors[field] !== undefined) continue;
    const isEmpty = values[field].trim() === '';
    errors[field] = { type: issue.code, message: (isEmpty ? required[field] : undefined) ?? issue.message };
  }
  return { values: {}, errors };
};

/** Cost per kg × initial weight; null until both are known. */
export const totalCost = (costPerKg: string, initialWeight: string): number | null => {
  if (costPerKg.trim() === '' || initialWeight.trim() === '') return null;
  const cost = Number(costPerKg) * Number(initialWeight);
  return Number.isFinite(cost) ? cost : null;
};

/** The messages of the forms of a new and of an edited lot when saving fails. */
export const lotTexts = { failure: t`Failed to save lot`, invalid: t`Please fix the errors in the form` };

/** Labels of the form, for the notice of an edit conflict. */
export const lotLabels = (): Record<keyof LotValues, string> => ({
  lot_number: t`Lot number`,
  coffee_name: t`Coffee name`,
  origin: t`Origin`,
  region: t`Region`,
  farm: t`Farm`,
  variety: t`Variety`,
  process: t`Process`,
  altitude: t`Altitude`,
  harvest_date: t`Harvest date`,
  supplier: t`Supplier`,
  purchase_date: t`Purchase date`,
  cost_per_kg: t`Cost per ${priceUnit()}`,
  initial_weight: t`Initial weight`,
  location: t`Location`,
  cupping_score: t`Cupping score`,
  moisture_content: t`Moisture content`,
  water_activity: t`Water activity`,
  density: t`Density`,
  screen_size: t`Screen size`,
  notes: t`Notes`,
  is_reserved: t`Reserved`,
});
