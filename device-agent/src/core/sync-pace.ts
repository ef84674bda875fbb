/**
 * How readings are synced and sent. `each_second`: synced to the disk and sent every second. `gather`: both rarely,
 * since every sync wears out the board's card.
 */
export type SyncPace = 'each_second' | 'gather';

/** After a start it is unknown whether a roast runs, and a user may be waiting for the first readings. */
const startMs = 60_000;
/** A charge is recognised only after a while; the fall of the bean temperature shows sooner that there may be one. */
const fallC = 4;
const fallMs = 10_000;
const afterFallMs = 60_000;

interface PacedReading {
  /** Monotonic ms. */
  readonly mono: number;
  readonly beanTempC: number | null;
  readonly roastRuns: boolean;
}

/** Decides the pace, reading by reading. */
export const createSyncPace = (startedAt: number) => {
  let eachSecondUntil = startedAt + startMs;
  let recent: readonly { readonly mono: number; readonly tempC: number }[] = [];
  return {
    after({ mono, beanTempC, roastRuns }: PacedReading): SyncPace {
      if (beanTempC !== null) {
        recent = [...recent.filter((one) => mono - one.mono <= fallMs), { mono, tempC: beanTempC }];
        const highestC = Math.max(...recent.map(({ tempC }) => tempC));
        if (highestC - beanTempC >= fallC) eachSecondUntil = mono + afterFallMs;
      }
      return roastRuns || mono < eachSecondUntil ? 'each_second' : 'gather';
    },
  };
};
