import type { CurveColumns } from '@roastery/contract/roast-curves';
import { createLiveRateOfRise } from '@roastery/roasting/curves/rate-of-rise';
import type { LiveTrack } from '../../api/live-track.ts';
import type { LiveMachine } from '../../api/use-live.ts';

/** The part of a live track from a time on as columns for the charts, with the live rate of rise. */
export const liveCurve = (
  track: LiveTrack,
  chargeMono: number,
  beforeSeconds: number,
  dropSeconds: number | null,
): CurveColumns => {
  const from = track.mono.findIndex((mono) => mono >= chargeMono - beforeSeconds * 1000);
  if (from < 0) return { time_seconds: [], channels: {}, ror: [] };
  const times = track.mono.slice(from).map((mono) => (mono - chargeMono) / 1000);
  const channels = Object.fromEntries(
    Object.entries(track.channels).map(([name, column]) => [name, column.slice(from)]),
  );
  return { time_seconds: times, channels, ror: rateColumn(times, channels['bean_temp'] ?? [], dropSeconds) };
};

/** From charge to drop: the probe of an empty drum measures no beans. */
const rateColumn = (
  times: readonly number[],
  bean: readonly (number | null)[],
  dropSeconds: number | null,
): (number | null)[] => {
  const end = dropSeconds ?? Number.POSITIVE_INFINITY;
  const rate = createLiveRateOfRise();
  return times.map((time, index) => (time < 0 || time > end ? null : rate.push(time, bean[index] ?? null)));
};

type Heard = Pick<LiveMachine, 'state' | 'reading' | 'readingAgeSeconds'>;

/**
 * A mark for the current time: seconds since charge, and °C of a fresh reading. While readings are missing the
 * roast continues: the mark has the current time, not that of the last reading, and gets its temperature later.
 */
export const markNow = (
  { state, reading, readingAgeSeconds }: Heard,
  elapsedSeconds: number | null,
): { time_seconds: number; temp: number | null } | null => {
  if (elapsedSeconds === null) return null;
  if (state === 'live') return { time_seconds: elapsedSeconds, temp: reading?.values['bean_temp'] ?? null };
  return { time_seconds: elapsedSeconds + (readingAgeSeconds ?? 0), temp: null };
};
