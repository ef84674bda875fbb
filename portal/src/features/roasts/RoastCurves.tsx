import type { CurveGap, CurveColumns } from '@roastery/contract/roast-curves';
import type { Roast, RoastMark } from '@roastery/contract/roasts';
import type { FollowedPlan } from '@roastery/contract/roast-plan';
import { ChartSpline } from 'lucide-react';
import { memo, Suspense, use, useCallback, useEffect, useMemo, useState } from 'react';
import { CurveTable } from '../../components/chart/CurveTable.tsx';
import { stepStyles } from '../../components/chart/curves.ts';
import type { RoastChartProps } from '../../components/chart/RoastChart.tsx';
import { axisPixels, barePixels } from '../../components/chart/time-scale.ts';
import { plannedLines } from '../../components/chart/planned-line.ts';
import { ResetZoom } from '../../components/chart/ResetZoom.tsx';
import { createTimeView } from '../../components/chart/time-view.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { usePageKeys, type PageKey } from '../../components/page-actions.tsx';
import { formatCount } from '../../format/numbers.ts';
import { usePreferences } from '../../format/preferences.ts';
import { useGrowing } from '../../components/use-growing.ts';
import { useUrlState } from '../../components/url-state.ts';
import { t } from '../../language/t.ts';
import { Card, Skeleton } from '../../ui/Card.tsx';
import { classes } from '../../ui/classes.ts';
import { usePrinting } from '../../ui/printing.ts';
import { ChartBoundary } from './ChartBoundary.tsx';
import { CorrectMarks, useCorrectMarks } from '../../components/live/CorrectMarks.tsx';
import { CurvesPanel } from './CurvesPanel.tsx';
import { InspectPanel } from './InspectPanel.tsx';
import { MarkersPanel } from './MarkersPanel.tsx';
import { PrintedMarks } from './PrintedRoast.tsx';
import { RecordedGaps } from './RecordedGaps.tsx';
import { ReferenceNote } from './ReferenceNote.tsx';
import type { Behind } from '../../components/live/use-reference.ts';
import { useShownCurves } from '../../components/chart/use-shown-curves.ts';
import { useMayRoast } from '../../components/people/roles.ts';

// Chart.js is loaded only where a chart is shown. It is requested with the page, and read without suspending once it is
// loaded: React replaces a fallback, which `lazy` always shows first, after 0.3 s at the earliest.
const loadCharts = () =>
  Promise.all([import('../../components/chart/RoastChart.tsx'), import('../../components/chart/StepChart.tsx')]);
type LoadedCharts = Awaited<ReturnType<typeof loadCharts>>;
let charts: LoadedCharts | undefined;
const chartsLoaded = loadCharts().then((loaded) => (charts = loaded));

interface RoastCurvesProps {
  roast: Roast;
  /** `undefined` while it loads. */
  curve: CurveColumns | undefined;
  /** The gaps of the recording, with their reasons. */
  gaps?: readonly CurveGap[] | undefined;
  /** The reference, drawn dimmed. */
  behind: Behind;
  marks: readonly RoastMark[];
  alarms?: RoastChartProps['alarms'];
  channels: readonly string[];
  selected: number | null;
  onSelect: (seconds: number | null) => void;
  onChanged: (roast: Roast) => void;
  /** A live curve leaves room at the right. */
  endSeconds?: number;
  /** When the next event is expected. */
  expected?: RoastChartProps['expected'];
  forecast?: RoastChartProps['forecast'];
  /** Drawn behind gas, airflow and drum. */
  plan?: FollowedPlan | null | undefined;
  /** The current time of a running roast. */
  nowSeconds?: number | null;
}

const chartHeight = 500;
/** Below the figures of a running roast, so that the curve is in the first screen. */
const runningHeight = 'h-75 sm:h-[clamp(20rem,calc(100dvh-26rem),31.25rem)]';
/** So that the roast fits on one page, also with its plan. */
const printedHeight = { alone: 260, besidePlan: 205 };
const chartKeys: readonly PageKey[] = [
  { label: t`Chart: previous or next point`, keys: ['←', '→'] },
  { label: t`Chart: ten points`, keys: ['Shift', '←', '→'] },
  { label: t`Chart: first or last point`, keys: ['Home', 'End'] },
  { label: t`Chart: clear the point`, keys: ['Esc'] },
  { label: t`Chart: reset zoom`, keys: ['0'] },
];

/** Temperature curve and its panels; gas, airflow and drum below on the same time axis. */
export const RoastCurves = ({
  roast,
  curve,
  gaps = [],
  behind,
  marks,
  alarms,
  channels,
  selected,
  onSelect,
  onChanged,
  endSeconds,
  expected,
  forecast,
  plan,
  nowSeconds = null,
}: RoastCurvesProps) => {
  usePageKeys(chartKeys);
  const mayEdit = useMayRoast(roast.machine_id);
  const printed = usePrinting();
  const [shown, toggle] = useShownCurves();
  const { reference } = behind;
  const correcting = useCorrecting();
  const { isCorrecting } = correcting;
  const { set: moveMark } = useCorrectMarks({ roast, onSelect, onChanged });
  const units = usePreferences();
  const times = curve?.time_seconds;
  const first = times?.[0] ?? 0;
  const last = Math.max(times?.at(-1) ?? 60, endSeconds ?? 0);
  const isThere = times !== undefined;
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- begun with the curve, so that it is drawn once; then it follows
  const view = useMemo(() => createTimeView(first, last), [isThere]);
  useEffect(() => view.setExtent(first, last), [view, first, last]);
  const points = times?.length ?? 0;
  const isRunning = roast.status === 'in_progress';
  return (
    <Card className="flex min-w-0 flex-col xl:flex-row print:block print:border-0">
      <div className="min-w-0 flex-1 p-3 sm:p-4 print:p-0">
        <div
          className={classes(
            'flex min-h-10 flex-wrap items-center justify-between gap-x-4 gap-y-1 pb-2 pointer-coarse:min-h-12',
            isRunning && 'max-sm:min-h-18 max-sm:content-start sm:flex-nowrap',
          )}
        >
          <h2 className="shrink-0 text-base font-semibold text-strong">
            {t`Temperature Curve`}
            <span className="figures ml-2 text-sm font-normal text-muted">{t`${formatCount(points)} points`}</span>
          </h2>
          <div className={classes('flex min-w-0 items-center gap-3', isRunning && 'max-sm:contents')}>
            {points > 0 && <ReferenceNote {...{ roast, behind, curve, marks }} />}
            <ResetZoom view={view} />
          </div>
        </div>
        {curve === undefined ? (
          <ChartsSkeleton isRunning={isRunning} />
        ) : points === 0 ? (
          <div className="flex h-[500px] items-center justify-center">
            <EmptyState icon={<ChartSpline aria-hidden />} title={t`No curve data available`}>
              {t`This roast has no recorded samples.`}
            </EmptyState>
          </div>
        ) : (
          <ChartBoundary>
            <Suspense fallback={<ChartsSkeleton isRunning={isRunning} />}>
              <Charts
                {...{
                  curve,
                  reference: reference?.curve,
                  marks,
                  alarms,
                  expected,
                  forecast,
                  shown,
                  units,
                  view,
                  selected,
                  onSelect,
                  nowSeconds,
                  isRunning,
                  isCorrecting,
                }}
                onMoveMark={isCorrecting ? (kind, seconds) => moveMark(kind, { time_seconds: seconds }) : undefined}
                plan={plan ?? null}
                endSeconds={last}
              />
              <RecordedGaps gaps={gaps} />
              <CurveTable {...{ curve, marks, alarms }} />
            </Suspense>
          </ChartBoundary>
        )}
        {printed && <PrintedMarks marks={marks} curve={curve} />}
      </div>
      <aside
        aria-label={t`Curves and markers`}
        className={classes(
          'grid w-full shrink-0 gap-5 border-t border-stroke p-4 xl:flex xl:w-72 xl:flex-col xl:border-t-0 xl:border-l print:hidden',
          !isCorrecting && 'sm:grid-cols-3',
        )}
      >
        {!isCorrecting && <CurvesPanel shown={shown} onToggle={toggle} channels={channels} />}
        {isCorrecting && points > 0 ? (
          <CorrectMarks {...{ roast, marks, selected, onSelect, onChanged }} onDone={correcting.end} />
        ) : (
          <MarkersPanel
            {...{ marks, curve }}
            onPick={onSelect}
            onCorrect={points === 0 || !mayEdit ? undefined : correcting.begin}
          />
        )}
        {curve !== undefined && points > 0 && !isCorrecting && (
          <InspectPanel {...{ curve, reference: reference?.curve, view, selected }} onClear={() => onSelect(null)} />
        )}
      </aside>
    </Card>
  );
};

/** Kept in the address: while marks are corrected the curve is shown with the recording around the roast. */
export const useCorrecting = () => {
  const { read, change } = useUrlState();
  const begin = useCallback(() => change({ markers: 'correct' }), [change]);
  const end = useCallback(() => change({ markers: undefined }), [change]);
  return { isCorrecting: read('markers') === 'correct', begin, end };
};

interface ChartsProps extends RoastChartProps {
  plan: FollowedPlan | null;
  nowSeconds: number | null;
  endSeconds: number;
  isRunning: boolean;
  /** The charts of the controls make room: curve and markers are in one view. */
  isCorrecting: boolean;
}

/**
 * A component either always waits with `use`, or never: React renders one that waits a second time, with the same
 * hooks. The first choice stays, so that charts on screen are not created again.
 */
const Charts = memo((props: ChartsProps) => {
  const [loaded] = useState(() => charts);
  return loaded === undefined ? <ChartsToCome {...props} /> : <ChartsHere {...props} loaded={loaded} />;
});

const ChartsToCome = (props: ChartsProps) => <ChartsHere {...props} loaded={use(chartsLoaded)} />;

const ChartsHere = ({
  plan,
  nowSeconds,
  endSeconds,
  isRunning,
  isCorrecting,
  loaded,
  ...props
}: ChartsProps & { loaded: LoadedCharts }) => {
  const [{ default: RoastChart }, { default: StepChart }] = loaded;
  const { curve, marks, view, selected, shown } = props;
  const planned = useMemo(
    () => (plan === null || plan.points.length === 0 ? undefined : plannedLines(plan, endSeconds)),
    [plan, endSeconds],
  );
  const printing = usePrinting();
  // The curve first; each of the others is rendered in a slice of its own.
  const drawn = useGrowing(stepStyles.length, { first: 0, step: 1, isReady: false });
  return (
    <>
      <div className={classes(isRunning && runningHeight, 'print:h-auto!')}>
        <RoastChart
          {...props}
          height={printing ? printedHeight[plan === null ? 'alone' : 'besidePlan'] : isRunning ? 'fill' : chartHeight}
        />
      </div>
      {!isCorrecting && (
        <div className="mt-2 flex flex-col gap-1.5">
          {stepStyles.map((style, place) =>
            place < drawn ? (
              <StepChart
                key={style.key}
                {...{ style, curve, marks, view, selected, nowSeconds }}
                planned={planned?.[style.key]}
                rightPixels={shown['ror'] ? axisPixels : barePixels}
              />
            ) : (
              <Skeleton key={style.key} className="h-20.5 w-full" />
            ),
          )}
        </div>
      )}
    </>
  );
};

/** As tall as the charts that replace it. */
const ChartsSkeleton = ({ isRunning }: Pick<ChartsProps, 'isRunning'>) => (
  <>
    <Skeleton className={classes('w-full', isRunning ? runningHeight : 'h-[500px]')} />
    <div className="mt-2 flex flex-col gap-1.5">
      {stepStyles.map(({ key }) => (
        <Skeleton key={key} className="h-20.5 w-full" />
      ))}
    </div>
  </>
);
