import { roastMoment } from '@roastery/roasting/forecast/roast-moment';
import type { RoastToForecast } from './curve-forecasts.ts';
import type { ForecastRoast } from './past-roasts.ts';

/** A forecast of first crack with the time of its mark. */
export interface JudgedCrack {
  readonly roast: ForecastRoast;
  readonly aheadSeconds: number;
  readonly errorSeconds: number;
  /** Of a straight line to the median of the machine's earlier cracks. */
  readonly medianErrorSeconds: number;
  readonly covered: boolean;
  readonly widthSeconds: number;
  /** Whether the portal names a time, or the temperature alone. */
  readonly isShown: boolean;
}

export const crackAheads: readonly number[] = [120, 60];
/** With a wider band the portal names the temperature instead of a time. */
const shownSeconds = 60;

/** First crack 120 and 60 s ahead, of a roast with three earlier marks. */
export function judgeCrack({ roast, crack, timesFirstCrack, forecaster }: RoastToForecast): JudgedCrack[] {
  if (!crack) return [];
  return crackAheads.flatMap((aheadSeconds) => {
    const moment = roastMoment(roast.track, roast.turnSeconds, crack.seconds - aheadSeconds);
    const forecast = moment && forecaster.forecast(moment);
    const said = forecast?.reaches(crack.expectedC, crack.spreadC);
    if (!moment || !said) return [];
    const widthSeconds = said.latestSeconds - said.soonestSeconds;
    return [
      {
        roast,
        aheadSeconds,
        errorSeconds: aheadSeconds - said.likelySeconds,
        medianErrorSeconds: aheadSeconds - (crack.medianC - moment.tempC) / moment.perSecondC,
        covered: aheadSeconds >= said.soonestSeconds && aheadSeconds <= said.latestSeconds,
        widthSeconds,
        isShown: timesFirstCrack && widthSeconds <= shownSeconds,
      },
    ];
  });
}
