import type { Figures } from '@roastery/contract/analytics';

/** The figures of one roast. */
export interface CountedRoast {
  readonly status: string;
  readonly batch_size_kg: number | null;
  readonly duration_seconds: number | null;
  readonly development_time_ratio: number | null;
}

const present = (values: readonly (number | null)[]): number[] => values.filter((value) => value !== null);
const meanOf = (values: readonly number[]): number | null =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;

/** The figures of the analytics, counted again in simple code. */
export const recountFigures = (roasts: readonly CountedRoast[]): Figures => {
  const done = roasts.filter((roast) => roast.status === 'completed');
  const ratios = present(done.map((roast) => roast.development_time_ratio));
  const mean = meanOf(ratios);
  const squares = ratios.reduce((sum, ratio) => sum + (ratio - (mean ?? 0)) ** 2, 0);
  return {
    roasts: roasts.length,
    kg: present(roasts.map((roast) => roast.batch_size_kg)).reduce((sum, kg) => sum + kg, 0),
    mean_duration_seconds: meanOf(present(done.map((roast) => roast.duration_seconds))),
    development_ratio_mean: mean,
    development_ratio_deviation: ratios.length < 2 ? null : Math.sqrt(squares / (ratios.length - 1)),
    development_roasts: ratios.length,
  };
};
