import type { CurveColumns } from '@roastery/contract/roasts';
import { isReading, valueAt } from '@roastery/roasting/series';

/** How far the beans are above (or below) the reference at a moment, °C; null where either wasn't read. */
export const deviationAt = (
  reference: CurveColumns | undefined,
  seconds: number | null | undefined,
  beanC: number | null | undefined,
): number | null => {
  if (reference === undefined || !isReading(seconds) || !isReading(beanC)) return null;
  const there = valueAt(reference.time_seconds, reference.channels['bean_temp'] ?? [], seconds);
  return there === null ? null : beanC - there;
};
