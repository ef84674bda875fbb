import type { RoastMark } from '@roastery/contract/roasts';
import type { Phase } from '@roastery/roasting/curves/phases';
import type { SamplingHole } from '@roastery/roasting/curves/sampling-holes';
import { formatDuration } from '@roastery/roasting/units';
import type { Chart, Plugin } from 'chart.js';
import { nearestIndex } from './curves.ts';
import { drawExpectedBand, type ExpectedBand } from './expected-band.ts';
import { drawForecastBand, type DrawnForecast } from './forecast-band.ts';
import { layOutLabels, markLabels, phaseLabels } from './mark-layout.ts';
import { drawTags } from './overlay-tags.ts';
import { withAlpha, type Palette } from './palette.ts';
import { curvesOf } from './pixel-decimation.ts';

type LineChart = Chart<'line'>;

/** The overlay of a chart. A mutable object, so that a moving cursor costs a draw and no render. */
export interface Overlay {
  palette: Palette;
  marks: readonly RoastMark[];
  phases: readonly Phase[];
  /** Gaps of the recording. */
  holes: readonly SamplingHole[];
  expected?: ExpectedBand | null;
  forecast?: DrawnForecast | null;
  cursor: number | null;
  selected: number | null;
  /** The current time of a running roast: a cursor while the pointer is not on the chart. */
  now?: number | null;
  /** Formats a temperature of a mark in a person's unit. */
  formatTemp: (tempC: number) => string;
  rateText: (rateC: number | null) => string;
  /** °C to the axis. */
  toAxis: (tempC: number) => number;
  /** Units of the left and the right axis, written above them. */
  units: { readonly left: string; readonly right: string | null };
}

const bandHeight = 20;
/** Above the plot: phases, then the names of the marks. */
export const overlayTop = bandHeight + 22;

const drawPhases = (chart: LineChart, { phases, palette, rateText }: Overlay): void => {
  const { ctx, chartArea, scales } = chart;
  const x = scales['x'];
  if (!x) return;
  ctx.textBaseline = 'middle';
  ctx.textAlign = 'center';
  ctx.font = `500 11px ${palette.mono}`;
  for (const [index, phase] of phases.entries()) {
    const from = Math.max(chartArea.left, x.getPixelForValue(phase.startSeconds));
    const to = Math.min(chartArea.right, x.getPixelForValue(phase.endSeconds));
    const width = to - from;
    if (width < 2) continue;
    const top = chartArea.top - overlayTop;
    ctx.fillStyle = withAlpha(palette.strong, [0.05, 0.085, 0.13][index] ?? 0.05);
    ctx.fillRect(from + 1, top, width - 2, bandHeight - 2);
    const { long, short } = phaseLabels[phase.name];
    const percent = phase.share === null ? null : `${Math.round(phase.share * 100)}%`;
    const figures = [formatDuration(phase.durationSeconds), ...(percent === null ? [] : [percent])].join(' · ');
    const texts = [
      `${long}  ${figures} · ${rateText(phase.meanRateC)}`,
      `${long}  ${figures}`,
      `${short} ${figures}`,
      figures,
      percent ?? formatDuration(phase.durationSeconds),
    ];
    const fitting = texts.find((text) => ctx.measureText(text).width < width - 8);
    if (fitting === undefined) continue;
    ctx.fillStyle = palette.content;
    ctx.fillText(fitting, (from + to) / 2, top + (bandHeight - 2) / 2 + 0.5);
  }
};

/** A gap as a band over the whole height. */
const drawHoles = (chart: LineChart, { holes, palette }: Overlay): void => {
  const { ctx, chartArea, scales } = chart;
  const x = scales['x'];
  if (!x) return;
  ctx.fillStyle = withAlpha(palette.strong, 0.07);
  for (const { fromSeconds, toSeconds } of holes) {
    const from = Math.max(chartArea.left, x.getPixelForValue(fromSeconds));
    const to = Math.min(chartArea.right, x.getPixelForValue(toSeconds));
    if (to > from) ctx.fillRect(from, chartArea.top, Math.max(1, to - from), chartArea.bottom - chartArea.top);
  }
};

/** Space between a unit and the plot, and between it and the label of a mark, px. */
const unitRoom = 5;

/** Units above their axes: a rotated title would need width. */
const drawUnits = ({ ctx, chartArea }: LineChart, { palette, units }: Overlay): void => {
  ctx.font = `500 11px ${palette.mono}`;
  ctx.textBaseline = 'alphabetic';
  ctx.fillStyle = palette.muted;
  ctx.textAlign = 'right';
  ctx.fillText(units.left, chartArea.left - unitRoom, chartArea.top - 8);
  if (units.right === null) return;
  ctx.textAlign = 'left';
  ctx.fillText(units.right, chartArea.right + unitRoom, chartArea.top - 8);
};

const drawMarks = (chart: LineChart, { marks, palette, formatTemp, toAxis, units }: Overlay): void => {
  const { ctx, chartArea, scales } = chart;
  const x = scales['x'];
  const y = scales['temperature'];
  if (!x || !y) return;
  const inSight = marks
    .map((mark) => ({ mark, at: x.getPixelForValue(mark.time_seconds) }))
    .filter(({ at }) => at >= chartArea.left - 1 && at <= chartArea.right + 1);
  for (const { mark, at } of inSight) {
    ctx.strokeStyle = withAlpha(palette.strong, mark.provisional ? 0.25 : 0.38);
    ctx.lineWidth = 1;
    ctx.setLineDash(mark.provisional ? [3, 3] : []);
    ctx.beginPath();
    ctx.moveTo(Math.round(at) + 0.5, chartArea.top);
    ctx.lineTo(Math.round(at) + 0.5, chartArea.bottom);
    ctx.stroke();
    ctx.setLineDash([]);
    if (mark.temp === null) continue;
    ctx.beginPath();
    ctx.arc(at, y.getPixelForValue(toAxis(mark.temp)), 4, 0, Math.PI * 2);
    ctx.fillStyle = palette.surface;
    ctx.fill();
    ctx.lineWidth = 1.75;
    ctx.strokeStyle = palette.strong;
    ctx.stroke();
  }
  ctx.font = `500 11px ${palette.mono}`;
  ctx.textBaseline = 'alphabetic';
  ctx.textAlign = 'left';
  ctx.fillStyle = palette.content;
  const wishes = inSight.map(({ mark, at }) => {
    const { short, weight } = markLabels[mark.kind];
    const timed = `${short} ${formatDuration(mark.time_seconds)}`;
    return { at, weight, texts: [...(mark.temp === null ? [] : [`${timed} ${formatTemp(mark.temp)}`]), timed, short] };
  });
  const left = chartArea.left + unitRoom;
  const right = chartArea.right - (units.right === null ? 0 : unitRoom);
  const labels = layOutLabels(wishes, (text) => ctx.measureText(text).width, left, right);
  for (const label of labels) if (label !== null) ctx.fillText(label.text, label.left, chartArea.top - 8);
};

const drawCursor = (chart: LineChart, { cursor, now = null, selected, palette }: Overlay): void => {
  const { ctx, chartArea, scales } = chart;
  const x = scales['x'];
  if (!x) return;
  for (const [seconds, strong] of [
    [cursor ?? now, false],
    [selected, true],
  ] as const) {
    if (seconds === null) continue;
    const at = x.getPixelForValue(seconds);
    if (at < chartArea.left || at > chartArea.right) continue;
    ctx.strokeStyle = strong ? palette.accent : withAlpha(palette.strong, 0.45);
    ctx.lineWidth = strong ? 1.5 : 1;
    ctx.beginPath();
    ctx.moveTo(at, chartArea.top);
    ctx.lineTo(at, chartArea.bottom);
    ctx.stroke();
    drawDots(chart, seconds, strong ? 4.5 : 3.5, palette);
  }
};

const drawDots = (chart: LineChart, seconds: number, radius: number, palette: Palette): void => {
  const x = chart.scales['x'];
  const { ctx, chartArea } = chart;
  for (const [index, dataset] of curvesOf(chart).entries()) {
    if (
      !dataset.whole ||
      dataset.curveKey.startsWith('reference') ||
      dataset.fill !== undefined ||
      !chart.isDatasetVisible(index)
    )
      continue;
    const y = chart.scales[dataset.yAxisID ?? 'y'];
    const nearest = nearestIndex(dataset.whole.x, seconds);
    const value = dataset.whole.y[nearest];
    if (!x || !y || value === undefined || Number.isNaN(value)) continue;
    const at = y.getPixelForValue(value);
    if (at < chartArea.top - 1 || at > chartArea.bottom + 1) continue;
    ctx.beginPath();
    ctx.arc(x.getPixelForValue(dataset.whole.x[nearest] ?? 0), at, radius, 0, Math.PI * 2);
    ctx.fillStyle = dataset.colour;
    ctx.fill();
    ctx.lineWidth = 1.5;
    ctx.strokeStyle = palette.surface;
    ctx.stroke();
  }
};

/** Phases above the plot, marks on the curve, names at the lines' ends, cursor and selected point over all. */
export const overlayPlugin = (overlay: { readonly current: Overlay }, parts: 'roast' | 'cursor'): Plugin<'line'> => ({
  id: 'overlay',
  beforeDatasetsDraw(chart) {
    chart.ctx.save();
    drawHoles(chart, overlay.current);
    if (parts === 'roast') {
      drawExpectedBand(chart, overlay.current.expected, overlay.current.palette);
      drawForecastBand(chart, overlay.current.forecast);
      drawPhases(chart, overlay.current);
      drawUnits(chart, overlay.current);
    }
    chart.ctx.restore();
  },
  afterDatasetsDraw(chart) {
    chart.ctx.save();
    if (parts === 'roast') {
      drawMarks(chart, overlay.current);
      drawTags(chart, overlay.current.palette);
    }
    drawCursor(chart, overlay.current);
    chart.ctx.restore();
  },
});
