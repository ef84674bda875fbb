import type { RoastAlarm } from '@roastery/contract/alarms';
import type { CurveColumns, RoastMark } from '@roastery/contract/roasts';
import { formatDuration } from '@roastery/roasting/units';
import type { ChartOptions } from 'chart.js';
import { useLayoutEffect, useMemo, useReducer, useRef, type KeyboardEvent, type PointerEvent } from 'react';
import { t } from '../../language/t.ts';
import { colourToken, useTheme } from '../../ui/theme.ts';
import type { Units } from '../../format/quantities.ts';
import { AlarmMarkers } from '../alarms/AlarmMarkers.tsx';
import { ChartReadout } from './ChartReadout.tsx';
import { Line, useChartView, useLatest, usePrintSize, useZoom, type Chart } from './use-chart.ts';
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
import { useMarkDrag, type DragAxis } from './use-mark-drag.ts';
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

/** The temperature curve of a roast, live or finished. Chart first; its values are also in the table beside it. */
export default function RoastChart({
  curve,
  reference,
  marks,
  alarms,
  expected = null,
  forecast = null,
  shown,
  units,
  view,
  selected,
  onSelect,
  height = 500,
  canZoom = true,
  onMoveMark,
}: RoastChartProps) {
  const theme = useTheme();
  const chart = useRef<Chart<'line', { x: number; y: number }[]>>(null);
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- the palette is read from the theme on screen
  const palette = useMemo(() => readPalette(), [theme]);
  const { shownMarks, drag } = useMarkDrag({ marks, curve, onMoveMark });
  const phases = useMemo(() => phasesOfMarks(shownMarks), [shownMarks]);
  const overlay = useLatest<Overlay>({
    ...roastOverlay({ palette, marks: shownMarks, units, withRate: Boolean(shown['ror']) }),
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
  const withRate = Boolean(shown['ror']);

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
  useChartView(chart, view, overlay);
  usePrintSize(chart);
  const isZoomable = useZoom(chart);
  useTwoFingers(chart, view, zooms);
  useLayoutEffect(() => chart.current?.draw(), [shownMarks, selected, expected?.earliest, expected?.latest, forecast]);

  const secondsAt = (event: { clientX: number }): number | null => {
    const current = chart.current;
    const x = current?.scales['x'];
    if (!current || !x) return null;
    const at = event.clientX - current.canvas.getBoundingClientRect().left;
    if (at < current.chartArea.left - 4 || at > current.chartArea.right + 4) return null;
    const seconds = curve.time_seconds[nearestIndex(curve.time_seconds, x.getValueForPixel(at) ?? 0)];
    return seconds ?? null;
  };
  const axisAt = (event: { clientX: number }): DragAxis | null => {
    const current = chart.current;
    const x = current?.scales['x'];
    if (!current || !x) return null;
    const at = event.clientX - current.canvas.getBoundingClientRect().left;
    return { seconds: x.getValueForPixel(at) ?? 0, secondsPerPixel: (x.max - x.min) / Math.max(1, x.width) };
  };
  const pixelAt = (seconds: number): number | null => chart.current?.scales['x']?.getPixelForValue(seconds) ?? null;
  const down = useRef<{ x: number; y: number } | null>(null);
  // A drag pans or zooms: the cursor stays, and each step draws the charts once.
  const onPointerMove = (event: PointerEvent): void => {
    // Two fingers pan and zoom.
    if (event.pointerType === 'touch' && down.current === null) return;
    if (drag.move(axisAt(event))) return;
    if (event.pointerType !== 'mouse' || event.buttons === 0) view.setCursor(secondsAt(event));
  };
  const onPointerDown = (event: PointerEvent): void => {
    const axis = axisAt(event);
    if (axis !== null && drag.begin(axis)) event.currentTarget.setPointerCapture(event.pointerId);
    down.current = event.isPrimary ? { x: event.clientX, y: event.clientY } : null;
  };
  // A click is a press that did not move: a drag has zoomed.
  const onPointerUp = (event: PointerEvent): void => {
    const from = down.current;
    down.current = null;
    if (drag.end()) return;
    if (from && Math.hypot(event.clientX - from.x, event.clientY - from.y) < 6) onSelect(secondsAt(event));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const times = curve.time_seconds;
    const at = selected === null ? times.length - 1 : nearestIndex(times, selected);
    const steps: Record<string, number> = {
      ArrowLeft: -1,
      ArrowRight: 1,
      PageUp: -30,
      PageDown: 30,
      Home: -times.length,
      End: times.length,
    };
    const step = steps[event.key];
    if (event.key === 'Escape' && selected !== null) onSelect(null);
    else if (event.key === '0') view.reset();
    else if (step === undefined) return;
    else onSelect(times[Math.min(times.length - 1, Math.max(0, at + step * (event.shiftKey ? 10 : 1)))] ?? null);
    event.preventDefault();
  };

  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the arrow keys move through the chart
    <div
      role="application"
      aria-label={t`Temperature curve, ${formatDuration(curve.time_seconds.at(-1) ?? 0)} long. Arrow keys inspect points, Escape clears, 0 shows all.`}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- see above
      tabIndex={0}
      className="relative w-full touch-scrolls select-none"
      style={{ height: height === 'fill' ? '100%' : height }}
      onKeyDown={onKeyDown}
      onPointerDown={onPointerDown}
      onPointerUp={onPointerUp}
      onPointerMove={onPointerMove}
      onPointerLeave={() => view.setCursor(null)}
      onDoubleClick={() => view.reset()}
      data-testid="roast-chart"
      data-zoomable={isZoomable}
    >
      <Line
        ref={chart}
        data={{ datasets }}
        options={options}
        plugins={plugins}
        aria-label={t`Temperatures and rate of rise over time; the same figures are in the table below`}
      />
      {alarms !== undefined && alarms.length > 0 && (
        <AlarmMarkers {...{ alarms, view }} rightPixels={withRate ? axisPixels : barePixels} />
      )}
      <ChartReadout {...{ curve, reference, shown, view, selected, pixelAt }} />
    </div>
  );
}
