import { GitCompareArrows } from 'lucide-react';
import { useEffect, useMemo } from 'react';
import { ResetZoom } from '../../components/chart/ResetZoom.tsx';
import { createTimeView } from '../../components/chart/time-view.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { usePageKeys, type PageKey } from '../../components/page-actions.tsx';
import { Page, PageHeader } from '../../components/PageHeader.tsx';
import { paths } from '../../components/paths.ts';
import { usePreferences } from '../../format/preferences.ts';
import { unitOf } from '../../format/quantities.ts';
import { RoastField } from '../../components/RoastField.tsx';
import { oneOf, useUrlState } from '../../components/url-state.ts';
import { useTyped } from '../../components/use-typed.ts';
import { t } from '../../language/t.ts';
import { Card, Skeleton } from '../../ui/Card.tsx';
import { classes } from '../../ui/classes.ts';
import { Segments } from '../../ui/Segments.tsx';
import { AtMoment, type PlacedRoast } from './AtMoment.tsx';
import {
  alignments,
  alignRoast,
  columnOfQuantity,
  differenceFrom,
  idsIn,
  quantities,
  zeroOf,
  type ComparedQuantity,
} from './compare-lines.ts';
import { ComparedLegend } from './ComparedLegend.tsx';
import { FiguresTable } from './FiguresTable.tsx';
import { LinesChart } from './LinesChart.tsx';
import { Proposals } from './Proposals.tsx';
import { maxCompared } from './compare-lines.ts';
import { useCompared } from './use-compared.ts';

const quantityLabels: Record<ComparedQuantity, string> = {
  bean_temp: t`Bean temp`,
  exhaust_temp: t`Exhaust temp`,
  ror: t`Rate of rise`,
};

const chartKeys: readonly PageKey[] = [
  { label: t`Chart: back or forward 1 second`, keys: ['←', '→'] },
  { label: t`Chart: back or forward 10 seconds`, keys: ['Shift', '←', '→'] },
  { label: t`Chart: clear the selected time`, keys: ['Esc'] },
  { label: t`Chart: reset zoom`, keys: ['0'] },
];

const linesOf = (placed: readonly PlacedRoast[], quantity: ComparedQuantity) =>
  placed.map(({ style, aligned }) => ({
    style,
    timeSeconds: aligned.timeSeconds,
    values: columnOfQuantity(aligned, quantity),
    marks: quantity === 'bean_temp' ? aligned.marks : [],
  }));

/** The figures stand beside the charts: the more roasts, the wider their table. */
const columnsFor = (roasts: number): string =>
  roasts > 3
    ? 'xl:grid-cols-[minmax(0,1fr)_37rem]'
    : roasts > 2
      ? 'xl:grid-cols-[minmax(0,1fr)_34rem]'
      : 'xl:grid-cols-[minmax(0,1fr)_26rem]';

/**
 * /roasts/compare: up to five roasts over each other. The roasts, their alignment and the pinned time are in the
 * address.
 */
export default function ComparePage() {
  const { read, change } = useUrlState();
  const units = usePreferences();
  usePageKeys(chartKeys);
  const idsText = read('ids');
  const ids = useMemo(() => idsIn(idsText, maxCompared), [idsText]);
  const alignment = oneOf(alignments, read('align'), 'charge');
  const quantity = oneOf(quantities, read('show'), 'bean_temp');
  const isRate = quantity === 'ror';
  const unit = unitOf(isRate ? 'rate' : 'temperature', units);
  // Held arrow keys repeat faster than an address may change.
  const [at, setAt] = useTyped(read('at') ?? '', (moment) => change({ at: moment }));
  const selected = at === '' || !Number.isFinite(Number(at)) ? null : Number(at);
  const choose = (next: readonly string[]) => change({ ids: next.length === 0 ? undefined : next.join(',') });
  const compared = useCompared(ids);

  const placed = useMemo(
    () =>
      compared.flatMap(({ id, style, roast, curve }): PlacedRoast[] => {
        const zero = roast && zeroOf(roast, alignment);
        if (!roast || !curve || zero === null || zero === undefined || curve.time_seconds.length === 0) return [];
        return [{ id, style, aligned: alignRoast(roast, curve, zero) }];
      }),
    [compared, alignment],
  );
  const lines = useMemo(() => linesOf(placed, quantity), [placed, quantity]);
  // Bean temperature and its rate of rise are read together.
  const rates = useMemo(() => (quantity === 'bean_temp' ? linesOf(placed, 'ror') : []), [placed, quantity]);
  const differences = useMemo(() => {
    const [base, ...others] = placed;
    return base === undefined
      ? []
      : others.map(({ style, aligned }) => ({ style, ...differenceFrom(base.aligned, aligned, quantity) }));
  }, [placed, quantity]);
  const view = useMemo(() => createTimeView(), []);
  const reference = placed[0]?.style.tag ?? '';
  const from = Math.min(0, ...placed.map(({ aligned }) => aligned.timeSeconds[0] ?? 0));
  const to = Math.max(60, ...placed.map(({ aligned }) => aligned.endSeconds + 15));
  useEffect(() => view.setExtent(from, to), [view, from, to]);

  const isLoading = compared.some(({ roast, curve, error }) => (!roast || !curve) && !error);
  const unplaced = new Set(
    compared.flatMap(({ id, roast }) => (roast && zeroOf(roast, alignment) === null ? [id] : [])),
  );
  const withFigures = compared.flatMap(({ id, style, roast }) =>
    roast ? [{ id, style, roast, aligned: placed.find((one) => one.id === id)?.aligned }] : [],
  );
  // So that the figures of four and five end in the first screen, they begin beside the list of roasts.
  const isBeside = ids.length > 3;
  const chart = {
    units,
    view,
    selected,
    onSelect: (seconds: number | null) => setAt(seconds === null ? '' : String(seconds)),
  };
  return (
    <Page wide>
      <PageHeader
        title={t`Compare roasts`}
        crumbs={[
          { label: t`Home`, to: paths.dashboard },
          { label: t`Roasts`, to: paths.roasts },
          { label: t`Compare` },
        ]}
      />
      {ids.length === 0 ? (
        <div className="flex flex-col gap-4">
          <Card>
            <EmptyState icon={<GitCompareArrows aria-hidden />} title={t`Nothing to compare yet`}>
              {t`Begin with one of the newest roasts, select up to five in the list of roasts, or search for one here.`}
            </EmptyState>
            <div className="mx-auto max-w-md px-4 pb-8">
              <RoastField
                label={t`Add a roast`}
                placeholder={t`Search coffee, number, machine…`}
                without={[]}
                onChoose={({ id }) => choose([id])}
              />
            </div>
          </Card>
          <Proposals base={undefined} onAdd={choose} />
        </div>
      ) : (
        <div
          className={classes(
            'grid grid-cols-[minmax(0,1fr)] items-start gap-4 xl:grid-rows-[auto_1fr]',
            columnsFor(ids.length),
          )}
        >
          <div className={classes('flex min-w-0 flex-col gap-4', !isBeside && 'xl:col-span-2')}>
            <ComparedLegend
              compared={compared}
              unplaced={unplaced}
              onBase={(id) => choose([id, ...ids.filter((other) => other !== id)])}
              onRemove={(id) => choose(ids.filter((other) => other !== id))}
            />
            <div className="flex flex-wrap items-end gap-3">
              {ids.length < maxCompared && (
                <RoastField
                  label={t`Add a roast`}
                  hideLabel
                  placeholder={t`Add a roast: coffee, number, machine…`}
                  without={ids}
                  size="sm"
                  className="w-full sm:w-80"
                  onChoose={({ id }) => choose([...ids, id])}
                />
              )}
              <Segments
                label={t`Aligned at`}
                choices={[
                  { value: 'charge', label: t`At charge` },
                  { value: 'first_crack', label: t`At first crack` },
                ]}
                value={alignment}
                onChange={(next) => change({ align: next === 'charge' ? undefined : next, at: undefined })}
              />
              <Segments
                label={t`Curve`}
                choices={quantities.map((value) => ({ value, label: quantityLabels[value] }))}
                value={quantity}
                onChange={(next) => change({ show: next === 'bean_temp' ? undefined : next })}
              />
            </div>
            {ids.length === 1 && compared[0]?.roast && (
              <Proposals base={compared[0].roast} onAdd={(added) => choose([...ids, ...added])} />
            )}
          </div>
          <Card className="min-w-0 p-3 sm:p-4 xl:col-start-1">
            <div className="flex min-h-8 items-center justify-between gap-3 pb-1">
              <h2 className="text-base font-semibold text-strong">
                {quantityLabels[quantity]}{' '}
                <span className="text-sm font-normal text-muted">
                  {unit}
                  {quantity === 'bean_temp' && ` · ${t`ring: first crack, square: drop`}`}
                </span>
              </h2>
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
                    <h2 className="pt-3 pb-1 text-base font-semibold text-strong">
                      {quantityLabels.ror}{' '}
                      <span className="text-sm font-normal text-muted">{unitOf('rate', units)}</span>
                    </h2>
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
                    <h2 className="pt-3 pb-1 text-base font-semibold text-strong">
                      {t`Difference from ${reference}`}{' '}
                      <span className="text-sm font-normal text-muted">
                        {unit} · {isRate ? t`above zero is faster` : t`above zero is hotter`}
                      </span>
                    </h2>
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
          <div
            className={classes(
              'flex min-w-0 flex-col gap-4 xl:sticky xl:top-18 xl:col-start-2 xl:gap-3',
              isBeside && 'xl:row-span-2 xl:row-start-1',
            )}
          >
            <AtMoment placed={placed} view={view} selected={selected} alignment={alignment} />
            <FiguresTable compared={withFigures} />
          </div>
        </div>
      )}
    </Page>
  );
}
