import type { CurveColumns } from '@roastery/contract/roast-curves';
import { createLiveRateOfRise } from '@roastery/roasting/curves/rate-of-rise';
import type { LiveTrack } from '../../api/live-track.ts';

/** The part of the drum's curve that is shown between two batches. */
const shownMs = 10 * 60_000;
/**
 * The drum's rate is measured over more time than that of beans: it changes more slowly, and its steadiness matters.
 */
const rateSpanSeconds = 30;

export interface DrumCurve {
  /** Times count to the newest reading, which is at 0. */
  readonly curve: CurveColumns;
  /** °C/min of the newest reading. */
  readonly rateC: number | null;
}

/** The last ten minutes of the drum. */
export const drumCurve = (track: LiveTrack): DrumCurve => {
  const newest = track.mono.at(-1) ?? 0;
  const from = track.mono.findIndex((mono) => mono >= newest - shownMs);
  const start = from < 0 ? track.mono.length : from;
  const times = track.mono.slice(start).map((mono) => (mono - newest) / 1000);
  const channels = Object.fromEntries(
    Object.entries(track.channels).map(([name, column]) => [name, column.slice(start)]),
  );
  const rate = createLiveRateOfRise({ spanSeconds: rateSpanSeconds });
  const recent = times.findIndex((time) => time >= -2 * rateSpanSeconds);
  const bean = channels['bean_temp'] ?? [];
  let rateC: number | null = null;
  for (let index = Math.max(0, recent); index < times.length; index++) {
    rateC = rate.push(times[index] ?? 0, bean[index] ?? null);
  }
  return { curve: { time_seconds: times, channels, ror: times.map(() => null) }, rateC };
};
