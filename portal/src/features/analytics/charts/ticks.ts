/** Round values for an axis: about `count` steps of 1, 2, 2.5 or 5 times a power of ten that cover the span. */
export const roundTicks = (low: number, high: number, count = 4): number[] => {
  const span = high - low;
  if (!(span > 0) || !Number.isFinite(span)) return [low, low + 1];
  const rough = span / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 2.5, 5].find((factor) => factor * power >= rough * 0.999) ?? 10) * power;
  const first = Math.floor(low / step + 1e-9);
  const last = Math.ceil(high / step - 1e-9);
  // Multiples, not sums, so that 0.30000000000000004 stays 0.3.
  return Array.from({ length: last - first + 1 }, (_, index) => Number(((first + index) * step).toPrecision(12)));
};

/** Which of `count` labels are written when one needs `labelPixels`: every n-th, counted back from the last. */
export const shownLabels = (count: number, pixels: number, labelPixels: number): ReadonlySet<number> => {
  const every = Math.max(1, Math.ceil((count * labelPixels) / Math.max(1, pixels)));
  const shown = new Set<number>();
  for (let index = count - 1; index >= 0; index -= every) shown.add(index);
  return shown;
};
