import type { PredictedCrack } from '@roastery/contract/roast-forecasts';
import type { Roast } from '@roastery/contract/roasts';
import { formatDuration } from '@roastery/roasting/units';
import type { ReactNode } from 'react';
import type { LiveMachine } from '../../api/use-live.ts';
import { Difference } from '../../components/figures.tsx';
import { ControlFigures, SmallFigure } from '../../components/live/ControlFigures.tsx';
import { usePreferences } from '../../format/preferences.ts';
import { readingOf, unitOf, type Quantity } from '../../format/quantities.ts';
import { t } from '../../language/t.ts';
import { Card } from '../../ui/Card.tsx';
import { classes } from '../../ui/classes.ts';
import { stateLabels } from '../../components/live/LiveBadge.tsx';
import { NextEvent } from './NextEvent.tsx';
import type { CrackRange, ExpectedEvent } from '../../components/live/next-event.ts';

interface LiveFiguresProps {
  roast: Roast;
  live: LiveMachine;
  elapsedSeconds: number | null;
  rateC: number | null;
  /** °C above the reference curve; `undefined` without a reference. */
  deviationC: number | null | undefined;
  expected: ExpectedEvent | null;
  crackBetween: CrackRange | null;
  isUnforeseen: boolean;
  predictedCrack: PredictedCrack | undefined;
  /** The next step of the plan. */
  step: ReactNode;
  /** The button that marks the next event. */
  action: ReactNode;
}

/**
 * The figures of a running roast and its next step, in a band above the curve. What the stream fills has its room from
 * the start: the curve below does not move. The figures turn grey and show their age when readings stop: a
 * frozen number must not look live.
 */
export const LiveFigures = (props: LiveFiguresProps) => {
  const { roast, live, elapsedSeconds, rateC, deviationC, step, action } = props;
  const { expected, crackBetween, isUnforeseen, predictedCrack } = props;
  const stale = live.state !== 'live';
  const values = live.reading?.values ?? {};
  return (
    <Card className="overflow-hidden">
      <div
        data-testid="live-figures"
        data-state={live.state}
        className="grid min-[1400px]:min-h-22 min-[1400px]:grid-cols-[auto_minmax(0,1fr)]"
      >
        <div className="grid grid-cols-[1fr_1.6fr_1.2fr] md:grid-cols-3 min-[1400px]:grid-cols-[repeat(3,10.5rem)]">
          <BigFigure label={t`Time`} stale={stale}>
            <span data-testid="live-clock">{formatDuration(elapsedSeconds)}</span>
          </BigFigure>
          <BigFigure
            label={t`Bean Temp`}
            quantity="temperature"
            token="curve-bean"
            stale={stale}
            className="max-md:text-[3.25rem]"
          >
            <span data-testid="live-bean">
              <Value quantity="temperature" value={values['bean_temp']} />
            </span>
          </BigFigure>
          <BigFigure label={t`Rate of Rise`} quantity="rate" token="curve-rate" stale={stale}>
            <Value quantity="rate" value={rateC} />
          </BigFigure>
        </div>
        <div className="flex items-center gap-x-3 border-stroke px-3 py-1.5 text-sm max-[1400px]:border-t md:px-4">
          <dl className="flex min-h-9 min-w-0 flex-1 flex-wrap items-center gap-x-5">
            {stale && <Silence live={live} />}
            <NextEvent {...{ roast, expected, crackBetween, isUnforeseen, predictedCrack, elapsedSeconds, stale }} />
          </dl>
          {/* On a phone the charts of the controls show them, and the panel of the last point. */}
          <dl className="grid shrink-0 grid-cols-[4.25rem_2.75rem_3.75rem_2.75rem] gap-x-3 max-md:hidden">
            <ControlFigures {...{ values, stale }} />
          </dl>
          <dl className="w-26 shrink-0">
            <SmallFigure label={t`vs reference`}>
              <Difference valueC={deviationC ?? null} stale={stale} />
            </SmallFigure>
          </dl>
        </div>
      </div>
      <div className="flex flex-col border-t border-stroke md:flex-row md:items-stretch">
        {step}
        {action}
      </div>
    </Card>
  );
};

/** The state of a signal without fresh readings, and its age: in the place of the next event, which is then unknown. */
const Silence = ({ live }: { live: LiveMachine }) => (
  <div className="min-w-0">
    <dt className="label-mono truncate">{t`Readings`}</dt>
    <dd className="font-medium text-warning">
      <output>{stateLabels[live.state]}</output>
      {live.readingAgeSeconds !== null && <span className="figures"> · {t`${live.readingAgeSeconds} s ago`}</span>}
    </dd>
  </div>
);

interface BigFigureProps {
  label: string;
  quantity?: Quantity;
  token?: string;
  stale: boolean;
  className?: string;
  children: ReactNode;
}

/** Value large and bright; its unit is with the label, where it takes no room from the figure. */
const BigFigure = ({ label, quantity, token, stale, className, children }: BigFigureProps) => {
  const units = usePreferences();
  return (
    <div
      className={classes(
        'flex min-w-0 flex-col justify-between gap-1 border-stroke px-2.5 pt-1.5 pb-2 md:px-3 text-[1.625rem] not-first:border-l md:text-[4rem] min-[1400px]:border-r min-[1400px]:text-[3.25rem] min-[1400px]:not-first:border-l-0',
        className,
      )}
    >
      <p className="flex items-baseline gap-x-2 md:whitespace-nowrap">
        {token !== undefined && (
          <span
            aria-hidden
            className="size-2 shrink-0 rounded-full max-md:hidden"
            style={{ background: `var(--${token})` }}
          />
        )}
        <span className="label-mono">
          {label}
          {quantity !== undefined && <span className="normal-case"> {unitOf(quantity, units)}</span>}
        </span>
      </p>
      <p
        className={classes(
          'figures leading-[0.95] font-semibold tracking-tight whitespace-nowrap',
          stale ? 'text-muted' : 'text-strong',
        )}
      >
        {children}
      </p>
    </div>
  );
};

const Value = ({ quantity, value }: { quantity: Quantity; value: number | null | undefined }) =>
  readingOf(quantity, value, usePreferences()).value;
