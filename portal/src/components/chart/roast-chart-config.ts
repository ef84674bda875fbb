import type { CurveColumns } from '@roastery/contract/roast-curves';
import type { RoastMark } from '@roastery/contract/roasts';
import { markOf } from '@roastery/roasting/marks';
import { phasesOf } from '@roastery/roasting/curves/phases';
import type { ChartOptions } from 'chart.js';
import { formatTick } from '../../format/numbers.ts';
import { inUnitsOf, readingOf, unitOf, type Units } from '../../format/quantities.ts';
import { curveStyles, drawnCurve, rateBounds, temperatureTop, type CurveStyle } from './curves.ts';
import type { DrawnForecast, ForecastFrom } from './forecast-band.ts';
import { overlayTop, type Overlay } from './overlay.ts';
import { withAlpha, type ColourOf, type Palette } from './palette.ts';
import { areaOf, type CurveDataset } from './pixel-decimation.ts';
import { axisFont, barePixels, baseOptions, fixedWidth } from './time-scale.ts';

const datasetOf = (
  style: CurveStyle,
  curve: CurveColumns,
  units: Units,
  dim: boolean,
  colour: string,
): CurveDataset => {
  const whole = drawnCurve(curve, style, units);
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
  readonly dropSeconds: number | null;
  readonly shown: Readonly<Record<string, boolean>>;
  readonly units: Units;
  readonly colourOf: ColourOf;
}

/** The visible curves, and below them bean temperature and rate of rise of the reference. */
export const roastDatasets = ({
  curve,
  reference,
  dropSeconds,
  shown,
  units,
  colourOf,
}: RoastCurvesDrawn): CurveDataset[] => {
  const wanted = curveStyles.filter((style) => shown[style.key]);
  const behind = reference
    ? wanted
        .filter((style) => style.key === 'beanTemp' || style.key === 'ror')
        .map((style) => datasetOf(style, reference, units, true, colourOf(style.token)))
    : [];
  const drawn = wanted.map((style) => datasetOf(style, curve, units, false, colourOf(style.token)));
  const beanBehind = behind.findIndex((set) => set.curveKey === 'reference-beanTemp');
  const bean = drawn.find((set) => set.curveKey === 'beanTemp');
  // The deviation as a fill: warm above the reference, cool below.
  const deviation =
    bean && beanBehind >= 0
      ? [
          areaOf(bean, dropSeconds, {
            target: drawn.length + beanBehind,
            above: withAlpha(colourOf('curve-bean'), 0.16),
            below: withAlpha(colourOf('curve-exhaust'), 0.2),
          }),
        ]
      : [];
  return [...drawn, ...behind, ...deviation];
};

/** The forecast in a person's units; null where the bean temperature is not shown. */
export const forecastOnAxes = (
  forecast: ForecastFrom,
  { shown, units, colourOf }: Pick<RoastCurvesDrawn, 'shown' | 'units' | 'colourOf'>,
): DrawnForecast | null => {
  if (!shown['beanTemp']) return null;
  const rate = curveStyles.find(({ key }) => key === 'ror');
  return {
    forecast,
    toTemperature: (tempC) => inUnitsOf('temperature', tempC, units),
    toRate: (rateC) => inUnitsOf('rate', rateC, units),
    beanColour: colourOf('curve-bean'),
    rateColour: rate && shown['ror'] ? colourOf(rate.token) : undefined,
  };
};

/** Upper end of the temperature axis for all its curves. */
export const topOf = (datasets: readonly CurveDataset[], units: Units): number =>
  temperatureTop(
    datasets.filter((set) => set.yAxisID === 'temperature').map((set) => set.whole),
    units,
  );

type Scales = NonNullable<ChartOptions<'line'>['scales']>;

interface RoastAxes {
  readonly palette: Palette;
  readonly time: NonNullable<Scales[string]>;
  readonly top: number;
  readonly units: Units;
  readonly withRate: boolean;
}

/** Axes of the temperature chart: left temperature, right rate of rise. */
export const roastOptions = ({ palette, time, top, units, withRate }: RoastAxes): ChartOptions<'line'> => ({
  ...baseOptions,
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
      ticks: {
        color: palette.muted,
        font: axisFont(palette),
        callback: (value: string | number) => formatTick(Number(value)),
        stepSize: units.temperature_unit === 'C' ? 50 : 100,
        padding: 6,
      },
    },
    rate: {
      type: 'linear',
      position: 'right',
      display: withRate,
      ...rateBounds(units),
      border: { display: false },
      grid: { display: false },
      afterFit: fixedWidth,
      // 90 °F/min is not a step of its axis: its label would overlap the one of 80.
      ticks: {
        color: palette.muted,
        font: axisFont(palette),
        padding: 6,
        includeBounds: false,
        callback: (value: string | number) => formatTick(Number(value)),
      },
    },
  },
});

interface OverlayOf {
  readonly palette: Palette;
  readonly marks: readonly RoastMark[];
  readonly units: Units;
  readonly withRate: boolean;
}

export const phasesOfMarks = (marks: readonly RoastMark[]): Overlay['phases'] =>
  phasesOf(marks.map((mark) => ({ kind: mark.kind, timeSeconds: mark.time_seconds, tempC: mark.temp }))).phases;

export const dropSecondsOf = (marks: readonly RoastMark[]): number | null =>
  markOf(marks, 'drop')?.time_seconds ?? null;

/** The overlay without its moving parts. */
export const roastOverlay = ({ palette, marks, units, withRate }: OverlayOf) => ({
  palette,
  marks,
  formatTemp: (tempC: number) => `${readingOf('temperature', tempC, units).value}°`,
  rateText: (rateC: number | null) => {
    const { value, unit } = readingOf('rate', rateC, units);
    return `${value} ${unit}`.trim();
  },
  toAxis: (tempC: number) => inUnitsOf('temperature', tempC, units),
  // `°C/30s` without its space is as wide as `°C/min`: it fits above its axis, beside the drop's label.
  units: { left: unitOf('temperature', units), right: withRate ? unitOf('rate', units).replace(' ', '') : null },
});
