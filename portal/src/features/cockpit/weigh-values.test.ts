import { expect, it } from 'vitest';
import { expectedLoss, lossOf, weightProblem } from './weigh-values.ts';

const roast = (batch_size_kg: number | null, end_weight_kg: number | null) => ({ batch_size_kg, end_weight_kg });

it('weight: the loss is the lost share of the batch', () => {
  expect(lossOf(roast(10, 8.5))).toBeCloseTo(0.15);
  expect(lossOf(roast(10, null))).toBeNull();
  expect(lossOf(roast(null, 8))).toBeNull();
});

it('weight: the expected loss is the median of the roasts that have both weights', () => {
  expect(expectedLoss([])).toBeNull();
  expect(expectedLoss([roast(10, 8.6), roast(10, null), roast(10, 8.4)])).toEqual({
    share: expect.closeTo(0.15),
    roasts: 2,
  });
  expect(expectedLoss([roast(10, 9), roast(10, 8.8), roast(10, 5)])?.share).toBeCloseTo(0.12);
});

it('weight: a roasted weight above the batch is refused with a message', () => {
  expect(weightProblem('12.1', 12)).toBe('Roasted weight can’t be more than the batch');
  expect(weightProblem('10.2', 12)).toBeUndefined();
  expect(weightProblem('10.2', null)).toBeUndefined();
  expect(weightProblem('', 12)).toBeUndefined();
  expect(weightProblem('-1', 12)).toBe('Enter a weight in kg');
});
