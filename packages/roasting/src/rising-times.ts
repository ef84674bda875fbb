/** Indices of the longest strictly rising run of times that can be picked, in O(n log n). */
export function risingIndices(times: readonly number[]): number[] {
  const tails: number[] = [];
  const previous: number[] = [];
  for (const [index, time] of times.entries()) {
    if (!Number.isFinite(time)) continue;
    let low = 0;
    let high = tails.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((times[tails[middle] ?? 0] ?? 0) < time) low = middle + 1;
      else high = middle;
    }
    previous[index] = low > 0 ? (tails[low - 1] ?? -1) : -1;
    tails[low] = index;
  }
  const rising: number[] = [];
  for (let index = tails.at(-1) ?? -1; index >= 0; index = previous[index] ?? -1) rising.push(index);
  return rising.reverse();
}
