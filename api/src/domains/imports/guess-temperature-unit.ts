import type { Reading } from '@roastery/roasting/series';
import type { TemperatureUnit } from '@roastery/roasting/units';

/** No bean is roasted beyond this in °C, and none is dropped below it in °F. */
const betweenBoth = 270;

/** °C or °F, by the hottest bean temperature. Show what was chosen and let a person change it. */
export const guessTemperatureUnit = (beanTemps: readonly Reading[]): TemperatureUnit =>
  beanTemps.some((temp) => temp !== null && temp > betweenBoth) ? 'F' : 'C';
