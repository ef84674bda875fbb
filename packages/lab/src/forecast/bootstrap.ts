import { randomStream } from '@roastery/testing/marks/random';

const draws = 1000;
const seed = 41;

/** The 95 % interval of a mean over roasts, each counting once, by drawing roasts anew with a fixed seed. */
export function bootstrapInterval(means: readonly number[]): { low: number; high: number } {
  const random = randomStream(seed);
  const drawn = Array.from({ length: draws }, () => {
    let sum = 0;
    for (let at = 0; at < means.length; at++) sum += means[Math.floor(random() * means.length)] ?? 0;
    return sum / means.length;
  }).sort((a, b) => a - b);
  return { low: drawn[Math.floor(0.025 * draws)] ?? 0, high: drawn[Math.ceil(0.975 * draws) - 1] ?? 0 };
}
