import type { RoastPlan } from '@roastery/contract/roast-plan';
import {
  changesText,
  deviationText,
  deviationsFrom,
  dueStep,
  guideOf,
  nextStep,
  plannedAt,
  settingsText,
  stepMoment,
} from '@roastery/roasting/recipe/guide';
import type { BoardStatus } from './board-status.ts';

/** A plan as texts for the board's own page: the current or next step, and deviations from the plan. */
export const planText = (
  plan: RoastPlan | undefined,
  runningSeconds: number | null,
  values: Readonly<Record<string, number | null>>,
): BoardStatus['plan'] => {
  if (plan === undefined) return null;
  const name = plan.recipe?.name ?? plan.coffee_name ?? 'Unnamed roast';
  const guide = guideOf(plan);
  const settings = plannedAt(guide, runningSeconds ?? 0);
  if (runningSeconds === null || settings === null) {
    return {
      name,
      is_running: runningSeconds !== null,
      settings: settings && settingsText(settings),
      step: null,
      deviations: [],
    };
  }
  const step = dueStep(guide, runningSeconds) ?? nextStep(guide, runningSeconds);
  const actual = { burner: values['heat_power'], exhaust: values['fan_speed'], drumPercent: values['drum_speed'] };
  return {
    name,
    is_running: true,
    settings: settingsText(settings),
    step: step && `${stepMoment(step)} · ${changesText(step)}`,
    deviations: deviationsFrom(guide, runningSeconds, actual, plan.max_drum_rpm).map(deviationText),
  };
};
