import { betterClock, clockOf, latestOffsetOf, type WallClock } from '@roastery/api/recordings/wall-clock';
import { createBoardClock, type BoardClock } from '@roastery/device-agent/clock/board-clock';
import { checkSynchronised } from '@roastery/device-agent/clock/synchronisation';
import { createWallClock } from '@roastery/device-agent/core/wall-clock';
import { describe, expect, it } from 'vitest';

const bootedAt = Date.parse('2026-11-21T06:00:00Z');
const second = 1000;
const hour = 3600 * second;
const day = 24 * hour;
const steps = [1, -1, 3, -3, 60, -60, 90, -90, 600, -600, 3600, -3600].map((seconds) => seconds * second);
const allSteps = [...steps, 400 * day, -400 * day];

/** Two roasts in one boot, s since the boot; a step in each phase. */
const charges = [300, 1500].map((seconds) => seconds * second);
const phases = [
  { name: 'before the first roast', at: 100 },
  { name: 'in the first roast', at: 600 },
  { name: 'between the roasts', at: 1200 },
  { name: 'in the second roast', at: 1800 },
  { name: 'after both', at: 2500 },
].map(({ name, at }) => ({ name, at: at * second }));
const endsAt = 2700 * second;

interface Run {
  readonly stepMs: number;
  readonly steppedAt: number;
  /** When the clock is corrected by itself; undefined: never. */
  readonly backAt?: number;
  readonly isReachable: boolean;
  /** Whether the board had found its clock synchronised before the step. */
  readonly isSynced: boolean;
  /** An older board, which relies on a check that is up to a minute old. */
  readonly isOld?: boolean;
  /** Batches are sent this long after their last entry, ms; a backlog arrives at once at the end. */
  readonly lateMs?: number;
}

/** The server's offset for the boot after each batch of a board whose wall clock steps. */
const offsetsOf = async (run: Run): Promise<number[]> => {
  let mono = 10 * second;
  const error = (): number =>
    mono >= run.steppedAt && (run.backAt === undefined || mono < run.backAt) ? run.stepMs : 0;
  const wall = (): number => bootedAt + mono + error();
  const clock: BoardClock = createBoardClock({ mono: () => mono, wall });
  let believed: boolean | undefined;
  const now = () => (run.isOld === true ? { ...clock.now(), wall: wall(), synced: believed === true } : clock.now());
  const wallClock = createWallClock(now);
  let serverOffset: number | undefined;
  const server = {
    offsetMs: () => serverOffset,
    ask: () => {
      if (run.isReachable) serverOffset = -error();
      return Promise.resolve(run.isReachable || undefined);
    },
  };
  let known: WallClock | undefined;
  const offsets: number[] = [];
  for (; mono < endsAt; mono += 5 * second) {
    // A check every minute, at another second than the step.
    if (run.isSynced && mono % (60 * second) === 50 * second) {
      // Before a step systemd's mark shows synchronisation; it does not exist on every computer that runs this test.
      const checked = clock.hasStepped() ? await checkSynchronised(true, server) : true;
      if (checked !== undefined) clock.setSynced(checked);
      believed = true;
    }
    const { t, synced } = wallClock.at(clock.boot, mono);
    const receivedAtMs = bootedAt + mono + second + (run.lateMs ?? 200);
    const claim = { synced, t, mono, lastMono: mono + second, receivedAtMs };
    known = betterClock(known, clockOf(claim), latestOffsetOf(claim));
    offsets.push(known.offsetMs);
  }
  return offsets;
};

/** The largest deviation of the starts of both roasts from the truth, ms, once their charge has arrived. */
const worstStart = (offsets: readonly number[]): number =>
  Math.max(
    ...charges.flatMap((charge) =>
      offsets
        .filter((_, index) => 10 * second + index * 5 * second >= charge)
        .map((offset) => Math.abs(offset - bootedAt)),
    ),
  );

describe('wall clock: two roasts in one boot keep their starts when the clock steps', () => {
  for (const { name, at } of phases) {
    it(`${name}: by ±1 s to ±400 days, synchronised or not, for good or for a while, with the server or without`, async () => {
      for (const stepMs of allSteps) {
        for (const isReachable of [true, false]) {
          for (const backAt of [undefined, at + 200 * second]) {
            const run = {
              stepMs,
              steppedAt: at,
              isReachable,
              isSynced: true,
              ...(backAt === undefined ? {} : { backAt }),
            };
            const worst = worstStart(await offsetsOf(run));
            expect(worst, `${stepMs / 1000} s, ${isReachable ? 'with' : 'without'} the server`).toBeLessThanOrEqual(
              2000,
            );
          }
        }
      }
    });

    it(`${name}: an older board that keeps reporting "synchronised" moves no start by more than 2 s`, async () => {
      for (const stepMs of allSteps) {
        const worst = worstStart(
          await offsetsOf({ stepMs, steppedAt: at, isReachable: false, isSynced: true, isOld: true }),
        );
        // Before the first batch with a true clock there is nothing to compare a small step with.
        expect(worst, `${stepMs / 1000} s`).toBeLessThanOrEqual(2000);
      }
    });

    it(`${name}: an unsynchronised clock is at most as wrong as the server's tolerance`, async () => {
      for (const stepMs of allSteps) {
        const worst = worstStart(await offsetsOf({ stepMs, steppedAt: at, isReachable: false, isSynced: false }));
        expect(worst, `${stepMs / 1000} s`).toBeLessThanOrEqual(2 * 60 * second);
      }
    });

    it(`${name}: entries that arrive a day later keep the starts from before the step`, async () => {
      for (const stepMs of allSteps) {
        const run = { stepMs, steppedAt: at, isReachable: false, isSynced: true, lateMs: day };
        expect(worstStart(await offsetsOf(run)), `${stepMs / 1000} s`).toBeLessThanOrEqual(2000);
      }
    });
  }

  it('corrects the starts with the first synchronised batch when the clock was wrong from the beginning', async () => {
    for (const stepMs of allSteps.filter((ms) => Math.abs(ms) > 2000)) {
      const wrong: WallClock = { offsetMs: bootedAt + stepMs, quality: 2 };
      const claim = {
        synced: true,
        t: bootedAt + 2000 * second,
        mono: 2000 * second,
        lastMono: 2000 * second,
        receivedAtMs: bootedAt + 2000 * second + 300,
      };
      expect(betterClock(wrong, clockOf(claim), latestOffsetOf(claim)).offsetMs, `${stepMs / 1000} s`).toBe(bootedAt);
    }
  });
});
