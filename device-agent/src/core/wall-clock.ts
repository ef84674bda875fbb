import type { ClockReading } from './entry.ts';

/**
 * Wall time of a monotonic time. For this boot the current clock decides, so that times taken before the clock was set
 * are corrected; for an earlier boot the best clock reading in its journal (a synchronised one, else the latest).
 */
export const createWallClock = (now: () => ClockReading) => {
  const earlier = new Map<string, ClockReading>();
  return {
    now,
    /** Adds a clock reading from the journal. */
    learn(reading: ClockReading): void {
      const known = earlier.get(reading.boot);
      const better =
        !known || (reading.synced && !known.synced) || (reading.synced === known.synced && reading.mono > known.mono);
      if (better) earlier.set(reading.boot, reading);
    },
    at(boot: string, mono: number): { t: number; synced: boolean } {
      const current = now();
      const reading = boot === current.boot ? current : earlier.get(boot);
      if (!reading) return { t: 0, synced: false };
      return { t: Math.max(0, Math.round(reading.wall + mono - reading.mono)), synced: reading.synced };
    },
  };
};
export type WallClock = ReturnType<typeof createWallClock>;
