import { formatNumber } from '../../format/numbers.ts';
/** Roast time as a card has it: `12 min`, `10.5 min`. */
export const minutesText = (seconds: number): string => formatNumber(seconds / 60, 0, 1);

export const kgText = (kg: number): string => formatNumber(kg, 1, 2);

/** How many full batches a lot still gives; null without a lot or a batch size. */
export const estimatedRoasts = (currentKg: number | undefined, maxBatchKg: number | null): number | null =>
  currentKg === undefined || maxBatchKg === null || maxBatchKg <= 0
    ? null
    : Math.max(0, Math.floor(currentKg / maxBatchKg));

export const isInsufficient = (currentKg: number | undefined, maxBatchKg: number | null): boolean =>
  currentKg !== undefined && maxBatchKg !== null && currentKg < maxBatchKg;
