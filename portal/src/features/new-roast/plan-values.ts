import { parseJson } from '@roastery/contract/parse-shape';
import { z } from 'zod';
import { maxPlansAtOnce, type PlannedRoast, type planRoast } from '@roastery/contract/planned';
import type { BodyOf } from '@roastery/contract/endpoint';
import type { FieldErrors, Resolver } from 'react-hook-form';
import { exactWeight, weightUnit } from '../../format/weights.ts';
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
  /** `yyyy-mm-dd`; today if empty. */
  day: string;
  /** Number of identical roasts. */
  count: string;
}
export const planFields = [
  'machine_id',
  'lot_id',
  'profile_id',
  'coffee_name',
  'batch_size_kg',
  'roasted_by',
  'notes',
  'day',
  'count',
] as const satisfies readonly (keyof PlanValues)[];

/** A new plan, with the last entered values. */
export const emptyPlan = (roastedBy: string, last: Partial<PlanValues> = {}): PlanValues => ({
  machine_id: null,
  lot_id: null,
  profile_id: null,
  coffee_name: '',
  batch_size_kg: '',
  roasted_by: roastedBy,
  notes: '',
  day: '',
  count: '1',
  ...last,
});

export const valuesOfPlan = (plan: PlannedRoast): PlanValues => ({
  machine_id: plan.machine_id,
  lot_id: plan.lot_id,
  profile_id: plan.profile_id,
  coffee_name: plan.lot_id === null ? (plan.coffee_name ?? '') : '',
  batch_size_kg: plan.batch_size_kg === null ? '' : String(plan.batch_size_kg),
  roasted_by: plan.roasted_by ?? '',
  notes: plan.notes ?? '',
  day: plan.day,
  count: '1',
});

const textOrNull = (text: string): string | null => (text.trim() === '' ? null : text.trim());

/** The largest batch that recipe and machine take, kg; undefined without a recipe. */
export const batchOf = (
  recipe: { readonly max_batch_size?: number | null | undefined } | undefined,
  machine: { readonly max_capacity_kg: number } | undefined,
): number | undefined => {
  if (recipe === undefined) return undefined;
  const most = Math.min(recipe.max_batch_size ?? Infinity, machine?.max_capacity_kg ?? Infinity);
  return Number.isFinite(most) ? most : undefined;
};

/** A warning when the batch exceeds its lot. It does not block saving; the machine and the recipe do. */
export const batchHint = (batch: string, lotKg: number | undefined): string | undefined => {
  const kg = Number(batch);
  if (batch.trim() === '' || !Number.isFinite(kg)) return undefined;
  if (lotKg !== undefined && kg > lotKg) return t`The lot holds only ${exactWeight(lotKg)}`;
  return undefined;
};

/** The few rules of the form, in words; the api has the same. */
export const planResolver: Resolver<PlanValues, unknown, PlanBody> = (values) => {
  const errors: FieldErrors<PlanValues> = {};
  if (values.machine_id === null) errors.machine_id = { type: 'required', message: t`Choose a machine` };
  const batch = values.batch_size_kg.trim() === '' ? null : Number(values.batch_size_kg);
  if (batch === null) errors.batch_size_kg = { type: 'required', message: t`Enter the batch in ${weightUnit()}` };
  else if (!(batch > 0)) errors.batch_size_kg = { type: 'min', message: t`Batch must be greater than 0` };
  const count = Number(values.count);
  if (!Number.isInteger(count) || count < 1 || count > maxPlansAtOnce) {
    errors.count = { type: 'range', message: t`1 to ${maxPlansAtOnce}` };
  }
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
      ...(values.day === '' ? {} : { day: values.day }),
      count,
    },
    errors: {},
  };
};

const keyOf = (userId: string): string => `lastPlan:${userId}`;

const keptShape = z.object({
  machine_id: z.string().nullable(),
  profile_id: z.string().nullable(),
  roasted_by: z.string(),
});
type Kept = z.infer<typeof keptShape>;

/** The last entered values of this person on this device, used as defaults. */
export const readLastPlan = (userId: string): Partial<Kept> => {
  const stored = localStorage.getItem(keyOf(userId));
  return stored === null ? {} : (parseJson(keptShape, stored).data ?? {});
};

export const keepLastPlan = (userId: string, values: PlanValues): void => {
  const { machine_id, profile_id, roasted_by } = values;
  const kept: Kept = { machine_id, profile_id, roasted_by };
  localStorage.setItem(keyOf(userId), JSON.stringify(kept));
};
