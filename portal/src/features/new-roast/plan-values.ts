import type { planRoast } from '@roastery/contract/planned';
import type { BodyOf } from '@roastery/contract/endpoint';
import type { FieldErrors, Resolver } from 'react-hook-form';
import { formatExactKilograms } from '../../format/numbers.ts';
import { t } from '../../language/t.ts';

export type PlanBody = BodyOf<typeof planRoast>;

/** Values of the fields: weights as typed. */
export interface PlanValues {
  machine_id: string | null;
  lot_id: string | null;
  profile_id: string | null;
  coffee_name: string;
  batch_size_kg: string;
  roasted_by: string;
  notes: string;
}
export const planFields = [
  'machine_id',
  'lot_id',
  'profile_id',
  'coffee_name',
  'batch_size_kg',
  'roasted_by',
  'notes',
] as const satisfies readonly (keyof PlanValues)[];

export const emptyPlan = (roastedBy: string): PlanValues => ({
  machine_id: null,
  lot_id: null,
  profile_id: null,
  coffee_name: '',
  batch_size_kg: '',
  roasted_by: roastedBy,
  notes: '',
});

const textOrNull = (text: string): string | null => (text.trim() === '' ? null : text.trim());

/** A warning when the batch exceeds its lot or its machine. It does not block saving. */
export const batchHint = (
  batch: string,
  capacityKg: number | undefined,
  lotKg: number | undefined,
): string | undefined => {
  const kg = Number(batch);
  if (batch.trim() === '' || !Number.isFinite(kg)) return undefined;
  if (capacityKg !== undefined && kg > capacityKg) return t`The machine holds ${capacityKg} kg.`;
  if (lotKg !== undefined && kg > lotKg) return t`The lot holds only ${formatExactKilograms(lotKg)} kg.`;
  return undefined;
};

/** The few rules of the form, in words; the api has the same. */
export const planResolver: Resolver<PlanValues, unknown, PlanBody> = (values) => {
  const errors: FieldErrors<PlanValues> = {};
  if (values.machine_id === null) errors.machine_id = { type: 'required', message: t`Choose a machine` };
  const batch = values.batch_size_kg.trim() === '' ? null : Number(values.batch_size_kg);
  if (batch === null) errors.batch_size_kg = { type: 'required', message: t`Enter the batch in kg` };
  else if (!(batch > 0)) errors.batch_size_kg = { type: 'min', message: t`Batch must be greater than 0` };
  if (values.machine_id === null || Object.keys(errors).length > 0) return { values: {}, errors };
  return {
    values: {
      machine_id: values.machine_id,
      lot_id: values.lot_id,
      profile_id: values.profile_id,
      coffee_name: values.lot_id === null ? textOrNull(values.coffee_name) : null,
      batch_size_kg: batch,
      roasted_by: textOrNull(values.roasted_by),
      notes: textOrNull(values.notes),
    },
    errors: {},
  };
};
