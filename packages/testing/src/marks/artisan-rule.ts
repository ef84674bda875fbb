import type { DetectorSample } from '@roastery/roasting/detection/detector';
import { isReading } from '@roastery/roasting/curves/series';

/** Artisan's two settings of its automatic charge and drop. */
export type ArtisanMode = 'standard' | 'sensitive';
export const artisanModes: readonly ArtisanMode[] = ['standard', 'sensitive'];

interface Figures {
  /** Each of the two newest steps must lie below this, °C. */
  readonly step: number;
  /** The slope after the break exceeds this plus 2.5 times the slope before it. */
  readonly offset: number;
  /** Rise before plus fall after: more than this is a break too. */
  readonly change: number;
}

/** By sampling interval: 1 s or longer, 0.5 to 1 s, shorter. */
type ByInterval = readonly [Figures, Figures, Figures];

const figures: Readonly<Record<ArtisanMode, Readonly<Record<'charge' | 'drop', ByInterval>>>> = {
  standard: {
    charge: [
      { step: -0.67, offset: 0.5, change: 0.78 },
      { step: -0.34, offset: 0.2, change: 0.78 },
      { step: -0.2, offset: 0, change: 20 },
    ],
    drop: [
      { step: -0.34, offset: 0.2, change: 0.78 },
      { step: -0.2, offset: 0.1, change: 0.78 },
      { step: 0, offset: 0, change: 20 },
    ],
  },
  sensitive: {
    charge: [
      { step: 0, offset: 0.5, change: 20 },
      { step: 0, offset: 0.1, change: 20 },
      { step: 0, offset: 0, change: 20 },
    ],
    drop: [
      { step: 0, offset: 0.2, change: 20 },
      { step: 0, offset: 0.05, change: 20 },
      { step: 0, offset: 0, change: 20 },
    ],
  },
};

const chargeMinC = 77;
const dropMinC = 160;
const dropAfterSeconds = 420;
/** A slope after the break this steep always is one, °C a reading. */
const maxSlope = 6.4;
const timesSteeper = 2.5;
/** The loose test uses every second reading and requires this much more of each step. */
const looseStepTimes = 1.5;

/**
 * Artisan 4.0.3's automatic charge and drop, written again from a description of its rule, as the reference for ours. A
 * drop is searched from 7 minutes after `markedCharge` if there is one, so that a missed charge doesn't cost the drop.
 */
export function artisanMarks(
  samples: readonly DetectorSample[],
  mode: ArtisanMode,
  markedCharge?: number,
): { charge: number | null; drop: number | null } {
  const interval = figuresColumn(samples);
  const readings: { timeSeconds: number; tempC: number }[] = [];
  let charge: number | null = null;
  for (const { timeSeconds, beanTempC } of samples) {
    if (!isReading(beanTempC)) continue;
    readings.push({ timeSeconds, tempC: beanTempC });
    if (charge === null && beanTempC > chargeMinC) {
      const before = readingsSinceBreak(readings, figures[mode].charge[interval]);
      if (before !== null) charge = readings.at(-1 - before)?.timeSeconds ?? null;
    }
    const since = markedCharge ?? charge;
    if (since === null || beanTempC <= dropMinC || timeSeconds - since <= dropAfterSeconds) continue;
    const before = readingsSinceBreak(readings, figures[mode].drop[interval]);
    if (before !== null) return { charge, drop: readings.at(-1 - before)?.timeSeconds ?? null };
  }
  return { charge, drop: null };
}

/** The limits that Artisan uses for this sampling interval. */
function figuresColumn(samples: readonly DetectorSample[]): 0 | 1 | 2 {
  const steps = samples
    .slice(1)
    .map(({ timeSeconds }, index) => timeSeconds - (samples[index]?.timeSeconds ?? timeSeconds))
    .sort((a, b) => a - b);
  const interval = steps[steps.length >> 1] ?? 1;
  // Real intervals jitter around the nominal second.
  if (interval >= 0.95) return 0;
  return interval >= 0.475 ? 1 : 2;
}

/**
 * How many readings before the newest the curve broke: 2 by the strict test, 4 by the loose one; null without a break.
 */
function readingsSinceBreak(readings: readonly { tempC: number }[], { step, offset, change }: Figures): 2 | 4 | null {
  const newestSix = (stride: 1 | 2) => {
    const from = readings.length - 1 - 5 * stride;
    return from < 0 ? null : Array.from({ length: 6 }, (_, k) => readings[from + k * stride]?.tempC ?? Number.NaN);
  };
  const strict = newestSix(1);
  if (strict && isBreak(strict, step, offset, change)) return 2;
  const loose = newestSix(2);
  if (loose && isBreak(loose, looseStepTimes * step, offset, change)) return 4;
  return null;
}

/** The slope before (positive while it falls) is taken over the first three readings, the one after over the last three. */
export function isBreak(six: readonly number[], step: number, offset: number, change: number): boolean {
  const [p0 = 0, p1 = 0, p2 = 0, p3 = 0, p4 = 0, p5 = 0] = six;
  const [d3, d4] = [p4 - p3, p5 - p4];
  if (!(d3 < step && d4 < step)) return false;
  const before = (p0 - p1 + (p1 - p2)) / 2;
  const after = (d3 + d4) / 2;
  if (Math.abs(after) > Math.min(maxSlope, offset + timesSteeper * Math.abs(before))) return true;
  return after < 0 && before < 0 && -before - after > change;
}
