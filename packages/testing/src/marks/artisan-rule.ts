import type { DetectorSample } from '@roastery/roasting/detector';
import { isReading } from '@roastery/roasting/series';

/**
 * Artisan 4.0.3's automatic charge and drop, restated from a description of its rule, to measure ours against: six
 * readings in a row, slopes before and after the fourth, thresholds by sampling interval. A drop is looked for 7
 * minutes after the charge that a person marked, where there is one, so that a missed charge doesn't cost the drop.
 */
export function artisanMarks(
  samples: readonly DetectorSample[],
  markedCharge?: number,
): { charge: number | null; drop: number | null } {
  const readings = samples.flatMap(({ timeSeconds, beanTempC }) =>
    isReading(beanTempC) ? [{ timeSeconds, tempC: beanTempC }] : [],
  );
  const first = readings[0];
  const last = readings.at(-1);
  if (!first || !last) return { charge: null, drop: null };
  const interval = (last.timeSeconds - first.timeSeconds) / Math.max(1, readings.length - 1);
  // Real intervals jitter around the nominal second.
  const column = interval >= 0.95 ? 0 : interval >= 0.5 ? 1 : 2;
  let charge: number | null = null;
  for (let newest = 5; newest < readings.length; newest++) {
    const at = readings[newest - 2];
    if (!at) continue;
    if (charge === null && at.tempC > 77 && breaks(readings, newest, 'charge', column)) charge = at.timeSeconds;
    const since = markedCharge ?? charge;
    if (since === null || at.tempC <= 160 || at.timeSeconds - since <= 420) continue;
    if (breaks(readings, newest, 'drop', column)) return { charge, drop: at.timeSeconds };
  }
  return { charge, drop: null };
}

const figures = {
  charge: { d: [-0.67, -0.34, -0.2], off: [0.5, 0.2, 0] },
  drop: { d: [-0.34, -0.2, 0], off: [0.2, 0.1, 0] },
} as const;
const dd = [0.78, 0.78, 20] as const;

function breaks(
  readings: readonly { tempC: number }[],
  newest: number,
  kind: 'charge' | 'drop',
  column: 0 | 1 | 2,
): boolean {
  const d = figures[kind].d[column];
  const off = figures[kind].off[column];
  const six = (step: number) =>
    Array.from({ length: 6 }, (_, k) => readings[newest - (5 - k) * step]?.tempC ?? Number.NaN);
  return sixBreak(six(1), d, off, dd[column]) || sixBreak(six(2), 1.5 * d, off, dd[column]);
}

function sixBreak(p: readonly number[], d: number, off: number, both: number): boolean {
  const [p0 = 0, , , p3 = 0, p4 = 0, p5 = 0] = p;
  if (p.some(Number.isNaN)) return false;
  const pre = (p3 - p0) / 3;
  const post = (p5 - p3) / 2;
  if (!(p4 - p3 < d && p5 - p4 < d)) return false;
  return Math.abs(post) > Math.min(6.4, off + 2.5 * Math.abs(pre)) || (pre < 0 && post < 0 && -pre - post > both);
}
