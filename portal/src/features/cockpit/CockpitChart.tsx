import type { CurveColumns } from '@roastery/contract/roast-curves';
import type { RoastMark } from '@roastery/contract/roasts';
import { lazy, Suspense, useEffect, useMemo, useState } from 'react';
import type { ExpectedBand } from '../../components/chart/expected-band.ts';
import type { RoastChartProps } from '../../components/chart/RoastChart.tsx';
import type { ForecastFrom } from '../../components/chart/forecast-band.ts';
import { CurveTable } from '../../components/chart/CurveTable.tsx';
import { createTimeView } from '../../components/chart/time-view.ts';
import { useShownCurves } from '../../components/chart/use-shown-curves.ts';
import { usePreferences } from '../../format/preferences.ts';
import { t } from '../../language/t.ts';

// Chart.js is loaded where a chart is shown, and nowhere else.
const RoastChart = lazy(() => import('../../components/chart/RoastChart.tsx'));

interface CockpitChartProps {
  /** `undefined` while nothing is known. */
  curve: CurveColumns | undefined;
  reference?: CurveColumns | undefined;
  marks: readonly RoastMark[];
  alarms?: RoastChartProps['alarms'];
  expected?: ExpectedBand | null;
  forecast?: ForecastFrom | null;
  endSeconds: number;
  /** Curves that are on; without it those chosen on the roast page. */
  shown?: Readonly<Record<string, boolean>>;
  /** While marks are corrected: the pinned point stays, and marks are dragged. */
  correcting?: Pick<RoastChartProps, 'selected' | 'onSelect' | 'onMoveMark'> | undefined;
}

/** A tapped point is shown for this long, so that it need not be cleared with gloves on. */
const pinnedMs = 8000;

/**
 * The chart in the remaining room of the cockpit; a low window, as at a zoom of 200 %, scrolls to it. It does not zoom
 * by touch.
 */
export const CockpitChart = (props: CockpitChartProps) => {
  const { curve, reference, marks, alarms, expected, forecast, endSeconds, shown, correcting } = props;
  const units = usePreferences();
  const [chosen] = useShownCurves();
  const [selected, setSelected] = useState<number | null>(null);
  const first = curve?.time_seconds[0] ?? 0;
  const last = Math.max(curve?.time_seconds.at(-1) ?? 60, endSeconds);
  const isThere = curve !== undefined;
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- begun with the curve, so that it is drawn once; then it follows
  const view = useMemo(() => createTimeView(first, last), [isThere]);
  useEffect(() => view.setExtent(first, last), [view, first, last]);
  useEffect(() => {
    if (selected === null) return undefined;
    const timer = setTimeout(() => setSelected(null), pinnedMs);
    return () => clearTimeout(timer);
  }, [selected]);
  return (
    <div
      data-testid="cockpit-chart"
      className="relative min-h-0 flex-1 overflow-hidden bg-surface px-1 pt-1.5 md:px-3 [@media(max-height:37rem)]:min-h-56"
    >
      {curve === undefined || curve.time_seconds.length === 0 ? (
        <output className="flex h-full items-center justify-center text-base text-muted">{t`Waiting for readings`}</output>
      ) : (
        <Suspense fallback={null}>
          <RoastChart
            {...{ curve, reference, marks, alarms, expected, forecast, units, view, selected }}
            shown={shown ?? chosen}
            onSelect={setSelected}
            height="fill"
            canZoom={false}
            {...correcting}
          />
          <CurveTable {...{ curve, marks, alarms }} />
        </Suspense>
      )}
    </div>
  );
};
