import { interpolateControlProfile, type ControlPoint } from '@roastery/roasting/control-profile';
import type { RoasterControls } from './drum-roaster.ts';
import { plannedRate, type RoastPlan } from './roast-plan.ts';

/** What the operator sees. */
export interface OperatorView {
  readonly sinceChargeSeconds: number;
  readonly beanTempC: number;
  /** Rate of rise over the last 20 s, °C/min; null until there is one. */
  readonly ratePerMinute: number | null;
  readonly pastTurningPoint: boolean;
}

/** Looks at the curve every so often and sets the controls in the steps a person uses. */
export interface RoastOperator {
  controls(view: OperatorView): RoasterControls;
}

const lookEverySeconds = 12;
const heatStepPercent = 2.5;

const onStep = (percent: number): number =>
  Math.min(100, Math.max(0, Math.round(percent / heatStepPercent) * heatStepPercent));

/** Follows the plan: by the rate of rise, or to the letter where the plan has a control profile. */
export const createOperator = (plan: RoastPlan, startHeatPercent?: number): RoastOperator =>
  plan.controlProfile === null
    ? steerByRate(plan, startHeatPercent ?? plan.firstHeatPercent)
    : followProfile(plan.controlProfile);

const steerByRate = (plan: RoastPlan, startHeatPercent: number): RoastOperator => {
  let correction = 0;
  let heat = onStep(startHeatPercent);
  let lookedAt = Number.NEGATIVE_INFINITY;
  let lastError: number | null = null;
  let stallUntil: number | null = null;

  const airAt = (tempC: number): number => plan.airPercent[tempC < 150 ? 0 : tempC < 196 ? 1 : 2];
  const steer = (view: OperatorView, ratePerMinute: number): void => {
    // Looks a little ahead: what is set now is felt half a minute later.
    const error = plannedRate(plan, view.beanTempC + ratePerMinute * 0.4) - ratePerMinute;
    correction += 0.4 * error + 2 * (error - (lastError ?? error));
    correction = Math.min(50, Math.max(-50, correction));
    // The burner comes down as the beans heat up, like every profile's gas; the correction does the rest.
    const wanted = startHeatPercent - 0.2 * (view.beanTempC - 110) + correction;
    lastError = error;
    if (Math.abs(wanted - heat) >= heatStepPercent) heat = Math.max(8, onStep(wanted));
  };
  return {
    controls(view) {
      const { sinceChargeSeconds: now, beanTempC, ratePerMinute } = view;
      if (plan.stall !== null && view.pastTurningPoint && beanTempC >= plan.stall.fromTempC && stallUntil === null) {
        stallUntil = now + plan.stall.seconds;
      }
      const stalled = stallUntil !== null && now < stallUntil;
      if (!stalled && now - lookedAt >= lookEverySeconds) {
        lookedAt = now;
        if (view.pastTurningPoint && ratePerMinute !== null && beanTempC > 115) steer(view, ratePerMinute);
      }
      return {
        heatPercent: stalled ? 27.5 : heat,
        airPercent: view.pastTurningPoint ? airAt(beanTempC) : plan.airPercent[0],
        drumRpm: plan.drumRpm,
      };
    },
  };
};

const followProfile = (points: readonly ControlPoint[]): RoastOperator => {
  const perSecond = interpolateControlProfile(points);
  const first = perSecond[0];
  return {
    controls(view) {
      const index = Math.round(view.sinceChargeSeconds) - (first?.timeSeconds ?? 0);
      const point = perSecond[Math.min(perSecond.length - 1, Math.max(0, index))];
      return point === undefined
        ? { heatPercent: 0, airPercent: 50, drumRpm: 60 }
        : { heatPercent: point.burner, airPercent: point.exhaust, drumRpm: point.drumRpm };
    },
  };
};
