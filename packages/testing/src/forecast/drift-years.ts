import { fewestWatched, watchDrift, watchedRoasts, type MachineDrift } from '@roastery/roasting/forecast/machine-drift';
import type { WatchedRoast } from '@roastery/roasting/forecast/roast-signs';
import { madeYear, roastsOfAYear, type MadeChange } from './made-year.ts';

/** A machine is examined at night, after about so many roasts. */
const roastsOfADay = 5;

/** A drift that was found in a year. */
export interface FoundDrift extends MachineDrift {
  /** Roasts after the change when it was found; negative before it. */
  readonly after: number;
}

/** The first drift that a machine with this past reports, as it would be examined day by day. */
export function firstDrift(roasts: readonly WatchedRoast[], changedAt = 0): FoundDrift | null {
  for (let day = fewestWatched; day <= roasts.length; day += roastsOfADay) {
    const from = Math.max(0, day - watchedRoasts);
    const { drift } = watchDrift(roasts.slice(from, day));
    if (drift) return { ...drift, fromRoast: from + drift.fromRoast, after: day - changedAt };
  }
  return null;
}

/** The seeds from which the limits were not chosen. */
export const heldOutSeeds = (count: number): number[] => Array.from({ length: count }, (_, at) => 700_000 + at);

/** What is reported of years in which nothing changes. */
export const falseAlarms = (seeds: readonly number[]): FoundDrift[] =>
  seeds.flatMap((seed) => firstDrift(madeYear(seed, roastsOfAYear)) ?? []);

/** What is reported within so many roasts after a change, one entry for each seed; the change comes at another time of each year. */
export const foundWithin = (
  seeds: readonly number[],
  roasts: number,
  change: Omit<MadeChange, 'fromRoast'>,
): (FoundDrift | null)[] =>
  seeds.map((seed) => {
    const fromRoast = 60 + ((seed * 5) % 100);
    const year = madeYear(seed, fromRoast + roasts, { ...change, fromRoast });
    return firstDrift(year.slice(0, fromRoast + roasts), fromRoast);
  });
