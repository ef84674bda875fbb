import { rateOfRise } from '@roastery/roasting/rate-of-rise';
import type { Column } from './read-samples.ts';
import type { OpenedCurve } from './roast-curve.ts';

/** °C/min with two decimals: finer is noise, and half of the bytes. */
const roundRate = (rate: number | null): number | null => (rate === null ? null : Math.round(rate * 100) / 100);

/** The rate of rise at each time, °C/min, as the roast page draws it; null throughout without a bean temperature. */
export const ratesAlong = (timeSeconds: readonly number[], bean: Column | undefined): Column =>
  rateOfRise(timeSeconds, bean ?? timeSeconds.map(() => null)).map(roundRate);

/** The same as soon as the bean temperature was read, while Postgres prints the other channels. */
export const ratesOnceRead = async ({
  timeSeconds,
  channels,
}: Pick<OpenedCurve, 'timeSeconds' | 'channels'>): Promise<Column> =>
  ratesAlong(timeSeconds, await channels.get('bean_temp'));
