import { formatDuration, rateCToF } from '@roastery/roasting/units';
import type { Reading } from '@roastery/roasting/curves/series';
import type { ChartOptions, Plugin } from 'chart.js';
import { useCallback, useLayoutEffect, useMemo, useRef, type RefObject } from 'react';
import { t } from '../../language/t.ts';
import { colourToken, useTheme } from '../../ui/theme.ts';
import { ChartFrame } from '../../components/chart/ChartFrame.tsx';
import { Line, useChartView, useLatest, useZoom, type LineChart } from '../../components/chart/use-chart.ts';
import { drawnColumn, rateBounds } from '../../components/chart/curves.ts';
import { drawTags } from '../../components/chart/overlay-tags.ts';
import { overlayPlugin, type Overlay } from '../../components/chart/overlay.ts';
import { readPalette, type Palette } from '../../components/chart/palette.ts';
import { pixelDecimation, type CurveDataset } from '../../components/chart/pixel-decimation.ts';
import {
  axisFont,
  barePixels,
  baseOptions,
  fixedWidth,
  timeScale,
  zoomOptions,
} from '../../components/chart/time-scale.ts';
import { useTwoFingers } from '../../components/chart/two-fingers.ts';
import type { TimeViewStore } from '../../components/chart/time-view.ts';
import { formatTick } from '../../format/numbers.ts';
import { inUnitsOf, type Units } from '../../format/quantities.ts';
import { differenceEnd, type LineStyle } from './compare-lines.ts';

/** The quantity of the vertical axis; a difference and a rate convert by 1.8, without the offset of 32. */
export type AxisKind = 'temperature' | 'rate' | 'temperature_difference' | 'rate_difference';

export interface ComparedLine {
  readonly style: LineStyle;
  readonly timeSeconds: readonly number[];
  readonly values: readonly Reading[];
  readonly marks?: readonly { readonly kind: string; readonly seconds: number; readonly temp: number | null }[];
}

interface LinesChartProps {
  lines: readonly ComparedLine[];
  axis: AxisKind;
  label: string;
  units: Units;
  view: TimeViewStore;
  selected: number | null;
  onSelect: (seconds: number | null) => void;
  height: number;
}

const inUnits = (axis: AxisKind, stored: number, units: Units): number => {
  if (axis !== 'temperature_difference') return inUnitsOf(axis === 'temperature' ? axis : 'rate', stored, units);
  return units.temperature_unit === 'F' ? rateCToF(stored) : stored;
};

/** Ends of the axis: round numbers around the lines; a difference is symmetric around zero. */
const boundsOf = (axis: AxisKind, lines: readonly CurveDataset[], units: Units): { min: number; max: number } => {
  if (axis === 'rate') return rateBounds(units);
  if (axis === 'temperature') {
    let high = 0;
    for (const { whole } of lines) for (const value of whole.y) if (value > high) high = value;
    const step = units.temperature_unit === 'C' ? 50 : 100;
    return { min: 0, max: Math.max(step * 2, Math.ceil((high * 1.04) / step) * step) };
  }
  const end = differenceEnd(lines.map(({ whole }) => whole.y));
  return { min: -end, max: end };
};

const datasetOf = ({ style, timeSeconds, values }: ComparedLine, toUnit: (stored: number) => number): CurveDataset => {
  const colour = colourToken(style.token);
  return {
    curveKey: style.tag,
    label: style.tag,
    whole: drawnColumn(timeSeconds, values, toUnit),
    data: [],
    yAxisID: 'y',
    colour,
    borderColor: colour,
    borderWidth: 2,
    borderDash: [...style.dash],
    borderJoinStyle: 'round',
    pointRadius: 0,
    pointHitRadius: 0,
    tension: 0,
    spanGaps: false,
  };
};

interface ScaleLook {
  palette: Palette;
  bounds: { min: number; max: number };
  /** Measured from zero, which stands out; its values have a sign. */
  isDifference: boolean;
}

const valueScale = ({ palette, bounds, isDifference }: ScaleLook) => ({
  type: 'linear' as const,
  ...bounds,
  border: { display: false },
  afterFit: fixedWidth,
  grid: {
    drawTicks: false,
    color: ({ tick }: { tick?: { value: number } }) =>
      isDifference && tick?.value === 0 ? palette.muted : palette.stroke,
  },
  ticks: {
    color: palette.muted,
    font: axisFont(palette),
    padding: 6,
    maxTicksLimit: isDifference ? 5 : 8,
    callback: (value: string | number) => `${isDifference && Number(value) > 0 ? '+' : ''}${formatTick(Number(value))}`,
  },
});

/** What the chart draws: the lines, their axes, the marks and the cursor. */
const useDrawing = (chart: RefObject<LineChart | null>, { lines, axis, units, view, selected }: LinesChartProps) => {
  const theme = useTheme();
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- the palette is read from the theme on screen
  const palette = useMemo(() => readPalette(), [theme]);
  const toUnit = useCallback((stored: number) => inUnits(axis, stored, units), [axis, units]);
  const overlay = useLatest<Overlay>({
    palette,
    marks: [],
    phases: [],
    holes: [],
    cursor: view.get().cursor,
    selected,
    formatTemp: String,
    rateText: String,
    toAxis: toUnit,
    units: { left: '', right: null },
  });
  const datasets = useMemo<CurveDataset[]>(
    () => lines.map((line) => datasetOf(line, toUnit)),
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- colours change with the theme
    [lines, toUnit, theme],
  );
  const marks = useLatest<readonly ComparedLine[]>(axis === 'temperature' ? lines : []);
  const bounds = useMemo(() => boundsOf(axis, datasets, units), [axis, datasets, units]);
  const isDifference = axis.endsWith('difference');
  const options = useMemo<ChartOptions<'line'>>(
    () => ({
      ...baseOptions,
      layout: { padding: { top: 6, right: barePixels } },
      scales: { x: timeScale(palette, view, { labels: true }), y: valueScale({ palette, bounds, isDifference }) },
      plugins: { zoom: zoomOptions(view, palette) },
    }),
    [palette, view, bounds, isDifference],
  );
  const plugins = useMemo(
    () => [pixelDecimation, overlayPlugin(overlay, 'cursor'), marksPlugin(marks, overlay)],
    [overlay, marks],
  );
  useLayoutEffect(() => chart.current?.draw(), [chart, selected]);
  return { overlay, drawn: { data: { datasets }, options, plugins } };
};

/** Lines of several roasts over one time axis: a ring is first crack, a square the drop. */
export const LinesChart = (props: LinesChartProps) => {
  const { axis, label, view, selected, onSelect, height } = props;
  const chart = useRef<LineChart>(null);
  const { overlay, drawn } = useDrawing(chart, props);
  useChartView(chart, view, overlay);
  useZoom(chart);
  useTwoFingers(chart, view);
  const extent = view.extent();
  return (
    <ChartFrame
      {...{ chart, view, selected, onSelect, height }}
      pointAt={Math.round}
      pointAfter={(steps) => Math.round(Math.min(extent.to, Math.max(extent.from, (selected ?? 0) + steps)))}
      label={t`${label}, ${formatDuration(extent.to - extent.from)} long. Arrow keys move the cursor, Escape clears it, 0 resets the zoom.`}
      testId={`compare-${axis}`}
    >
      <Line ref={chart} {...drawn} aria-label={label} />
    </ChartFrame>
  );
};

/** First crack as a ring and the drop as a square on each line, and the letters at the lines' ends. */
const marksPlugin = (
  lines: { readonly current: readonly ComparedLine[] },
  overlay: { readonly current: Overlay },
): Plugin<'line'> => ({
  id: 'comparedMarks',
  afterDatasetsDraw(chart) {
    const { ctx, scales, chartArea } = chart;
    const [x, y] = [scales['x'], scales['y']];
    if (!x || !y) return;
    ctx.save();
    for (const { style, marks = [] } of lines.current) {
      const colour = colourToken(style.token);
      for (const { kind, seconds, temp } of marks) {
        if ((kind !== 'first_crack' && kind !== 'drop') || temp === null) continue;
        const at = x.getPixelForValue(seconds);
        if (at < chartArea.left || at > chartArea.right) continue;
        const height = y.getPixelForValue(overlay.current.toAxis(temp));
        ctx.beginPath();
        if (kind === 'drop') ctx.rect(at - 4, height - 4, 8, 8);
        else ctx.arc(at, height, 4.5, 0, Math.PI * 2);
        ctx.fillStyle = kind === 'drop' ? colour : overlay.current.palette.surface;
        ctx.fill();
        ctx.lineWidth = 2;
        ctx.strokeStyle = colour;
        ctx.stroke();
      }
    }
    drawTags(chart, overlay.current.palette);
    ctx.restore();
  },
});
