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
const mono = (): number => Number(process.hrtime.bigint() / 1000n) / 1000;

/** The board's two clocks. `process.hrtime` is CLOCK_MONOTONIC: ms since boot, the same for every process of a boot. */
export const createBoardClock = (bootIdPath = '/proc/sys/kernel/random/boot_id') => {
  const boot = readBootId(bootIdPath);
  let synced = false;
  return {
    boot,
    mono,
    now: (): ClockReading => ({ boot, mono: Math.round(mono()), wall: Date.now(), synced }),
    setSynced(value: boolean): void {
      synced = value;
    },
  };
};
export type BoardClock = ReturnType<typeof createBoardClock>;
