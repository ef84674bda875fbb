import { describe, expect, it } from 'vitest';
import { liveMachine, lots, queue, recipes, roasts } from './demo-roastery.ts';

describe('the queue of the demo', () => {
  it('has batches that its recipes and its machine allow', () => {
    for (const { recipe, batchKg } of queue) {
      const { body } = recipes[recipe] ?? {};
      expect(batchKg).toBeGreaterThanOrEqual(body?.min_batch_size ?? Number.NaN);
      expect(batchKg).toBeLessThanOrEqual(body?.max_batch_size ?? Number.NaN);
      expect(batchKg).toBeLessThanOrEqual(liveMachine.max_capacity_kg);
    }
  });

  it('needs no more green coffee than the demo’s roasts leave', () => {
    for (const { lot_number: number, initial_weight: kg } of lots) {
      const isOfLot = ({ recipe }: { readonly recipe: number }) => recipes[recipe]?.lot === number;
      const roasted = roasts.filter(isOfLot).reduce((sum, { batchKg }) => sum + batchKg, 0);
      const planned = queue.filter(isOfLot).reduce((sum, { batchKg, count }) => sum + batchKg * count, 0);
      expect(roasted + planned, number).toBeLessThan(kg);
    }
  });

  it('has a day of a dozen batches, and its machine the past to say when it is done', () => {
    const today = queue.filter(({ daysAhead }) => daysAhead === 0);
    expect(today.reduce((sum, { count }) => sum + count, 0)).toBe(12);
    const starts = roasts
      .filter(({ machine }) => machine === 0)
      .map(({ daysAgo, minute }) => minute - daysAgo * 24 * 60)
      .sort((a, b) => a - b);
    const followed = starts.filter((at, index) => at - (starts[index - 1] ?? Number.NEGATIVE_INFINITY) < 90);
    expect(followed.length).toBeGreaterThanOrEqual(3);
  });
});
