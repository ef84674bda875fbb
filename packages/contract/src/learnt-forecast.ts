import type { ForecastBasis } from '@roastery/roasting/forecast/curve-forecast';
import type { HalfBands, LearntForecast } from '@roastery/roasting/forecast/learnt-forecast';
import type { ForecastBasisAnswer } from './roast-forecasts.ts';

type SentForecast = NonNullable<ForecastBasisAnswer['learnt']>;
type SentBands = SentForecast['bands']['below'];

/** What a machine taught, as it is sent. */
export const sentForecast = ({ roasts, weights, bands, errorsC, timesFirstCrack }: LearntForecast): SentForecast => ({
  roasts,
  weights: [...weights],
  bands: { below: sentBands(bands.below), above: sentBands(bands.above) },
  errors: [...errorsC],
  times_first_crack: timesFirstCrack,
});

const sentBands = (bands: HalfBands | null): SentBands =>
  bands && { temp: [...bands.tempC], rate_per_minute: [...bands.ratePerMinuteC] };

/** The input of a forecast from the answer. */
export const forecastBasisOf = ({ curves, learnt }: ForecastBasisAnswer): ForecastBasis => ({
  curves,
  learnt: learnt && {
    roasts: learnt.roasts,
    weights: learnt.weights,
    bands: { below: halvesOf(learnt.bands.below), above: halvesOf(learnt.bands.above) },
    errorsC: learnt.errors,
    timesFirstCrack: learnt.times_first_crack,
  },
});

const halvesOf = (bands: SentBands): HalfBands | null =>
  bands && { tempC: bands.temp, ratePerMinuteC: bands.rate_per_minute };
