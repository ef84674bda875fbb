import { impossibleWeight, isWeightPossible, type RoastRow } from '@roastery/contract/roasts';
import { weightUnit } from '../../format/weights.ts';
import { t } from '../../language/t.ts';

/** Number of the recipe's roasts for the expected loss. */
export const lossRoasts = 10;

type Weights = Pick<RoastRow, 'batch_size_kg' | 'end_weight_kg'>;

/** Share of the batch that is lost in the drum, 0…1; null if a weight is missing. */
export const lossOf = ({ batch_size_kg: green, end_weight_kg: roasted }: Weights): number | null =>
  green === null || roasted === null || green <= 0 ? null : 1 - roasted / green;

/** Median loss of these roasts, with their number. */
export const expectedLoss = (roasts: readonly Weights[]): { share: number; roasts: number } | null => {
  const losses = roasts
    .flatMap((roast) => lossOf(roast) ?? [])
    .sort((a, b) => a - b)
    .slice(0, lossRoasts);
  const middle = losses.length / 2;
  const [low, high] = [losses[Math.ceil(middle) - 1], losses[Math.floor(middle)]];
  return low === undefined || high === undefined ? null : { share: (low + high) / 2, roasts: losses.length };
};

/** Why a typed weight can't be saved; undefined for one that can. */
export const weightProblem = (text: string, batchKg: number | null): string | undefined => {
  if (text.trim() === '') return undefined;
  const kg = Number(text);
  if (!Number.isFinite(kg) || kg < 0) return t`Enter a weight in ${weightUnit()}`;
  return isWeightPossible({ batch_size_kg: batchKg, end_weight_kg: kg }) ? undefined : impossibleWeight;
};
