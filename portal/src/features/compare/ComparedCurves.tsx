import { GitCompareArrows } from 'lucide-react';
import { useMemo } from 'react';
import { ResetZoom } from '../../components/chart/ResetZoom.tsx';
import type { TimeViewStore } from '../../components/chart/time-view.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { usePreferences } from '../../format/preferences.ts';
import { unitOf } from '../../format/quantities.ts';
import { t } from '../../language/t.ts';
import { Card, Skeleton } from '../../ui/Card.tsx';
import { classes } from '../../ui/classes.ts';
import type { PlacedRoast } from './AtMoment.tsx';
import { columnOfQuantity, differenceFrom, type ComparedQuantity } from './compare-lines.ts';
import { LinesChart } from './LinesChart.tsx';
import type { Comparison } from './use-comparison.ts';

export const quantityLabels: Record<ComparedQuantity, string> = {
  bean_temp: t`Bean temp`,
  exhaust_temp: t`Exhaust temp`,
  ror: t`Rate of rise`,
};

const linesOf = (placed: readonly PlacedRoast[], quantity: ComparedQuantity) =>
  placed.map(({ style, aligned }) => ({
    style,
    timeSeconds: aligned.timeSeconds,
    values: columnOfQuantity(aligned, quantity),
    marks: quantity === 'bean_temp' ? aligned.marks : [],
  }));

/** The chosen curve, the rate of rise below a bean temperature, and the differences from the first roast. */
export const ComparedCurves = ({ comparison, view }: { comparison: Comparison; view: TimeViewStore }) => {
  const { alignment, quantity, selected, compared, placed, select } = comparison;
  const units = usePreferences();
  const isRate = quantity === 'ror';
  const unit = unitOf(isRate ? 'rate' : 'temperature', units);
  const lines = useMemo(() => linesOf(placed, quantity), [placed, quantity]);
  // Bean temperature and its rate of rise are read together.
  const rates = useMemo(() => (quantity === 'bean_temp' ? linesOf(placed, 'ror') : []), [placed, quantity]);
  const differences = useMemo(() => {
    const [base, ...others] = placed;
    return base === undefined
      ? []
      : others.map(({ style, aligned }) => ({ style, ...differenceFrom(base.aligned, aligned, quantity) }));
  }, [placed, quantity]);
  const isLoading = compared.some(({ roast, curve, error }) => (!roast || !curve) && !error);
  const reference = placed[0]?.style.tag ?? '';
  const chart = { units, view, selected, onSelect: select };
  return (
    <Card className="min-w-0 p-3 sm:p-4 xl:col-start-1">
      <div className="flex min-h-8 items-center justify-between gap-3 pb-1">
        <ChartTitle
          title={quantityLabels[quantity]}
          note={quantity === 'bean_temp' ? `${unit} · ${t`ring: first crack, square: drop`}` : unit}
        />
        <ResetZoom view={view} />
      </div>
      {placed.length === 0 ? (
        isLoading ? (
          <Skeleton className="h-[340px] w-full" />
        ) : (
          <div className="flex h-[340px] items-center justify-center">
            <EmptyState icon={<GitCompareArrows aria-hidden />} title={t`No curves to show`}>
              {alignment === 'first_crack'
                ? t`None of these roasts has a first crack marked.`
                : t`These roasts have no recorded curve.`}
            </EmptyState>
          </div>
        )
      ) : (
        <>
          <LinesChart
            {...chart}
            lines={lines}
            axis={isRate ? 'rate' : 'temperature'}
            label={t`${quantityLabels[quantity]} of ${placed.length} roasts`}
            height={340}
          />
          {rates.length > 0 && (
            <>
              <ChartTitle title={quantityLabels.ror} note={unitOf('rate', units)} className="pt-3 pb-1" />
              <LinesChart
                {...chart}
                lines={rates}
                axis="rate"
                label={t`${quantityLabels.ror} of ${placed.length} roasts`}
                height={190}
              />
            </>
          )}
          {differences.length > 0 && (
            <>
              <ChartTitle
                title={t`Difference from ${reference}`}
                note={`${unit} · ${isRate ? t`above zero is faster` : t`above zero is hotter`}`}
                className="pt-3 pb-1"
              />
              <LinesChart
                {...chart}
                lines={differences}
                axis={isRate ? 'rate_difference' : 'temperature_difference'}
                label={t`Difference of ${quantityLabels[quantity].toLowerCase()} from ${reference}`}
                height={170}
              />
            </>
          )}
        </>
      )}
    </Card>
  );
};

const ChartTitle = ({ title, note, className = '' }: { title: string; note: string; className?: string }) => (
  <h2 className={classes(className, 'text-base font-semibold text-strong')}>
    {title} <span className="text-sm font-normal text-muted">{note}</span>
  </h2>
);
