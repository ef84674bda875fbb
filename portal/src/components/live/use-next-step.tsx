import type { FollowedPlan } from '@roastery/contract/roast-plan';
import {
  changeText,
  deviationsFrom,
  dueStep,
  guideOf,
  nextStep,
  plannedAt,
  stepMoment,
  type ControlChange,
  type GuideDeviation,
  type GuideStep,
  type Settings,
} from '@roastery/roasting/recipe/guide';
import { formatDuration } from '@roastery/roasting/units';
import { ArrowRight } from 'lucide-react';
import { useMemo } from 'react';
import type { LiveMachine } from '../../api/use-live.ts';
import { usePageActions } from '../page-actions.tsx';
import { t } from '../../language/t.ts';
import { useStepSignal, type StepNearness } from './step-signal.ts';

/** Seconds before a step at which it is announced. */
const soonSeconds = 10;

export interface FollowedStep {
  /** The step that is due, else the next one; null after the last. */
  readonly step: GuideStep | null;
  /** The one after a step that is due. */
  readonly after: GuideStep | null;
  readonly settings: Settings | null;
  readonly deviations: readonly GuideDeviation[];
  readonly nearness: StepNearness;
  /** Without fresh readings a step has its time and no countdown. */
  readonly isStale: boolean;
  /** Sound and vibration at steps. */
  readonly isSignalled: boolean;
  readonly toggleSignal: () => void;
}

const nearnessOf = (step: GuideStep | null, isDue: boolean): StepNearness => {
  if (step === null) return 'later';
  return isDue ? 'now' : step.inSeconds <= soonSeconds ? 'soon' : 'later';
};

/** The current step of a running roast's plan, with the signal for the next step. */
export const useNextStep = (
  plan: Pick<FollowedPlan, 'points' | 'interpolated' | 'max_drum_rpm'>,
  live: LiveMachine,
  elapsedSeconds: number | null,
): FollowedStep => {
  const guide = useMemo(() => guideOf(plan), [plan]);
  const isStale = live.state !== 'live' || elapsedSeconds === null;
  const seconds = Math.max(0, elapsedSeconds ?? 0);
  const due = dueStep(guide, seconds);
  const step = due ?? nextStep(guide, seconds);
  const values = live.reading?.values ?? {};
  const actual = { burner: values['heat_power'], exhaust: values['fan_speed'], drumPercent: values['drum_speed'] };
  const nearness = isStale ? 'later' : nearnessOf(step, due !== null);
  const [isSignalled, toggleSignal] = useStepSignal(step?.atSeconds ?? null, nearness);
  usePageActions(
    useMemo(
      () => [{ id: 'step-signal', label: t`Sound and vibration at steps of the plan`, run: toggleSignal }],
      [toggleSignal],
    ),
  );
  return {
    step,
    after: due === null ? null : nextStep(guide, seconds),
    settings: plannedAt(guide, seconds),
    deviations: isStale ? [] : deviationsFrom(guide, seconds, actual, plan.max_drum_rpm),
    nearness,
    isStale,
    isSignalled,
    toggleSignal,
  };
};

/** The step for a screen reader: changes with each step, not every second. */
export const spokenStep = (step: GuideStep | null, nearness: StepNearness): string => {
  if (step === null) return t`No more steps in the plan`;
  // A gradual change is spoken once, with its target, not every second.
  if (step.gradual) return `${stepMoment(step)}: ${spokenEnds(step)}`;
  const changes = step.changes
    .map(({ control, from, to }) => t`${spokenName[control]} from ${from} to ${to}`)
    .join(', ');
  if (nearness === 'now') return t`Now: ${changes}`;
  return nearness === 'soon'
    ? t`In ${soonSeconds} seconds: ${changes}`
    : t`Next at ${formatDuration(step.atSeconds)}: ${spokenEnds(step)}`;
};
const spokenName = { burner: 'burner', exhaust: 'airflow', drumRpm: 'drum' } as const;
const spokenEnds = (step: GuideStep): string =>
  step.changes.map(({ control, to }) => t`${spokenName[control]} to ${to}`).join(', ');

/** `Burner 80 → 60 %`; the arrow is drawn, since not every font has one. */
export const StepChange = ({ change }: { change: ControlChange }) => {
  const [from, to] = changeText(change).split('→');
  return (
    <span className="whitespace-nowrap">
      {from}
      <ArrowRight aria-hidden className="mb-[0.12em] inline size-[0.75em]" />
      <span className="sr-only">→</span>
      {to}
    </span>
  );
};
