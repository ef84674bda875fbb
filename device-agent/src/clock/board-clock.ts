import { readFileSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import type { ClockReading } from '../core/entry.ts';

/** The kernel's id of this boot; where there is none (no Linux) a random one, so that monotonic times never mix. */
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

/** A synchronised clock is slewed; wall and monotonic time that part by more say that it was set. */
const stepMs = 500;

export interface ClockSources {
  readonly bootIdPath?: string;
  /** ms since boot, with fractions. */
  readonly mono?: () => number;
  /** ms since 1970. */
  readonly wall?: () => number;
}

/**
 * The board's two clocks. `process.hrtime` is CLOCK_MONOTONIC: ms since boot, the same for every process of a boot. That the
 * wall clock is synchronised is a statement about the moment of the check: it is set aside as soon as wall and monotonic time
 * part, and the wall time goes on from that moment by the monotonic clock.
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
    /** The wall clock was set after it had been found synchronised: what found it so may be out of date. */
    hasStepped,
    setSynced(value: boolean): void {
      synced = value;
      if (synced) trustedOffset = wall() - mono();
    },
  };
};
export type BoardClock = ReturnType<typeof createBoardClock>;
