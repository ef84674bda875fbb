import type { CurveColumns } from '@roastery/contract/roasts';
import type { ChartOptions } from 'chart.js';
import { useMemo, useRef } from 'react';
import { Line } from 'react-chartjs-2';
import { useTheme } from '../../ui/theme.ts';
import type { Chart } from './chart-parts.ts';
import './chart-parts.ts';
import { drawnColumn, nearestIndex, type StepStyle } from './curves.ts';
import { overlayPlugin, type Overlay } from './overlay.ts';
import { readPalette, withAlpha } from './palette.ts';
import { pixelDecimation, visiblePoints, type CurveDataset } from './pixel-decimation.ts';
import { axisFont, timeScale } from './time-scale.ts';
import { useTimeView, type TimeViewStore } from './time-view.ts';
import { useChartView } from './use-chart.ts';

interface StepChartProps {
  style: StepStyle;
  curve: CurveColumns;
  view: TimeViewStore;
  selected: number | null;
  /** Width kept free right of the plot, so that it lines up with the temperature chart above. */
  rightPixels?: number;
}

const identity = (value: number): number => value;

/** One output over time, 0-100 %, as steps; shares time axis and cursor with the temperature chart. */
export default function StepChart({ style, curve, view, selected, rightPixels = 0 }: StepChartProps) {
  const theme = useTheme();
  const chart = useRef<Chart<'line', { x: number; y: number }[]>>(null);
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- the palette is read from the theme on screen
  const palette = useMemo(() => readPalette(), [theme]);
  const { cursor } = useTimeView(view);
  const column = curve.channels[style.channel];
  const overlay = useRef<Overlay>(null as never);
  overlay.current = {
    palette,
    marks: [],
    phases: [],
    cursor,
    selected,
    formatTemp: String,
    rateText: String,
    toAxis: identity,
  };
  const datasets = useMemo<CurveDataset[]>(() => {
    const whole = drawnColumn(curve.time_seconds, column, identity);
    const { from, to } = view.get();
    const colour = getComputedStyle(document.documentElement).getPropertyValue(`--${style.token}`).trim();
    return [
      {
        curveKey: style.key,
        label: '',
        whole,
        data: visiblePoints(whole, from, to, 1200),
        yAxisID: 'y',
        colour,
        borderColor: colour,
        backgroundColor: withAlpha(colour, 0.16),
        borderWidth: 1.5,
        stepped: 'before',
        fill: 'origin',
        pointRadius: 0,
        pointHitRadius: 0,
        spanGaps: false,
      },
    ];
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- colours change with the theme
  }, [curve, column, style, view, theme]);
  const options = useMemo<ChartOptions<'line'>>(
    () => ({
      animation: false,
      responsive: true,
      maintainAspectRatio: false,
      parsing: false,
      normalized: true,
      events: [],
      layout: { padding: { right: rightPixels, top: 4 } },
      scales: {
        x: timeScale(palette, view, { labels: false }),
        y: {
          type: 'linear',
          min: 0,
          max: 100,
          border: { display: false },
          grid: { color: palette.stroke, drawTicks: false },
          ticks: { stepSize: 50, color: palette.muted, font: axisFont(palette), padding: 6 },
          // As wide as the temperature axis with its title, so that the plots stand under each other.
          afterFit: (scale: { width: number }) => {
            scale.width = 52;
          },
        },
      },
      plugins: {},
    }),
    [palette, view, rightPixels],
  );
  const plugins = useMemo(() => [pixelDecimation, overlayPlugin(overlay, 'cursor')], []);
  useChartView(chart, view, overlay);

  const at = selected ?? cursor;
  const index = nearestIndex(curve.time_seconds, at ?? Number.POSITIVE_INFINITY);
  const value = column?.[at === null ? curve.time_seconds.length - 1 : index];
  return (
    <figure className="min-w-0" aria-label={`${style.label}, ${style.what}`}>
      <figcaption className="flex items-baseline justify-between gap-3 pb-1">
        <span className="label-mono">{style.label}</span>
        <span className="figures text-sm text-strong">
          {value === null || value === undefined ? '--' : Math.round(value)}
          <span className="text-muted"> %</span>
        </span>
      </figcaption>
      <div className="h-24">
        {column ? (
          <Line ref={chart} data={{ datasets }} options={options} plugins={plugins} />
        ) : (
          <p className="flex h-full items-center justify-center rounded-md border border-dashed border-stroke text-sm text-muted">
            Not recorded
          </p>
        )}
      </div>
    </figure>
  );
}
