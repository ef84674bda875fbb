import { lineThrough } from './past-curve.ts';
import { isReading, valueAt, type Reading } from '../curves/series.ts';

/** Readings of a roast. Times are seconds since charge and rise. */
export interface RoastTrack {
  readonly timesSeconds: ArrayLike<number>;
  readonly beanTempC: ArrayLike<Reading>;
  /** Outputs in percent; absent where the machine reports none. */
  readonly heatPower?: ArrayLike<Reading> | undefined;
  readonly fanSpeed?: ArrayLike<Reading> | undefined;
}

/** A running roast at one time. */
export interface RoastMoment {
  /** Since charge. */
  readonly elapsedSeconds: number;
  /** Seconds since the turning point; since charge in a machine that is charged cold. */
  readonly sinceTurnSeconds: number;
  /** A least-squares line through the last 20 s, at its end. */
  readonly tempC: number;
  readonly perSecondC: number;
  /** The slopes of the last 10 s, and of the half minute before the last one. */
  readonly newestPerSecondC: number;
  readonly earlierPerSecondC: number;
  /** The newest reading above the line. */
  readonly aboveLineC: number;
  /** Shares of the full output; 0 where the machine reports none. */
  readonly heat: number;
  readonly heatOfLastMinute: number;
  readonly fan: number;
}

const lineSeconds = 20;
const newestSeconds = 10;
const minuteSeconds = 60;

/** A roast at its newest reading. Null with too few readings, or if the newest one is older than the line. */
export function roastMoment(track: RoastTrack, turnSeconds: number, elapsedSeconds: number): RoastMoment | null {
  const { timesSeconds, beanTempC } = track;
  const line = (from: number, to: number) =>
    lineThrough(timesSeconds, beanTempC, {
      fromSeconds: elapsedSeconds - from,
      toSeconds: elapsedSeconds - to,
      atSeconds: elapsedSeconds - to,
    });
  const now = line(lineSeconds, 0);
  if (!now) return null;
  const newestC = valueAt(timesSeconds, beanTempC, elapsedSeconds);
  const heat = outputBefore(timesSeconds, track.heatPower, elapsedSeconds);
  return {
    ...now,
    elapsedSeconds,
    sinceTurnSeconds: elapsedSeconds - turnSeconds,
    newestPerSecondC: line(newestSeconds, 0)?.perSecondC ?? now.perSecondC,
    earlierPerSecondC: line(minuteSeconds, minuteSeconds / 2)?.perSecondC ?? now.perSecondC,
    aboveLineC: isReading(newestC) ? newestC - now.tempC : 0,
    heat: heat.now,
    heatOfLastMinute: heat.ofLastMinute,
    fan: outputBefore(timesSeconds, track.fanSpeed, elapsedSeconds).now,
  };
}

function outputBefore(
  timesSeconds: ArrayLike<number>,
  percents: ArrayLike<Reading> | undefined,
  atSeconds: number,
): { now: number; ofLastMinute: number } {
  if (!percents) return { now: 0, ofLastMinute: 0 };
  let now: number | undefined;
  let [sum, count] = [0, 0];
  for (let index = timesSeconds.length - 1; index >= 0; index--) {
    const [time = Number.NaN, percent] = [timesSeconds[index], percents[index]];
    if (time > atSeconds || !isReading(percent)) continue;
    if (now !== undefined && time < atSeconds - minuteSeconds) break;
    now ??= percent / 100;
    sum += percent / 100;
    count += 1;
  }
  return { now: now ?? 0, ofLastMinute: count === 0 ? 0 : sum / count };
}
