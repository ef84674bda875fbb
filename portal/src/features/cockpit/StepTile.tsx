import type { FollowedPlan } from '@roastery/contract/roast-plan';
import { deviationText, stepMoment } from '@roastery/roasting/recipe/guide';
import { formatDuration } from '@roastery/roasting/units';
import { Bell, BellOff } from 'lucide-react';
import type { ReactNode } from 'react';
import type { LiveMachine } from '../../api/use-live.ts';
import { Measure } from '../../components/figures.tsx';
import { markLabels } from '../../components/chart/mark-layout.ts';
import { unforeseenText, type CrackRange, type ExpectedEvent } from '../../components/live/next-event.ts';
import { useStepSignal } from '../../components/live/step-signal.ts';
import { spokenStep, StepChange, useNextStep } from '../../components/live/use-next-step.tsx';
import { t } from '../../language/t.ts';
import { classes } from '../../ui/classes.ts';
import { IconButton } from '../../ui/IconButton.tsx';

interface StepTileProps {
  plan: FollowedPlan | null | undefined;
  live: LiveMachine;
  elapsedSeconds: number | null;
  expected: ExpectedEvent | null;
  crackBetween: CrackRange | null;
  isUnforeseen: boolean;
  className?: string | undefined;
}

/** The next step of the plan with its countdown; without a plan the event that is expected next. */
export const StepTile = ({
  plan,
  expected,
  crackBetween,
  isUnforeseen,
  elapsedSeconds,
  live,
  className,
}: StepTileProps) =>
  plan && plan.points.length > 0 ? (
    <PlannedStep {...{ plan, live, expected, crackBetween, isUnforeseen, elapsedSeconds, className }} />
  ) : (
    <Tile label={t`Next event`} className={className} action={<AlarmSignalSwitch />}>
      {live.state !== 'live' ? (
        <span className="text-muted">--</span>
      ) : (
        <Expected {...{ expected, crackBetween, isUnforeseen, elapsedSeconds }} />
      )}
    </Tile>
  );

/** Without a plan there are no steps to signal, but alarms. */
const AlarmSignalSwitch = () => {
  const [isSignalled, toggleSignal] = useStepSignal(null, 'later');
  return (
    <IconButton
      size="md"
      label={isSignalled ? t`Sound and vibration at alarms: on` : t`Sound and vibration at alarms: off`}
      aria-pressed={isSignalled}
      icon={isSignalled ? <Bell aria-hidden className="text-accent-text" /> : <BellOff aria-hidden />}
      onClick={toggleSignal}
    />
  );
};

type ExpectedProps = Pick<StepTileProps, 'expected' | 'crackBetween' | 'isUnforeseen' | 'elapsedSeconds'>;

const Expected = ({ expected, crackBetween, isUnforeseen, elapsedSeconds }: ExpectedProps) => {
  if (expected !== null && elapsedSeconds !== null) {
    const inSeconds = expected.likely - elapsedSeconds;
    const { long } = markLabels[expected.kind];
    return (
      <>
        <span className="text-strong">
          {inSeconds < 5 ? t`${long} any moment` : t`${long} in ${formatDuration(inSeconds)}`}
        </span>
        <span className="text-base font-normal text-muted">
          {t`between ${formatDuration(Math.max(expected.earliest, elapsedSeconds))} and ${formatDuration(expected.latest)}`}
        </span>
      </>
    );
  }
  if (crackBetween === null)
    return isUnforeseen ? (
      <span className="text-base leading-5 font-normal tracking-normal text-muted">{unforeseenText()}</span>
    ) : (
      <span className="text-muted">--</span>
    );
  const { fromC, toC } = crackBetween;
  return (
    <>
      <span className="text-strong">
        {t`${markLabels.first_crack.long} from ${<Measure quantity="temperature" value={fromC} digits={0} />}`}
      </span>
      <span className="text-base font-normal text-muted">
        {t`to ${<Measure quantity="temperature" value={toC} digits={0} />}`}
      </span>
    </>
  );
};

/** First crack beside the steps of a plan, or why nothing is forecast. */
const CrackNote = ({ expected, crackBetween, isUnforeseen, elapsedSeconds }: ExpectedProps) => {
  const long = markLabels.first_crack.long;
  if (expected?.kind === 'first_crack' && elapsedSeconds !== null) {
    const [from, to] = [formatDuration(Math.max(expected.earliest, elapsedSeconds)), formatDuration(expected.latest)];
    const inSeconds = expected.likely - elapsedSeconds;
    return inSeconds < 5
      ? t`${long} any moment (${from}–${to})`
      : t`${long} in ${formatDuration(inSeconds)} (${from}–${to})`;
  }
  if (crackBetween === null) return isUnforeseen ? unforeseenText() : null;
  const { fromC, toC } = crackBetween;
  return t`${long} from ${<Measure quantity="temperature" value={fromC} digits={0} />} to ${<Measure quantity="temperature" value={toC} digits={0} />}`;
};

type PlannedStepProps = { plan: FollowedPlan } & Omit<StepTileProps, 'plan'>;

const PlannedStep = (props: PlannedStepProps) => {
  const { plan, live, expected, crackBetween, isUnforeseen, elapsedSeconds, className } = props;
  const { step, deviations, nearness, isStale, isSignalled, toggleSignal } = useNextStep(plan, live, elapsedSeconds);
  const [deviation] = deviations;
  return (
    <Tile
      label={t`Next step`}
      className={classes(nearness === 'now' && 'bg-accent-soft', className)}
      nearness={nearness}
      spoken={isStale ? '' : spokenStep(step, nearness)}
      warning={deviation === undefined ? null : sentence(deviationText(deviation))}
      note={isStale ? null : <CrackNote {...{ expected, crackBetween, isUnforeseen, elapsedSeconds }} />}
      action={
        <IconButton
          size="md"
          label={isSignalled ? t`Sound and vibration at steps: on` : t`Sound and vibration at steps: off`}
          aria-pressed={isSignalled}
          icon={isSignalled ? <Bell aria-hidden className="text-accent-text" /> : <BellOff aria-hidden />}
          onClick={toggleSignal}
        />
      }
    >
      {step === null ? (
        <LastPart plan={plan} />
      ) : (
        <>
          <span className={isStale ? 'text-muted' : nearness === 'later' ? 'text-strong' : 'text-accent-text'}>
            {isStale && !step.gradual ? t`At ${formatDuration(step.atSeconds)}` : stepMoment(step)}
          </span>
          {step.changes.map((change) => (
            <span key={change.control} className={classes('whitespace-nowrap', isStale ? 'text-muted' : 'text-strong')}>
              <StepChange change={change} />
            </span>
          ))}
        </>
      )}
    </Tile>
  );
};

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** After the last step only the drop remains. */
const LastPart = ({ plan }: { plan: FollowedPlan }) =>
  plan.target_drop_temp === null ? (
    <span>{t`No more steps`}</span>
  ) : (
    <span>
      {t`Drop ${<Measure quantity="temperature" value={plan.target_drop_temp} />}`}
      {plan.target_roast_time !== null && <span> · {formatDuration(plan.target_roast_time)}</span>}
    </span>
  );

interface TileProps {
  label: string;
  nearness?: string;
  warning?: string | null;
  /** Where there is no warning. */
  note?: ReactNode;
  action?: ReactNode;
  /** For a screen reader, which reads it when it changes. */
  spoken?: string;
  className?: string | undefined;
  children: ReactNode;
}

const Tile = ({ label, nearness, warning = null, note = null, action, spoken, className, children }: TileProps) => (
  <section
    aria-label={label}
    data-testid="next-step"
    data-nearness={nearness}
    className={classes('flex min-w-0 items-center gap-2 bg-surface py-1.5 pr-1.5 pl-3 lg:pl-4', className)}
  >
    <div className="min-w-0 flex-1">
      <p className="flex min-w-0 items-baseline gap-x-3">
        <span className="label-mono shrink-0">{label}</span>
        <span className={classes('truncate text-sm font-medium', warning === null ? 'text-content' : 'text-warning')}>
          {warning ?? note}
        </span>
      </p>
      <p className="figures flex flex-wrap items-baseline gap-x-4 text-[1.375rem] leading-7 font-semibold tracking-tight lg:text-2xl">
        {children}
      </p>
    </div>
    {spoken !== undefined && <output className="sr-only">{spoken}</output>}
    {action}
  </section>
);
