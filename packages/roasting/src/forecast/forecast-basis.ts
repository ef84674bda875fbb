import type { ForecastSource } from './curve-forecast.ts';

/** What a past roast of the machine has in common with the running one. */
export interface PastRoast {
  readonly sameRecipe: boolean;
  readonly sameCoffee: boolean;
  readonly sameBatch: boolean;
}

/** More past roasts do not reduce the error (measured with 4, 8 and 15). */
export const maxPastCurves = 8;
/** A smaller group is not preferred to all roasts of the machine. */
const minOfAGroup = 3;

const groups: readonly { source: ForecastSource; holds: (past: PastRoast) => boolean }[] = [
  { source: 'recipe', holds: ({ sameRecipe }) => sameRecipe },
  { source: 'coffee', holds: ({ sameCoffee }) => sameCoffee },
  { source: 'batch', holds: ({ sameBatch }) => sameBatch },
];

/** Batches count as equal up to this ratio. */
const sameBatchRatio = 1.12;

/** Whether two batches have about the same weight. */
export function isSameBatch(kg: number | null, otherKg: number | null, ratio = sameBatchRatio): boolean {
  if (kg === null || otherKg === null || !(kg > 0) || !(otherKg > 0)) return false;
  return Math.max(kg / otherKg, otherKg / kg) <= ratio;
}

/**
 * The past roasts of the machine that are closest to the running one, newest first, and what they have in common with
 * it.
 */
export function closestRoasts<Past extends PastRoast>(
  past: readonly Past[],
): { source: ForecastSource; roasts: readonly Past[] } {
  for (const { source, holds } of groups) {
    const roasts = past.filter(holds);
    if (roasts.length >= minOfAGroup) return { source, roasts: roasts.slice(0, maxPastCurves) };
  }
  return { source: past.length === 0 ? 'none' : 'machine', roasts: past.slice(0, maxPastCurves) };
}
