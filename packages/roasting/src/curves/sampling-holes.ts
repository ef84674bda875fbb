/** Times between which a recording has no samples, s. */
export interface SamplingHole {
  readonly fromSeconds: number;
  readonly toSeconds: number;
  /** Index of the last sample before it. */
  readonly index: number;
}

/** A pause shorter than this is a late reading, s. */
const shortestHoleSeconds = 3;
/** … and so is one of fewer intervals than this: a file may hold one reading in ten seconds. */
const fewestTurns = 4;
/** Enough intervals to know the usual one. */
const examined = 500;

const usualPause = (timesSeconds: ArrayLike<number>): number => {
  const step = Math.max(1, Math.floor(timesSeconds.length / examined));
  const pauses: number[] = [];
  for (let index = step; index < timesSeconds.length; index += step) {
    pauses.push((timesSeconds[index] ?? 0) - (timesSeconds[index - 1] ?? 0));
  }
  pauses.sort((a, b) => a - b);
  return pauses[Math.floor(pauses.length / 2)] ?? 0;
};

/**
 * Where a recording was interrupted: intervals between two samples that are longer than 3 s and than four of its usual
 * ones. Times must rise.
 */
export function samplingHoles(timesSeconds: ArrayLike<number>): SamplingHole[] {
  const limit = Math.max(shortestHoleSeconds, fewestTurns * usualPause(timesSeconds));
  const holes: SamplingHole[] = [];
  for (let index = 1; index < timesSeconds.length; index++) {
    const [fromSeconds, toSeconds] = [timesSeconds[index - 1] ?? 0, timesSeconds[index] ?? 0];
    if (toSeconds - fromSeconds > limit) holes.push({ fromSeconds, toSeconds, index: index - 1 });
  }
  return holes;
}
