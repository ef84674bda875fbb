import type { RoastAlarm } from '@roastery/contract/alarms';
import type { CurveColumns } from '@roastery/contract/roast-curves';
import type { RoastMark } from '@roastery/contract/roasts';
import { formatDuration } from '@roastery/roasting/units';
import type { ChartOptions } from 'chart.js';
import { useLayoutEffect, useMemo, useReducer, useRef, type RefObject } from 'react';
import { t } from '../../language/t.ts';
import { colourToken, useTheme } from '../../ui/theme.ts';
import type { Units } from '../../format/quantities.ts';
import { AlarmMarkers } from '../alarms/AlarmMarkers.tsx';
import { ChartFrame } from './ChartFrame.tsx';
import { ChartReadout } from './ChartReadout.tsx';
import { Line, useChartView, useLatest, usePrintSize, useZoom, type LineChart } from './use-chart.ts';
import { holesOf, nearestIndex } from './curves.ts';
import type { ExpectedBand } from './expected-band.ts';
import type { ForecastFrom } from './forecast-band.ts';
import { overlayPlugin, type Overlay } from './overlay.ts';
import { readPalette } from './palette.ts';
import { pixelDecimation } from './pixel-decimation.ts';
import {
  dropSecondsOf,
  forecastOnAxes,
  phasesOfMarks,
  roastDatasets,
  roastOptions,
  roastOverlay,
  topOf,
} from './roast-chart-config.ts';
import { axisPixels, barePixels, timeScale, zoomOptions } from './time-scale.ts';
import { useTwoFingers } from './two-fingers.ts';
import { useMarkDrag } from './use-mark-drag.ts';
import type { TimeViewStore } from './time-view.ts';

export interface RoastChartProps {
  curve: CurveColumns;
  /** The reference: the curve of a recipe or another roast, dimmed. */
  reference?: CurveColumns | undefined;
  marks: readonly RoastMark[];
  /** In the order of time. */
  alarms?: readonly RoastAlarm[] | undefined;
  /** The time band in which the next event is expected. */
  expected?: ExpectedBand | null | undefined;
  /** The forecast of the running curve. */
  forecast?: ForecastFrom | null | undefined;
  /** Which curves are on, by `CurveStyle.key`. */
  shown: Readonly<Record<string, boolean>>;
  units: Units;
  view: TimeViewStore;
  /** Seconds since charge of the pinned point. */
  selected: number | null;
  onSelect: (seconds: number | null) => void;
  /** Pixels, or the height of the element around it. */
  height?: number | 'fill';
  /** False at the machine: a glove that touches the chart must not zoom it. */
  canZoom?: boolean;
  /**
   * While marks are corrected: called with the time at which a dragged mark was dropped, in seconds since the charge.
   */
  onMoveMark?: ((kind: RoastMark['kind'], seconds: number) => void) | undefined;
}

/** What the chart draws: its lines, its axes, and everything over them. */
const useDrawing = (chart: RefObject<LineChart | null>, props: RoastChartProps, shownMarks: readonly RoastMark[]) => {
  const { curve, reference, marks, expected = null, forecast = null, shown, units, view, selected } = props;
  const { canZoom = true, onMoveMark } = props;
  const theme = useTheme();
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- the palette is read from the theme on screen
  const palette = useMemo(() => readPalette(), [theme]);
  const phases = useMemo(() => phasesOfMarks(shownMarks), [shownMarks]);
  const withRate = Boolean(shown['ror']);
  const overlay = useLatest<Overlay>({
    ...roastOverlay({ palette, marks: shownMarks, units, withRate }),
    phases,
    holes: holesOf(curve.time_seconds),
    expected,
    forecast: forecast && forecastOnAxes(forecast, { shown, units, colourOf: colourToken }),
    selected,
    cursor: view.get().cursor,
  });
  const dropSeconds = dropSecondsOf(marks);
  const datasets = useMemo(
    () => roastDatasets({ curve, reference, dropSeconds, shown, units, colourOf: colourToken }),
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- colours change with the theme
    [curve, reference, dropSeconds, shown, units, theme],
  );
  const top = useMemo(() => topOf(datasets, units), [datasets, units]);
  const zooms = canZoom && onMoveMark === undefined;
  // A resize moves the crosshair's readout.
  const [, resized] = useReducer((times: number) => times + 1, 0);
  const options = useMemo<ChartOptions<'line'>>(
    () => ({
      ...roastOptions({ palette, time: timeScale(palette, view, { labels: true }), top, units, withRate }),
      onResize: resized,
      plugins: zooms ? { zoom: zoomOptions(view, palette) } : {},
    }),
    [palette, view, top, units, withRate, zooms],
  );
  const plugins = useMemo(() => [pixelDecimation, overlayPlugin(overlay, 'roast')], [overlay]);
  useLayoutEffect(
    () => chart.current?.draw(),
    [chart, shownMarks, selected, expected?.earliest, expected?.latest, forecast],
  );
  return { overlay, zooms, withRate, drawn: { data: { datasets }, options, plugins } };
};

/** The temperature curve of a roast, live or finished. Chart first; its values are also in the table beside it. */
export default function RoastChart(props: RoastChartProps) {
  const { curve, reference, marks, alarms, shown, view, selected, onSelect, onMoveMark } = props;
  const { height = 500 } = props;
  const times = curve.time_seconds;
  const chart = useRef<LineChart>(null);
  const { shownMarks, drag } = useMarkDrag({ marks, curve, onMoveMark });
  const { overlay, zooms, withRate, drawn } = useDrawing(chart, props, shownMarks);
  useChartView(chart, view, overlay);
  usePrintSize(chart);
  const isZoomable = useZoom(chart);
  useTwoFingers(chart, view, zooms);
  const pixelAt = (seconds: number): number | null => chart.current?.scales['x']?.getPixelForValue(seconds) ?? null;
  const pointAfter = (steps: number): number | null => {
    const at = selected === null ? times.length - 1 : nearestIndex(times, selected);
    return times[Math.min(times.length - 1, Math.max(0, at + steps))] ?? null;
  };
  return (
    <ChartFrame
      {...{ chart, view, selected, onSelect, pointAfter, drag, isZoomable }}
      pointAt={(seconds) => times[nearestIndex(times, seconds)] ?? null}
      label={t`Temperature curve, ${formatDuration(times.at(-1) ?? 0)} long. Arrow keys inspect points, Escape clears, 0 shows all.`}
      height={height === 'fill' ? '100%' : height}
      testId="roast-chart"
    >
      <Line
        ref={chart}
        {...drawn}
        aria-label={t`Temperatures and rate of rise over time; the same figures are in the table below`}
      />
      {alarms !== undefined && alarms.length > 0 && (
        <AlarmMarkers {...{ alarms, view }} rightPixels={withRate ? axisPixels : barePixels} />
      )}
      <ChartReadout {...{ curve, reference, shown, view, selected, pixelAt }} />
    </ChartFrame>
  );
}
