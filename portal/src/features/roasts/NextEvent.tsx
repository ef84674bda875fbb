import type { PredictedCrack } from '@roastery/contract/roast-forecasts';
import type { Roast } from '@roastery/contract/roasts';
import { formatDuration } from '@roastery/roasting/units';
import { markLabels } from '../../components/chart/mark-layout.ts';
import { Measure } from '../../components/figures.tsx';
import { formatPercent } from '../../format/numbers.ts';
import { learntFrom, unforeseenText, type CrackRange, type ExpectedEvent } from '../../components/live/next-event.ts';
import { t } from '../../language/t.ts';

interface NextEventProps {
  roast: Roast;
  expected: ExpectedEvent | null;
  crackBetween: CrackRange | null;
  isUnforeseen: boolean;
  predictedCrack: PredictedCrack | undefined;
  elapsedSeconds: number | null;
  stale: boolean;
}

/** The next event with its expected times or temperatures; after first crack the progress of development. */
export const NextEvent = (props: NextEventProps) => {
  const { roast, expected, crackBetween, isUnforeseen, predictedCrack, elapsedSeconds, stale } = props;
  const crack = roast.marks.find((mark) => mark.kind === 'first_crack')?.time_seconds;
  const developed = crack === undefined || elapsedSeconds === null ? null : elapsedSeconds - crack;
  return (
    <>
      {developed !== null && elapsedSeconds !== null && (
        <div className="min-w-0">
          <dt className="label-mono truncate">{t`Development`}</dt>
          <dd className="figures font-medium text-strong">
            {formatDuration(developed)}
            <span className="text-muted"> · {formatPercent(developed / elapsedSeconds)}</span>
          </dd>
        </div>
      )}
      {expected?.kind === 'first_crack' && predictedCrack !== undefined && elapsedSeconds !== null && !stale && (
        <ExpectedCrack {...{ expected, predictedCrack, elapsedSeconds }} />
      )}
      {expected === null && crackBetween !== null && predictedCrack !== undefined && !stale && (
        <div className="min-w-0" data-testid="next-event">
          <dt className="label-mono truncate">{t`First Crack`}</dt>
          <dd className="figures font-medium text-strong">
            {t`from ${<Measure quantity="temperature" value={crackBetween.fromC} digits={0} />} to ${<Measure quantity="temperature" value={crackBetween.toC} digits={0} />}`}
          </dd>
          <dd className="text-xs text-muted">{learntFrom(predictedCrack)}</dd>
        </div>
      )}
      {expected === null && crackBetween === null && isUnforeseen && developed === null && !stale && (
        <div className="min-w-0" data-testid="next-event">
          <dt className="label-mono truncate">{t`Forecast`}</dt>
          <dd className="text-muted">{unforeseenText()}</dd>
        </div>
      )}
      {expected !== null && expected.kind !== 'first_crack' && !stale && (
        <div className="min-w-0" data-testid="next-event">
          <dt className="label-mono truncate">{t`${markLabels[expected.kind].long} expected`}</dt>
          <dd className="figures font-medium text-strong">
            {formatDuration(expected.likely)}
            <span className="font-normal text-muted">
              {' '}
              {t`between ${formatDuration(Math.max(expected.earliest, elapsedSeconds ?? 0))} and ${formatDuration(expected.latest)}`}
            </span>
          </dd>
        </div>
      )}
    </>
  );
};

interface ExpectedCrackProps {
  expected: ExpectedEvent;
  predictedCrack: PredictedCrack;
  elapsedSeconds: number;
}

/** First crack as a countdown with its range, and the source of the prediction. */
const ExpectedCrack = ({ expected, predictedCrack, elapsedSeconds }: ExpectedCrackProps) => {
  const isDue = expected.likely - elapsedSeconds < 5;
  const soonest = expected.earliest - elapsedSeconds;
  return (
    <div className="min-w-0" data-testid="next-event">
      <dt className="label-mono truncate">{t`First Crack`}</dt>
      <dd className="figures font-medium text-strong">
        {isDue ? t`any moment` : t`in ${formatDuration(expected.likely - elapsedSeconds)}`}
        <span className="font-normal text-muted">
          {' '}
          {t`(${soonest < 1 ? t`now` : formatDuration(soonest)}–${formatDuration(expected.latest - elapsedSeconds)}), at ${<Measure quantity="temperature" value={predictedCrack.temp} />}`}
        </span>
      </dd>
      <dd className="text-xs text-muted">{learntFrom(predictedCrack)}</dd>
    </div>
  );
};
