/** Roast time as a card has it: `12 min`, `10.5 min`. */
export const minutesText = (seconds: number): string =>
  (seconds / 60).toLocaleString('en-US', { maximumFractionDigits: 1 });

export const kgText = (kg: number): string =>
  kg.toLocaleString('en-US', { minimumFractionDigits: 1, maximumFractionDigits: 2 });

/** How many full batches a lot still gives; null without a lot or a batch size. */
export const estimatedRoasts = (currentKg: number | undefined, maxBatchKg: number | null): number | null =>
  currentKg === undefined || maxBatchKg === null || maxBatchKg <= 0
    ? null
    : Math.max(0, Math.floor(currentKg / maxBatchKg));

export const isInsufficient = (currentKg: number | undefined, maxBatchKg: number | null): boolean =>
  currentKg !== undefined && maxBatchKg !== null && currentKg < maxBatchKg;
