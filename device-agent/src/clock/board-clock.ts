import { readFileSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import type { ClockReading } from '../core/entry.ts';

/**
 * The kernel's id of this boot; without one (no Linux) a random one, so that monotonic times of different boots never
 * mix.
 */
const readBootId = (path: string): string => {
  try {
    return readFileSync(path, 'utf8').trim().toLowerCase();
  } catch (error) {
    if (error instanceof Error && 'code' in error) return randomUUID();
    throw error;
  }
};

/** ms since boot, with fractions. */
const monotonic = (): number => Number(process.hrtime.bigint() / 1000n) / 1000;

/** A synchronised clock is slewed; if wall and monotonic time diverge by more, the clock was set. */
const stepMs = 500;

export interface ClockSources {
  readonly bootIdPath?: string;
  /** ms since boot, with fractions. */
  readonly mono?: () => number;
  /** ms since 1970. */
  readonly wall?: () => number;
}

/**
 * The board's two clocks. `process.hrtime` is CLOCK_MONOTONIC: ms since boot, the same for every process of a boot. A
 * synchronised wall clock is only known at the time of the check: the result is discarded as soon as wall and monotonic
 * time diverge, and from then on the wall time follows the monotonic clock.
 */
export const createBoardClock = (sources: ClockSources = {}) => {
  const { bootIdPath = '/proc/sys/kernel/random/boot_id', mono = monotonic, wall = Date.now } = sources;
  const boot = readBootId(bootIdPath);
  let synced = false;
  /** Wall minus monotonic time at the newest check that found the clock synchronised. */
  let trustedOffset: number | undefined;
  const hasStepped = (): boolean => trustedOffset !== undefined && Math.abs(wall() - mono() - trustedOffset) > stepMs;
  return {
    boot,
    mono,
    now: (): ClockReading => {
      const at = mono();
      if (trustedOffset === undefined || !hasStepped()) return { boot, mono: Math.round(at), wall: wall(), synced };
      return { boot, mono: Math.round(at), wall: Math.round(trustedOffset + at), synced: false };
    },
    /** The wall clock was set after it had been found synchronised: that result may be out of date. */
    hasStepped,
    setSynced(value: boolean): void {
      synced = value;
      if (synced) trustedOffset = wall() - mono();
    },
  };
};
export type BoardClock = ReturnType<typeof createBoardClock>;
