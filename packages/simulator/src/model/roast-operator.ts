import { interpolateControlProfile, type ControlPoint } from '@roastery/roasting/recipe/control-profile';
import type { RoasterControls } from './drum-roaster.ts';
import { plannedRate, type RoastPlan } from './roast-plan.ts';

/** The readings that the operator sees. */
export interface OperatorView {
  readonly sinceChargeSeconds: number;
  readonly beanTempC: number;
  /** Rate of rise over the last 20 s, °C/min; null until there is one. */
  readonly ratePerMinute: number | null;
  readonly pastTurningPoint: boolean;
}

/** Checks the curve at intervals and sets the controls in steps as a person would. */
export interface RoastOperator {
  controls(view: OperatorView): RoasterControls;
}

const pollIntervalSeconds = 12;
const heatStepPercent = 2.5;
/** The burner level that a distracted operator leaves, %. */
const stallHeatPercent = 27.5;

const onStep = (percent: number): number =>
  Math.min(100, Math.max(0, Math.round(percent / heatStepPercent) * heatStepPercent));

/** The control positions of a roast that needs no steering. */
const planned = (plan: RoastPlan): ((view: OperatorView) => RoasterControls) => {
  if (plan.controlProfile !== null) return fromProfile(plan.controlProfile);
  return ({ beanTempC, pastTurningPoint }) => {
    const phase = !pastTurningPoint || beanTempC < 150 ? 0 : beanTempC < 196 ? 1 : 2;
    // The burner is reduced as the beans heat up, as in every profile.
    const heatPercent = pastTurningPoint ? plan.firstHeatPercent - 0.2 * (beanTempC - 110) : plan.firstHeatPercent;
    return { heatPercent, airPercent: plan.airPercent[phase], drumRpm: plan.drumRpm };
  };
};

const fromProfile = (points: readonly ControlPoint[]): ((view: OperatorView) => RoasterControls) => {
  const perSecond = interpolateControlProfile(points);
  const startSeconds = perSecond[0]?.timeSeconds ?? 0;
  return ({ sinceChargeSeconds }) => {
    const index = Math.round(sinceChargeSeconds) - startSeconds;
    const point = perSecond[Math.min(perSecond.length - 1, Math.max(0, index))];
    return { heatPercent: point?.burner ?? 0, airPercent: point?.exhaust ?? 50, drumRpm: point?.drumRpm ?? 60 };
  };
};

/** Follows the plan or its control profile, and corrects the burner where the rate of rise deviates from the plan. */
export const createOperator = (plan: RoastPlan): RoastOperator => {
  const plannedControls = planned(plan);
  let correction = 0;
  let heat: number | undefined;
  let lookedAt = Number.NEGATIVE_INFINITY;
  let lastError: number | null = null;
  let stallUntil: number | null = null;

  const observe = (view: OperatorView, plannedHeat: number): void => {
    const { beanTempC, ratePerMinute } = view;
    if (view.pastTurningPoint && ratePerMinute !== null && beanTempC > 115) {
      // Looks ahead: a change takes effect half a minute later.
      const error = plannedRate(plan, beanTempC + ratePerMinute * 0.4) - ratePerMinute;
      correction += 0.4 * error + 2 * (error - (lastError ?? error));
      correction = Math.min(60, Math.max(-50, correction));
      lastError = error;
    }
    const wanted = plannedHeat + correction;
    if (heat === undefined || Math.abs(wanted - heat) >= heatStepPercent) heat = Math.max(7.5, onStep(wanted));
  };
  return {
    controls(view) {
      const now = view.sinceChargeSeconds;
      const controls = plannedControls(view);
      if (plan.stall !== null && view.pastTurningPoint && view.beanTempC >= plan.stall.fromTempC) {
        stallUntil ??= now + plan.stall.seconds;
      }
      const stalled = stallUntil !== null && now < stallUntil;
      if (!stalled && now - lookedAt >= pollIntervalSeconds) {
        lookedAt = now;
        observe(view, controls.heatPercent);
      }
      return { ...controls, heatPercent: stalled ? stallHeatPercent : (heat ?? controls.heatPercent) };
    },
  };
};
