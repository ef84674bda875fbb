import { roundKg } from '@roastery/roasting/units';
import type { Resolver } from 'react-hook-form';
import { t } from '../../language/t.ts';

/** How an adjustment is entered: the weight on the scale, or the kilograms added or taken. */
export type AdjustMode = 'weighed' | 'change';

/** Change of the stock in kg; null while the field holds no number. */
export const weightChange = (mode: AdjustMode, entered: string, currentKg: number): number | null => {
  if (entered.trim() === '') return null;
  const kg = Number(entered);
  if (!Number.isFinite(kg)) return null;
  return roundKg(mode === 'weighed' ? kg - currentKg : kg);
};

/** Why a change can't be saved; null when it can. */
export const changeProblem = (kg: number | null): string | null => {
  if (kg === null) return t`Enter a weight`;
  if (kg === 0) return t`Enter a weight other than 0`;
  if (Math.abs(kg) > 1_000_000) return t`This is more than a lot can hold`;
  return null;
};

export interface WeightValues {
  entered: string;
  note: string;
}

/** Turns the form into the body of the request. */
export const weightResolver =
  (mode: AdjustMode, currentKg: number): Resolver<WeightValues, unknown, { kg: number; note: string }> =>
  ({ entered, note }) => {
    const kg = weightChange(mode, entered, currentKg);
    const problem = changeProblem(kg);
    if (kg !== null && problem === null && note.trim() !== '') return { values: { kg, note }, errors: {} };
    return {
      values: {},
      errors: {
        ...(problem !== null && { entered: { type: 'weight', message: problem } }),
        ...(note.trim() === '' && { note: { type: 'required', message: t`Enter a reason` } }),
      },
    };
  };
