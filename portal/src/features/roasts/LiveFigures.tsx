import type { PredictedCrack, Roast } from '@roastery/contract/roasts';
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
  predictedCrack: PredictedCrack | undefined;
  /** The button that marks the next event. */
  action: ReactNode;
}

/**
 * The figures of a running roast, large enough for three metres. They turn grey and show their age when readings stop: a
 * frozen number must not look live.
 */
export const LiveFigures = (props: LiveFiguresProps) => {
  const { roast, live, elapsedSeconds, rateC, deviationC, expected, crackBetween, predictedCrack, action } = props;
  const stale = live.state !== 'live';
  const values = live.reading?.values ?? {};
  return (
    <Card className="overflow-hidden" data-testid="live-figures" data-state={live.state}>
      <div className="grid grid-cols-2 gap-px bg-stroke md:grid-cols-[1fr_1.1fr_1fr]">
        <BigFigure label={t`Time`} stale={stale} age={live.readingAgeSeconds} state={stateLabels[live.state]}>
          <span data-testid="live-clock">{formatDuration(elapsedSeconds)}</span>
        </BigFigure>
        <BigFigure
          label={t`Bean Temp`}
          quantity="temperature"
          token="curve-bean"
          stale={stale}
          className="max-md:col-span-2 max-md:row-start-1 max-md:text-[5.75rem]"
        >
          <span data-testid="live-bean">
            <Value quantity="temperature" value={values['bean_temp']} />
          </span>
        </BigFigure>
        <BigFigure label={t`Rate of Rise`} quantity="rate" token="curve-rate" stale={stale}>
          <Value quantity="rate" value={rateC} />
        </BigFigure>
      </div>
      <div className="flex flex-wrap items-center gap-x-8 gap-y-3 border-t border-stroke px-4 py-3">
        <dl className="grid grow grid-cols-4 gap-x-4 gap-y-3 text-base sm:flex sm:flex-wrap sm:gap-x-8">
          <NextEvent {...{ roast, expected, crackBetween, predictedCrack, elapsedSeconds, stale }} />
          {deviationC !== undefined && (
            <SmallFigure label={t`vs reference`} className="max-sm:col-span-2">
              <Difference valueC={deviationC} stale={stale} />
            </SmallFigure>
          )}
          <ControlFigures {...{ values, stale }} />
        </dl>
        {action}
      </div>
    </Card>
  );
};

interface BigFigureProps {
  label: string;
  quantity?: Quantity;
  token?: string;
  stale: boolean;
  age?: number | null;
  state?: string;
  className?: string;
  children: ReactNode;
}

/** Value large and bright; its unit is with the label, where it takes no room from the figure. */
const BigFigure = ({ label, quantity, token, stale, age, state, className, children }: BigFigureProps) => {
  const units = usePreferences();
  return (
    <div
      className={classes(
        'flex min-w-0 flex-col justify-between gap-1 bg-surface px-4 pt-3 pb-3.5 text-[3.25rem] md:text-[clamp(3.5rem,6.4vw,5.75rem)]',
        className,
      )}
    >
      <p className="flex items-baseline gap-x-2 gap-y-0.5">
        {token !== undefined && (
          <span aria-hidden className="size-2 shrink-0 rounded-full" style={{ background: `var(--${token})` }} />
        )}
        <span className="label-mono">
          {label}
          {quantity !== undefined && <span className="normal-case"> {unitOf(quantity, units)}</span>}
        </span>
        {state !== undefined && stale && (
          <span className="text-sm font-medium text-warning">
            <output>{state}</output>
            {age !== null && age !== undefined && <span className="figures"> · {t`${age} s ago`}</span>}
          </span>
        )}
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
