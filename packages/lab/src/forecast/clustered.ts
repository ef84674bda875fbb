/** A mean over roasts with its 95 % interval. Each roast counts once, however many forecasts it had. */
export interface ClusteredMean {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
  readonly clusters: number;
}

/** Mean of the means of each cluster; the interval uses Student's t over clusters. */
export function clusteredMean<T>(
  values: readonly T[],
  clusterOf: (value: T) => unknown,
  valueOf: (value: T) => number,
): ClusteredMean {
  const means = meansByCluster(values, clusterOf, valueOf);
  const n = means.length;
  const mean = means.reduce((sum, each) => sum + each, 0) / n;
  const variance = means.reduce((sum, each) => sum + (each - mean) ** 2, 0) / (n - 1);
  const half = studentT(n - 1) * Math.sqrt(variance / n);
  return { mean, low: mean - half, high: mean + half, clusters: n };
}

/** The mean of each cluster. */
export function meansByCluster<T>(
  values: readonly T[],
  clusterOf: (value: T) => unknown,
  valueOf: (value: T) => number,
): number[] {
  const sums = new Map<unknown, { sum: number; count: number }>();
  for (const value of values) {
    const cluster = sums.get(clusterOf(value)) ?? { sum: 0, count: 0 };
    cluster.sum += valueOf(value);
    cluster.count += 1;
    sums.set(clusterOf(value), cluster);
  }
  return [...sums.values()].map(({ sum, count }) => sum / count);
}

/** The 97.5 % quantile of Student's t (Cornish-Fisher). */
function studentT(degreesOfFreedom: number): number {
  const z = 1.96;
  return z + (z ** 3 + z) / (4 * degreesOfFreedom) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * degreesOfFreedom ** 2);
}

/** The value below which a share of the values lies, each cluster counting once. */
export function clusteredQuantile<T>(
  values: readonly T[],
  clusterOf: (value: T) => unknown,
  valueOf: (value: T) => number,
  share: number,
): number {
  const counts = new Map<unknown, number>();
  for (const value of values) counts.set(clusterOf(value), (counts.get(clusterOf(value)) ?? 0) + 1);
  const sorted = values
    .map((value) => ({ value: valueOf(value), weight: 1 / (counts.get(clusterOf(value)) ?? 1) / counts.size }))
    .sort((a, b) => a.value - b.value);
  let reached = 0;
  for (const { value, weight } of sorted) {
    reached += weight;
    if (reached >= share - 1e-9) return value;
  }
  return sorted.at(-1)?.value ?? Number.NaN;
}
