import type { CurveColumns } from '@roastery/contract/roast-curves';
import type { RoastMark } from '@roastery/contract/roasts';
import type { ChartOptions } from 'chart.js';
import { useMemo, useRef } from 'react';
import { t } from '../../language/t.ts';
import { usePrinting } from '../../ui/printing.ts';
import { useTheme } from '../../ui/theme.ts';
import { Measure } from '../figures.tsx';
import { Line, useChartView, useLatest, usePrintSize, type Chart } from './use-chart.ts';
import { drawnColumn, holesOf, nearestIndex, type StepStyle } from './curves.ts';
import { plannedDataset, plannedPercentAt, type PlannedDataset, type PlannedLine } from './planned-line.ts';
import { overlayPlugin, type Overlay } from './overlay.ts';
import { readPalette, withAlpha } from './palette.ts';
import { areaOf, pixelDecimation, type CurveDataset } from './pixel-decimation.ts';
import { dropSecondsOf } from './roast-chart-config.ts';
import { axisFont, baseOptions, fixedWidth, timeScale } from './time-scale.ts';
import { useCursor, type TimeViewStore } from './time-view.ts';

interface StepChartProps {
  style: StepStyle;
  curve: CurveColumns;
  marks: readonly RoastMark[];
  view: TimeViewStore;
  selected: number | null;
  /** Free width right of the plot, so that it is aligned with the temperature chart above. */
  rightPixels: number;
  /** The planned values, %, dashed. */
  planned?: PlannedLine | undefined;
  /** Time of a running roast, s. */
  nowSeconds?: number | null;
}

const identity = (value: number): number => value;

/** One output over time, 0-100 %, as steps; shares time axis and cursor with the temperature chart. */
export default function StepChart({
  style,
  curve,
  marks,
  view,
  selected,
  rightPixels,
  planned,
  nowSeconds = null,
}: StepChartProps) {
  const theme = useTheme();
  const chart = useRef<Chart<'line', { x: number; y: number }[]>>(null);
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- the palette is read from the theme on screen
  const palette = useMemo(() => readPalette(), [theme]);
  const cursor = useCursor(view);
  const column = curve.channels[style.channel];
  const overlay = useLatest<Overlay>({
    palette,
    marks: [],
    phases: [],
    holes: holesOf(curve.time_seconds),
    cursor,
    selected,
    now: nowSeconds,
    formatTemp: String,
    rateText: String,
    toAxis: identity,
    units: { left: '%', right: null },
  });
  const dropSeconds = dropSecondsOf(marks);
  const datasets = useMemo<(CurveDataset | PlannedDataset)[]>(() => {
    const whole = drawnColumn(curve.time_seconds, column, identity);
    const colour = getComputedStyle(document.documentElement).getPropertyValue(`--${style.token}`).trim();
    const line: CurveDataset = {
      curveKey: style.key,
      label: '',
      whole,
      data: [],
      yAxisID: 'y',
      colour,
      borderColor: colour,
      backgroundColor: withAlpha(colour, 0.16),
      borderWidth: 1.5,
      stepped: 'before',
      pointRadius: 0,
      pointHitRadius: 0,
      spanGaps: false,
    };
    return [
      line,
      areaOf(line, dropSeconds, 'origin'),
      ...(planned === undefined ? [] : [plannedDataset(planned, palette.content)]),
    ];
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- colours change with the theme
  }, [curve, column, dropSeconds, style, theme, planned]);
  const options = useMemo<ChartOptions<'line'>>(
    () => ({
      ...baseOptions,
      layout: { padding: { right: rightPixels, top: 3 } },
      scales: {
        x: {
          ...timeScale(palette, view, { labels: false }),
          // No labels, to leave space for the plot.
          afterFit: (scale: { height: number }) => {
            scale.height = 5;
          },
        },
        y: {
          type: 'linear',
          min: 0,
          max: 100,
          border: { display: false },
          grid: { color: palette.stroke, drawTicks: false },
          ticks: { stepSize: 50, color: palette.muted, font: axisFont(palette), padding: 6 },
          afterFit: fixedWidth,
        },
      },
      plugins: {},
    }),
    [palette, view, rightPixels],
  );
  const plugins = useMemo(() => [pixelDecimation, overlayPlugin(overlay, 'cursor')], [overlay]);
  useChartView(chart, view, overlay);
  usePrintSize(chart);
  const printing = usePrinting();

  const at = selected ?? cursor;
  const lastSeconds = curve.time_seconds.at(-1) ?? 0;
  const index = nearestIndex(curve.time_seconds, at ?? Number.POSITIVE_INFINITY);
  const value = column?.[at === null ? curve.time_seconds.length - 1 : index];
  return (
    <figure className="min-w-0" aria-label={`${style.label}, ${style.what}`}>
      <figcaption className="flex items-baseline gap-2 pl-11.5">
        <span className="label-mono">{style.label}</span>
        <Measure quantity="percent" value={value} digits={0} className="text-sm font-medium" />
        {planned !== undefined && (
          <span className="text-sm text-muted">
            {t`plan ${<Measure quantity="percent" value={plannedPercentAt(planned, at ?? nowSeconds ?? lastSeconds)} digits={0} />}`}
          </span>
        )}
      </figcaption>
      <div className={printing ? 'h-10' : 'h-15'}>
        {column ? (
          <Line
            ref={chart}
            data={{ datasets }}
            options={options}
            plugins={plugins}
            aria-label={
              planned === undefined
                ? t`${style.label} over the time of the roast, 0 to 100 %`
                : t`${style.label} over the time of the roast, 0 to 100 %, and as planned`
            }
          />
        ) : (
          <p className="ml-11.5 flex h-full items-center justify-center rounded-md border border-dashed border-stroke text-sm text-muted">
            {t`Not recorded`}
          </p>
        )}
      </div>
    </figure>
  );
}
