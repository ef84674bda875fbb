import { isReading, type Reading } from './curves/series.ts';

/**
 * How close a drum is to the charge temperature of its next batch. `unknown`: no target or no reading. `below`,
 * `above`: out of range. `moving`: in range, but not for long. `ready`: in range and steady.
 */
export type ChargeReadiness =
  | { readonly state: 'unknown' }
  | {
      readonly state: 'below' | 'above' | 'moving' | 'ready';
      /** °C above (or below) the charge temperature. */
      readonly differenceC: number;
      /**
       * Seconds until the charge temperature at the present rate; null while the drum moves away from it, or has
       * reached it.
       */
      readonly inSeconds: number | null;
    };

/** Batches charged within this range start alike, °C. Probes and displays of roasters differ by half of it. */
export const chargeToleranceC = 3;
/** A drum that changes faster stays in range for less than a minute, °C/min. */
export const steadyRateC = 3;
/** A longer prediction is not useful, s. */
const maxPredictionSeconds = 20 * 60;

/** Whether a drum is ready to charge, from its temperature, its rate in °C/min and the target in °C. */
export function chargeReadiness(drumC: Reading | undefined, rateC: Reading, targetC: Reading): ChargeReadiness {
  if (!isReading(drumC) || !isReading(targetC)) return { state: 'unknown' };
  const differenceC = drumC - targetC;
  const seconds = isReading(rateC) && rateC !== 0 ? (-differenceC / rateC) * 60 : null;
  const inSeconds = seconds !== null && seconds > 0 && seconds <= maxPredictionSeconds ? seconds : null;
  if (differenceC < -chargeToleranceC) return { state: 'below', differenceC, inSeconds };
  if (differenceC > chargeToleranceC) return { state: 'above', differenceC, inSeconds };
  const isSteady = isReading(rateC) && Math.abs(rateC) <= steadyRateC;
  return { state: isSteady ? 'ready' : 'moving', differenceC, inSeconds: isSteady ? null : inSeconds };
}
