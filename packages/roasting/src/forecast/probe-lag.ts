import { pastCurveOf, pastCurveStepSeconds, turnOf } from './past-curve.ts';
import { createRidge } from './ridge.ts';
import { isReading, type Reading } from '../curves/series.ts';

/** The probe falls by its own lag for this share of the time to the turning point; then the beans warm it. */
const fallShare = 0.8;
const slopeSeconds = 4;
/** A sheathed probe in a drum takes 2 to 60 s. */
const plausibleLag = { least: 1, most: 90 };

/**
 * How long the probe takes for 63 % of a change, from its fall after the charge: it approaches surroundings that warm up
 * steadily. Null where the fall does not show it.
 */
export function probeLagSeconds(beanTempC: readonly Reading[]): number | null {
  const curve = pastCurveOf(Array.from(beanTempC.keys()), beanTempC, beanTempC.length - 1);
  const endSeconds = turnOf(curve) * pastCurveStepSeconds * fallShare;
  const ridge = createRidge(3);
  for (let at = slopeSeconds; at + slopeSeconds <= endSeconds; at++) {
    const [before, now, after] = [beanTempC[at - slopeSeconds], beanTempC[at], beanTempC[at + slopeSeconds]];
    if (!isReading(before) || !isReading(now) || !isReading(after)) continue;
    ridge.add([1, at, now], (after - before) / (2 * slopeSeconds), 1);
  }
  const [, , perDegree = 0] = ridge.solve(1e-6);
  const lag = -1 / perDegree;
  return lag >= plausibleLag.least && lag <= plausibleLag.most ? lag : null;
}
