import type { RoastPlan } from '@roastery/contract/roast-plan';

/** A waiting plan with three steps, one per second. */
export const planOf = (number: number, over: Partial<RoastPlan> = {}): RoastPlan => ({
  id: `018f0000-0000-7000-8000-00000000000${number}`,
  roast_id: null,
  recipe: { id: '018f0000-0000-7000-8000-0000000000ff', revision: 3, name: 'House filter' },
  coffee_name: 'Huila',
  batch_size_kg: 12,
  target_drop_temp: 210,
  target_roast_time: 3,
  target_development_time: 1,
  points: [0, 1, 2].map((time) => ({ time, burner: 80 - 20 * time, exhaust: 40, drum: 60, drum_percent: 60 })),
  interpolated: false,
  max_drum_rpm: 100,
  ...over,
});
