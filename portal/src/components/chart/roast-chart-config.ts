import type { CurveColumns, RoastMark } from '@roastery/contract/roasts';
import { phasesOf } from '@roastery/roasting/phases';
import { cToF, formatRate, type TemperatureUnit } from '@roastery/roasting/units';
import type { ChartOptions } from 'chart.js';
import { curveStyles, drawnCurve, rateBounds, temperatureTop, type CurveStyle } from './curves.ts';
import { overlayTop, type Overlay } from './overlay.ts';
import { withAlpha, type ColourOf, type Palette } from './palette.ts';
import type { CurveDataset } from './pixel-decimation.ts';
import { barePixels, fixedWidth } from './plot-frame.ts';
import { axisFont } from './time-scale.ts';

const datasetOf = (
  style: CurveStyle,
  curve: CurveColumns,
  unit: TemperatureUnit,
  dim: boolean,
  colour: string,
): CurveDataset => {
  const whole = drawnCurve(curve, style, unit);
  return {
    curveKey: dim ? `reference-${style.key}` : style.key,
    label: dim ? '' : style.tag,
    whole,
    data: [],
    yAxisID: style.axis,
    colour,
    borderColor: dim ? withAlpha(colour, 0.32) : colour,
    borderWidth: dim ? 1.5 : style.width,
    borderDash: [...style.dash],
    borderJoinStyle: 'round',
    pointRadius: 0,
    pointHitRadius: 0,
    tension: 0,
    spanGaps: false,
  };
};

interface RoastCurvesDrawn {
  readonly curve: CurveColumns;
  readonly reference: CurveColumns | undefined;
  readonly shown: Readonly<Record<string, boolean>>;
  readonly unit: TemperatureUnit;
  readonly colourOf: ColourOf;
}

/** The curves that are on, and behind them bean temperature and rate of rise of the reference. */
export const roastDatasets = ({ curve, reference, shown, unit, colourOf }: RoastCurvesDrawn): CurveDataset[] => {
  const wanted = curveStyles.filter((style) => shown[style.key]);
  const behind = reference
    ? wanted
        .filter((style) => style.key === 'beanTemp' || style.key === 'ror')
        .map((style) => datasetOf(style, reference, unit, true, colourOf(style.token)))
    : [];
  const drawn = wanted.map((style) => datasetOf(style, curve, unit, false, colourOf(style.token)));
  const beanBehind = behind.findIndex((set) => set.curveKey === 'reference-beanTemp');
  const bean = drawn.find((set) => set.curveKey === 'beanTemp');
  // The deviation at a glance: warm where the beans are above the reference, cool where they are below.
  if (bean && beanBehind >= 0) {
    bean.fill = {
      target: drawn.length + beanBehind,
      above: withAlpha(colourOf('curve-bean'), 0.16),
      below: withAlpha(colourOf('curve-exhaust'), 0.2),
    };
  }
  return [...drawn, ...behind];
};

/** Upper end of the temperature axis over all that is drawn on it. */
export const topOf = (datasets: readonly CurveDataset[], unit: TemperatureUnit): number =>
  temperatureTop(
    datasets.filter((set) => set.yAxisID === 'temperature').map((set) => set.whole),
    unit,
  );

type Scales = NonNullable<ChartOptions<'line'>['scales']>;

interface RoastAxes {
  readonly palette: Palette;
  readonly time: NonNullable<Scales[string]>;
  readonly top: number;
  readonly unit: TemperatureUnit;
  readonly withRate: boolean;
}

/** Axes of the temperature chart: left temperature, right rate of rise. */
export const roastOptions = ({ palette, time, top, unit, withRate }: RoastAxes): ChartOptions<'line'> => ({
  animation: false,
  responsive: true,
  maintainAspectRatio: false,
  parsing: false,
  normalized: true,
  events: [],
  layout: { padding: { top: overlayTop, right: withRate ? 0 : barePixels } },
  scales: {
    x: time,
    temperature: {
      type: 'linear',
      position: 'left',
      min: 0,
      max: top,
      border: { display: false },
      afterFit: fixedWidth,
      grid: { color: palette.stroke, drawTicks: false },
      ticks: { color: palette.muted, font: axisFont(palette), stepSize: unit === 'C' ? 50 : 100, padding: 6 },
    },
    rate: {
      type: 'linear',
      position: 'right',
      display: withRate,
      ...rateBounds(unit),
      border: { display: false },
      grid: { display: false },
      afterFit: fixedWidth,
      ticks: { color: palette.muted, font: axisFont(palette), padding: 6 },
    },
  },
});

interface OverlayOf {
  readonly palette: Palette;
  readonly marks: readonly RoastMark[];
  readonly unit: TemperatureUnit;
  readonly withRate: boolean;
}

export const phasesOfMarks = (marks: readonly RoastMark[]): Overlay['phases'] =>
  phasesOf(marks.map((mark) => ({ kind: mark.kind, timeSeconds: mark.time_seconds, tempC: mark.temp }))).phases;

/** What is drawn over the curves, but for what moves. */
export const roastOverlay = ({ palette, marks, unit, withRate }: OverlayOf) => ({
  palette,
  marks,
  formatTemp: (tempC: number) => `${(unit === 'F' ? cToF(tempC) : tempC).toFixed(1)}°`,
  rateText: (rateC: number | null) => formatRate(rateC, unit),
  toAxis: (tempC: number) => (unit === 'F' ? cToF(tempC) : tempC),
  units: { left: `°${unit}`, right: withRate ? `°${unit}/min` : null },
});
