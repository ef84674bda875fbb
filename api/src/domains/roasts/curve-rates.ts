import { rateOfRise } from '@roastery/roasting/rate-of-rise';
import type { Column } from './read-samples.ts';
import type { OpenedCurve } from './roast-curve.ts';

/** °C/min with two decimals: finer is noise, and half of the bytes. */
const roundRate = (rate: number | null): number | null => (rate === null ? null : Math.round(rate * 100) / 100);

/** The rate of rise at each time, °C/min, from charge to drop; null throughout without a bean temperature. */
export const ratesAlong = (
  { timeSeconds, window }: Pick<OpenedCurve, 'timeSeconds' | 'window'>,
  bean: Column | undefined,
): Column => rateOfRise(timeSeconds, bean ?? timeSeconds.map(() => null), window).map(roundRate);

/** The same as soon as the bean temperature was read, while Postgres prints the other channels. */
export const ratesOnceRead = async (curve: OpenedCurve): Promise<Column> =>
  ratesAlong(curve, await curve.channels.get('bean_temp'));
