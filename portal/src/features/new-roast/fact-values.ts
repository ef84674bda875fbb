import type { Upload } from '@roastery/contract/imports';
import type { Refusal } from '@roastery/contract/parse-shape';
import { roastLevels } from '@roastery/contract/roasts';
import type { FieldErrors, FieldValues, Path } from 'react-hook-form';

const textFields = [
  'coffee_name',
  'coffee_origin',
  'coffee_process',
  'roasted_by',
  'roast_number',
  'roast_level',
  'notes',
] as const;
const numberFields = ['batch_size_kg', 'end_weight_kg', 'color', 'cupping_score'] as const;
const idFields = ['machine_id', 'lot_id', 'profile_id'] as const;

/** What was roasted, as the fields of both forms hold it: numbers as typed. */
export type FactValues = Record<(typeof textFields)[number] | (typeof numberFields)[number], string> &
  Record<(typeof idFields)[number], string | null> & {
    /** `2026-11-21T08:40` on the roastery's clock. */
    start_time: string;
  };
export const factFields = [...textFields, ...numberFields, ...idFields, 'start_time'] as const;

export const emptyFacts = (roastedBy: string, startTime: string): FactValues => ({
  coffee_name: '',
  coffee_origin: '',
  coffee_process: '',
  roast_number: '',
  roast_level: '',
  notes: '',
  batch_size_kg: '',
  end_weight_kg: '',
  color: '',
  cupping_score: '',
  machine_id: null,
  lot_id: null,
  profile_id: null,
  roasted_by: roastedBy,
  start_time: startTime,
});

/** The facts of a file as field values. */
export const factsOfUpload = (upload: Upload, startTime: string): FactValues => ({
  ...emptyFacts('', startTime),
  ...Object.fromEntries(textFields.map((field) => [field, upload[field] ?? ''])),
  ...Object.fromEntries(numberFields.map((field) => [field, upload[field] === null ? '' : rounded(upload[field])])),
  roast_level: roastLevels.find((level) => level === upload.roast_level) ?? '',
  machine_id: upload.machine_id,
});

/** A weight of 0.28350000000000003 kg is a weight of 0.2835 kg. */
const rounded = (value: number): string => String(Math.round(value * 1e6) / 1e6);

/** The request body: empty fields are null. */
export const bodyOfFacts = (values: FactValues) => ({
  ...Object.fromEntries(textFields.map((field) => [field, values[field].trim() === '' ? null : values[field]])),
  ...Object.fromEntries(
    numberFields.map((field) => [field, values[field].trim() === '' ? null : Number(values[field])]),
  ),
  ...Object.fromEntries(idFields.map((field) => [field, values[field]])),
});

/** The shape's issues by field. */
export const errorsOfShape = <Values extends FieldValues>(
  { issues }: Refusal,
  fields: readonly Path<Values>[],
): FieldErrors<Values> => {
  const errors = new Map<string, { type: string; message: string }>();
  for (const issue of issues) {
    const field = fields.find((known) => known === issue.path[0]);
    if (field !== undefined && !errors.has(field)) errors.set(field, { type: issue.code, message: issue.message });
  }
  return Object.fromEntries(errors) as FieldErrors<Values>;
};
