import type { FollowedPlan } from '@roastery/contract/roast-plan';
import { deviationText, settingsText, stepMoment } from '@roastery/roasting/recipe/guide';
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
 * One row above the curve: the next step and its time, and beneath it what deviates, else what comes after. Without fresh
 * readings it shows the step's time without a countdown.
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
      className={classes(
        planRow,
        'grid grid-cols-[auto_minmax(0,1fr)_auto] content-center gap-x-3 py-1',
        nearness === 'now' && 'bg-accent-soft',
      )}
    >
      {step === null ? (
        <LastPart plan={plan} />
      ) : (
        <>
          <p
            aria-hidden
            data-testid="step-moment"
            className={classes(
              'figures min-w-[4.2ch] text-xl leading-none font-semibold tracking-tight whitespace-nowrap md:row-start-1 md:row-end-3 md:text-[1.75rem]',
              stale ? 'text-muted' : nearness === 'later' ? 'text-strong' : 'text-accent-text',
            )}
          >
            {stale && !step.gradual ? t`At ${formatDuration(step.atSeconds)}` : stepMoment(step)}
          </p>
          <p
            aria-hidden
            data-testid="step-changes"
            className={classes(changesClass, 'max-md:col-span-2 md:row-start-1', stale ? 'text-muted' : 'text-strong')}
          >
            {step.changes.map((change) => (
              <StepChange key={change.control} change={change} />
            ))}
          </p>
        </>
      )}
      <div className="flex min-h-5 min-w-0 flex-wrap gap-x-3 text-sm max-md:col-span-2 row-start-2 md:col-start-2">
        {stale && live.state !== 'connecting' && (
          <p className="text-warning">{t`No new readings: the next step follows the roast time`}</p>
        )}
        {deviations.map((deviation) => (
          <p key={deviation.control} data-testid="plan-deviation" className="font-medium text-warning">
            {sentence(deviationText(deviation))}
          </p>
        ))}
        {after !== null && (
          <p className="figures truncate text-muted">
            {t`then ${stepMoment(after).toLowerCase()}: ${after.changes.map((change, index) => (
              <Fragment key={change.control}>
                {index > 0 && ' · '}
                <StepChange change={change} />
              </Fragment>
            ))}`}
          </p>
        )}
        {(!stale || live.state === 'connecting') && deviations.length === 0 && after === null && (
          <p className="truncate text-muted">
            {planName(plan)}
            {settings !== null && <span className="max-md:hidden"> · {settingsText(settings)}</span>}
          </p>
        )}
      </div>
      <IconButton
        size="md"
        label={isOn ? t`Sound and vibration at steps: on` : t`Sound and vibration at steps: off`}
        aria-pressed={isOn}
        icon={isOn ? <Bell aria-hidden className="text-accent-text" /> : <BellOff aria-hidden />}
        onClick={toggle}
        className="col-start-3 row-start-2 md:row-start-1 md:row-end-3"
      />
      <output className="sr-only">{stale ? '' : spokenStep(step, nearness)}</output>
    </section>
  );
};

/** As tall without a step as with one whose changes take two lines: the curve below does not move. */
const planRow = 'min-h-17 min-w-0 flex-1 items-center px-3 md:min-h-15 md:px-4';
const changesClass =
  'figures flex flex-wrap gap-x-4 text-sm font-semibold md:text-base md:leading-5 min-[1400px]:text-lg';

/** Before the plan is read, and for a roast without one. */
export const NoStep = ({ isRead }: { isRead: boolean }) => (
  <p className={classes(planRow, 'flex text-sm text-muted', isRead && 'max-md:min-h-9')}>{isRead && t`No plan`}</p>
);

const planName = (plan: FollowedPlan): string => plan.recipe?.name ?? plan.coffee_name ?? t`Unnamed Roast`;

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** After the last step only the drop remains. */
const LastPart = ({ plan }: { plan: FollowedPlan }) => (
  <p className={classes(changesClass, 'col-span-2 text-strong')}>
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
