/** Errors of the newest roasts, by distance ahead, and the band that eight in ten of them keep to. */
export interface ErrorBand {
  /** The absolute errors of a roast that nothing was learnt from, by distance. */
  add(errors: readonly (readonly number[])[]): void;
  /** Half of the band at each distance; null with too few roasts. */
  halves(): number[] | null;
}

const inBand = 0.8;
const newestRoasts = 20;
/** With fewer the eighth of ten is a guess. */
export const fewestRoasts = 3;
/**
 * Each roast widens or narrows the band by how far the share inside missed its aim, so that it also holds where a
 * machine's errors grow or shrink (adaptive conformal prediction, Gibbs and Candès 2021).
 */
const adaptation = 0.5;
const maxFactor = 2;

/** @param least half of the narrowest band: resolution and noise of a probe */
export function createErrorBand(distances: number, least: number): ErrorBand {
  const kept = Array.from({ length: distances }, (): (readonly number[])[] => []);
  let factor = 1;
  const halves = () => {
    const raw = kept.map((roasts) => (roasts.length < fewestRoasts ? null : quantile(roasts, inBand)));
    const known = raw.filter((half) => half !== null);
    return known.length < distances ? null : known.map((half) => Math.max(least, half * factor));
  };
  return {
    halves,
    add(errors) {
      const before = halves();
      const all = errors.flatMap((row, at) => row.map((error) => error <= (before?.[at] ?? 0)));
      if (before && all.length > 0) {
        const share = all.filter(Boolean).length / all.length;
        factor = Math.min(maxFactor, Math.max(1 / maxFactor, factor * Math.exp(adaptation * (inBand - share))));
      }
      for (const [at, row] of errors.entries()) {
        if (row.length === 0) continue;
        kept[at]?.push(row);
        if ((kept[at]?.length ?? 0) > newestRoasts) kept[at]?.shift();
      }
    },
  };
}

/** The value below which a share of all errors lies, each roast counting once. */
function quantile(roasts: readonly (readonly number[])[], share: number): number {
  const sorted = roasts
    .flatMap((errors) => errors.map((error) => ({ error, weight: 1 / errors.length / roasts.length })))
    .sort((a, b) => a.error - b.error);
  let reached = 0;
  for (const { error, weight } of sorted) {
    reached += weight;
    if (reached >= share - 1e-9) return error;
  }
  return sorted.at(-1)?.error ?? 0;
}
