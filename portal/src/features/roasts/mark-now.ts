import type { LiveMachine } from '../../api/use-live.ts';

type Heard = Pick<LiveMachine, 'state' | 'reading' | 'readingAgeSeconds'>;

/**
 * What a mark of this moment says: seconds since charge, and °C where the reading is of now. While readings are missing the
 * roast goes on: the mark belongs to now, not to the last reading, and its temperature comes with the readings.
 */
export const markNow = (
  { state, reading, readingAgeSeconds }: Heard,
  elapsedSeconds: number | null,
): { time_seconds: number; temp: number | null } | null => {
  if (elapsedSeconds === null) return null;
  if (state === 'live') return { time_seconds: elapsedSeconds, temp: reading?.values['bean_temp'] ?? null };
  return { time_seconds: elapsedSeconds + (readingAgeSeconds ?? 0), temp: null };
};
