import type { CurveForecast } from '@roastery/roasting/forecast/curve-forecast';
import type { Chart } from 'chart.js';
import { withAlpha } from './palette.ts';

/** The forecast of a running roast, from a moment on. */
export interface ForecastFrom {
  readonly fromSeconds: number;
  readonly points: CurveForecast['points'];
}

/** The forecast on the axes of a chart, and the colours of its curves. */
export interface DrawnForecast {
  readonly forecast: ForecastFrom;
  readonly toTemperature: (tempC: number) => number;
  readonly toRate: (rateC: number) => number;
  readonly beanColour: string;
  /** Undefined where the chart shows no rate of rise. */
  readonly rateColour: string | undefined;
}

interface AxisBand {
  readonly x: number;
  readonly low: number;
  readonly likely: number;
  readonly high: number;
}

/** Two shaded bands from now on, each with its likely line: bean temperature and rate of rise. */
export const drawForecastBand = (chart: Chart<'line'>, drawn: DrawnForecast | null | undefined): void => {
  if (!drawn) return;
  const { forecast, toTemperature, toRate, beanColour, rateColour } = drawn;
  const bands = forecast.points.map(({ aheadSeconds, tempC, ratePerMinuteC }) => ({
    x: forecast.fromSeconds + aheadSeconds,
    bean: { low: toTemperature(tempC.low), likely: toTemperature(tempC.likely), high: toTemperature(tempC.high) },
    rate: { low: toRate(ratePerMinuteC.low), likely: toRate(ratePerMinuteC.likely), high: toRate(ratePerMinuteC.high) },
  }));
  const bean = bands.map(({ x, bean: band }) => ({ x, ...band }));
  const rate = bands.map(({ x, rate: band }) => ({ x, ...band }));
  drawBand(chart, 'temperature', bean, beanColour);
  if (rateColour !== undefined) drawBand(chart, 'rate', rate, rateColour);
};

const drawBand = (chart: Chart<'line'>, axis: string, band: readonly AxisBand[], colour: string): void => {
  const { ctx, chartArea, scales } = chart;
  const [x, y] = [scales['x'], scales[axis]];
  if (!x || !y || band.length < 2) return;
  const lineTo = (seconds: number, value: number) => ctx.lineTo(x.getPixelForValue(seconds), y.getPixelForValue(value));
  ctx.save();
  ctx.beginPath();
  ctx.rect(chartArea.left, chartArea.top, chartArea.right - chartArea.left, chartArea.bottom - chartArea.top);
  ctx.clip();
  ctx.beginPath();
  for (const point of band) lineTo(point.x, point.high);
  for (const point of band.toReversed()) lineTo(point.x, point.low);
  ctx.closePath();
  ctx.fillStyle = withAlpha(colour, 0.16);
  ctx.fill();
  ctx.beginPath();
  for (const point of band) lineTo(point.x, point.likely);
  ctx.strokeStyle = withAlpha(colour, 0.7);
  ctx.lineWidth = 1.5;
  ctx.setLineDash([2, 4]);
  ctx.stroke();
  ctx.restore();
};
