import { isReading, valueAt, type Reading } from '@roastery/roasting/curves/series';
import { pastCurveStepSeconds } from '@roastery/roasting/forecast/past-curve';
import { createRidge } from '@roastery/roasting/forecast/ridge';
import { roastMoment } from '@roastery/roasting/forecast/roast-moment';
import type { RoastToForecast } from './curve-forecasts.ts';
import { storedTrack, type ForecastRoast } from './past-roasts.ts';

/** A step of the heat, with the change of the rate of rise from it to 45 s later, °C/min. */
export interface JudgedStep {
  readonly roast: ForecastRoast;
  readonly change: number;
  /** As forecast at the step, which does not know it. */
  readonly forecast: number;
  /** With the effect of the heat that the machine's earlier steps had. */
  readonly withEffect: number;
}

const leastStep = 10;
const steadySeconds = 30;
const laterSeconds = 45;

/** What a machine's steps of heat did beyond the forecast, per point of heat. */
export function createHeatEffect() {
  const ridge = createRidge(1);
  let effect = 0;
  return {
    judge({ roast, forecaster }: RoastToForecast): JudgedStep[] {
      const steps = heatSteps(roast).flatMap(({ atSeconds, points }) => {
        const moment = roastMoment(roast.track, roast.turnSeconds, atSeconds);
        const then = moment && forecaster.forecast(moment)?.points[laterSeconds / pastCurveStepSeconds];
        const rate = valueAt(roast.timesSeconds, roast.ratesC, atSeconds + laterSeconds);
        if (!moment || !then || !isReading(rate)) return [];
        const [change, forecast] = [rate, then.ratePerMinuteC.likely].map((each) => each - 60 * moment.perSecondC);
        return change === undefined || forecast === undefined ? [] : [{ change, forecast, points }];
      });
      const judged = steps.map((step) => ({ roast, ...step, withEffect: step.forecast + effect * step.points }));
      for (const { change, forecast, points } of steps) ridge.add([points], change - forecast, 1);
      effect = ridge.solve(leastStep ** 2)[0] ?? 0;
      return judged;
    },
  };
}

/** Steps of ten points and more that were held for 30 s, between the turning point and the drop. */
function heatSteps(roast: ForecastRoast): { atSeconds: number; points: number }[] {
  const { heatPower = [] } = storedTrack(roast);
  const steps: { atSeconds: number; points: number }[] = [];
  let before: Reading = null;
  for (let at = 0; at + laterSeconds <= roast.dropSeconds; at++) {
    const heat = heatPower[at];
    if (!isReading(heat)) continue;
    const isHeld = Array.from({ length: steadySeconds }, (_, second) => heatPower[at + second]).every(
      (later) => later === heat,
    );
    if (!isHeld) continue;
    if (isReading(before) && Math.abs(heat - before) >= leastStep && at >= roast.turnSeconds + steadySeconds)
      steps.push({ atSeconds: at, points: heat - before });
    before = heat;
  }
  return steps;
}
