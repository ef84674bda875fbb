import type { FollowedPlan } from '@roastery/contract/roast-plan';
import { deviationText, settingsText, stepMoment } from '@roastery/roasting/guide';
import { formatDuration } from '@roastery/roasting/units';
import { Bell, BellOff } from 'lucide-react';
import { Fragment } from 'react';
import type { LiveMachine } from '../../api/use-live.ts';
import { Measure } from '../../components/figures.tsx';
import { spokenStep, StepChange, useNextStep } from '../../components/live/use-next-step.tsx';
import { t } from '../../language/t.ts';
import { classes } from '../../ui/classes.ts';
import { IconButton } from '../../ui/IconButton.tsx';

interface NextStepProps {
  plan: FollowedPlan;
  live: LiveMachine;
  elapsedSeconds: number | null;
}

/**
 * The next step and its time, readable from three metres, and deviations from the plan. Without
 * fresh readings it shows the step's time without a countdown.
 */
export const NextStep = ({ plan, live, elapsedSeconds }: NextStepProps) => {
  const {
    step,
    after,
    settings,
    deviations,
    nearness,
    isStale: stale,
    isSignalled: isOn,
    toggleSignal: toggle,
  } = useNextStep(plan, live, elapsedSeconds);
  return (
    <section
      aria-label={t`Plan`}
      data-testid="next-step"
      data-nearness={nearness}
      // On a phone the controls come before the figures: there is no room for both above the fold.
      className={classes(
        'rounded-lg border px-4 py-3 max-sm:order-first',
        nearness === 'now' ? 'border-accent bg-accent-soft' : 'border-stroke bg-surface',
      )}
    >
      <div className="flex items-center justify-between gap-x-4">
        <p className="min-w-0 text-sm text-muted">
          <span className="label-mono">{t`Plan`}</span>{' '}
          <span className="font-medium text-strong">{planName(plan)}</span>
          {settings !== null && <span className="max-sm:hidden"> · {settingsText(settings)}</span>}
        </p>
        <IconButton
          size="md"
          label={isOn ? t`Sound and vibration at steps: on` : t`Sound and vibration at steps: off`}
          aria-pressed={isOn}
          icon={isOn ? <Bell aria-hidden className="text-accent-text" /> : <BellOff aria-hidden />}
          onClick={toggle}
        />
      </div>
      {step === null ? (
        <LastPart plan={plan} />
      ) : (
        <p className="mt-1 flex flex-wrap items-baseline gap-x-6 gap-y-1 font-semibold tracking-tight" aria-hidden>
          <span
            data-testid="step-moment"
            className={classes(
              'figures min-w-[4.6ch] text-[2.5rem] leading-tight md:text-[3.25rem]',
              stale ? 'text-muted' : nearness === 'later' ? 'text-strong' : 'text-accent-text',
            )}
          >
            {stale && !step.gradual ? t`At ${formatDuration(step.atSeconds)}` : stepMoment(step)}
          </span>
          <span
            data-testid="step-changes"
            className={classes(
              'figures flex flex-wrap gap-x-6 text-[1.75rem] leading-tight md:text-[2.75rem]',
              stale ? 'text-muted' : 'text-strong',
            )}
          >
            {step.changes.map((change) => (
              <StepChange key={change.control} change={change} />
            ))}
          </span>
        </p>
      )}
      <div className="flex min-h-7 flex-wrap items-baseline gap-x-6 text-base">
        {stale && live.state !== 'connecting' && (
          <p className="text-warning">{t`No new readings: the next step follows the roast time`}</p>
        )}
        {deviations.map((deviation) => (
          <p key={deviation.control} data-testid="plan-deviation" className="font-medium text-warning">
            {sentence(deviationText(deviation))}
          </p>
        ))}
        {after !== null && (
          <p className="figures text-muted">
            {t`then ${stepMoment(after).toLowerCase()}: ${after.changes.map((change, index) => (
              <Fragment key={change.control}>
                {index > 0 && ' · '}
                <StepChange change={change} />
              </Fragment>
            ))}`}
          </p>
        )}
      </div>
      <output className="sr-only">{stale ? '' : spokenStep(step, nearness)}</output>
    </section>
  );
};

const planName = (plan: FollowedPlan): string => plan.recipe?.name ?? plan.coffee_name ?? t`Unnamed Roast`;

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** After the last step only the drop remains. */
const LastPart = ({ plan }: { plan: FollowedPlan }) => (
  <p className="mt-1 flex flex-wrap items-baseline gap-x-6 text-[1.75rem] leading-tight font-semibold tracking-tight text-strong md:text-[2.75rem]">
    <span>{t`No more steps`}</span>
    {plan.target_drop_temp !== null && (
      <span>
        {t`Drop ${<Measure quantity="temperature" value={plan.target_drop_temp} />}`}
        {plan.target_roast_time !== null && (
          <span className="figures"> · {formatDuration(plan.target_roast_time)}</span>
        )}
      </span>
    )}
  </p>
);
