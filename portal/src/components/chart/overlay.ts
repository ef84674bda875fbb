import type { RoastMark } from '@roastery/contract/roasts';
import type { Phase } from '@roastery/roasting/phases';
import { formatDuration } from '@roastery/roasting/units';
import type { Chart, Plugin } from 'chart.js';
import { nearestIndex } from './curves.ts';
import { markLabels, phaseLabels } from './mark-labels.ts';
import { withAlpha, type Palette } from './palette.ts';
import type { CurveDataset } from './pixel-decimation.ts';

type LineChart = Chart<'line'>;

/** What is drawn over the curves; kept in one mutable place so that a moving cursor costs a draw, not a render. */
export interface Overlay {
  palette: Palette;
  marks: readonly RoastMark[];
  phases: readonly Phase[];
  cursor: number | null;
  selected: number | null;
  /** Formats a temperature of a mark in a person's unit. */
  formatTemp: (tempC: number) => string;
  rateText: (rateC: number | null) => string;
  /** °C to the axis. */
  toAxis: (tempC: number) => number;
}

const bandHeight = 20;
export const overlayTop = bandHeight + 20;

const drawPhases = (chart: LineChart, { phases, palette, rateText }: Overlay): void => {
  const { ctx, chartArea, scales } = chart;
  const x = scales['x'];
  if (!x) return;
  ctx.textBaseline = 'middle';
  ctx.textAlign = 'center';
  for (const [index, phase] of phases.entries()) {
    const from = Math.max(chartArea.left, x.getPixelForValue(phase.startSeconds));
    const to = Math.min(chartArea.right, x.getPixelForValue(phase.endSeconds));
    const width = to - from;
    if (width < 2) continue;
    const top = chartArea.top - overlayTop;
    ctx.fillStyle = withAlpha(palette.strong, [0.05, 0.085, 0.13][index] ?? 0.05);
    ctx.fillRect(from + 1, top, width - 2, bandHeight - 2);
    const share = phase.share === null ? '' : ` · ${Math.round(phase.share * 100)}%`;
    const texts = [
      `${phaseLabels[phase.name]}  ${formatDuration(phase.durationSeconds)}${share} · ${rateText(phase.meanRateC)}`,
      `${phaseLabels[phase.name]}  ${formatDuration(phase.durationSeconds)}${share}`,
      `${formatDuration(phase.durationSeconds)}${share}`,
      phase.share === null ? formatDuration(phase.durationSeconds) : `${Math.round(phase.share * 100)}%`,
    ];
    ctx.font = `500 11px ${palette.mono}`;
    const fitting = texts.find((text) => ctx.measureText(text).width < width - 8);
    if (fitting) {
      ctx.fillStyle = palette.content;
      ctx.fillText(fitting, (from + to) / 2, top + (bandHeight - 2) / 2 + 0.5);
    }
  }
};

const drawMarks = (chart: LineChart, { marks, palette, formatTemp, toAxis }: Overlay): void => {
  const { ctx, chartArea, scales } = chart;
  const x = scales['x'];
  const y = scales['temperature'];
  if (!x || !y) return;
  let lastLabelEnd = Number.NEGATIVE_INFINITY;
  for (const mark of marks) {
    const at = x.getPixelForValue(mark.time_seconds);
    if (at < chartArea.left - 1 || at > chartArea.right + 1) continue;
    ctx.strokeStyle = withAlpha(palette.strong, mark.provisional ? 0.25 : 0.38);
    ctx.lineWidth = 1;
    ctx.setLineDash(mark.provisional ? [3, 3] : []);
    ctx.beginPath();
    ctx.moveTo(Math.round(at) + 0.5, chartArea.top);
    ctx.lineTo(Math.round(at) + 0.5, chartArea.bottom);
    ctx.stroke();
    ctx.setLineDash([]);
    if (mark.temp !== null) {
      const py = y.getPixelForValue(toAxis(mark.temp));
      ctx.beginPath();
      ctx.arc(at, py, 4, 0, Math.PI * 2);
      ctx.fillStyle = palette.surface;
      ctx.fill();
      ctx.lineWidth = 1.75;
      ctx.strokeStyle = palette.strong;
      ctx.stroke();
    }
    lastLabelEnd = drawMarkLabel(chart, mark, at, lastLabelEnd, palette, formatTemp);
  }
};

const drawMarkLabel = (
  { ctx, chartArea }: LineChart,
  mark: RoastMark,
  at: number,
  lastEnd: number,
  palette: Palette,
  formatTemp: (tempC: number) => string,
): number => {
  const { short } = markLabels[mark.kind];
  const time = formatDuration(mark.time_seconds);
  ctx.font = `500 11px ${palette.mono}`;
  ctx.textBaseline = 'alphabetic';
  const choices = [
    mark.temp === null ? `${short} ${time}` : `${short} ${time} ${formatTemp(mark.temp)}`,
    `${short} ${time}`,
    short,
  ];
  for (const text of choices) {
    const width = ctx.measureText(text).width;
    const centred = Math.min(Math.max(at - width / 2, chartArea.left), chartArea.right - width);
    if (centred <= lastEnd + 8) continue;
    ctx.textAlign = 'left';
    ctx.fillStyle = palette.content;
    ctx.fillText(text, centred, chartArea.top - 7);
    return centred + width;
  }
  return lastEnd;
};

const drawCursor = (chart: LineChart, { cursor, selected, palette }: Overlay): void => {
  const { ctx, chartArea, scales } = chart;
  const x = scales['x'];
  if (!x) return;
  for (const [seconds, strong] of [
    [cursor, false],
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
  for (const [index, dataset] of (chart.data.datasets as CurveDataset[]).entries()) {
    if (!dataset.whole || dataset.curveKey.startsWith('reference') || !chart.isDatasetVisible(index)) continue;
    const y = chart.scales[dataset.yAxisID ?? 'y'];
    const nearest = nearestIndex(dataset.whole.x, seconds);
    const value = dataset.whole.y[nearest];
    if (!x || !y || value === undefined || Number.isNaN(value)) continue;
    const { ctx } = chart;
    ctx.beginPath();
    ctx.arc(x.getPixelForValue(dataset.whole.x[nearest] ?? 0), y.getPixelForValue(value), radius, 0, Math.PI * 2);
    ctx.fillStyle = dataset.colour;
    ctx.fill();
    ctx.lineWidth = 1.5;
    ctx.strokeStyle = palette.surface;
    ctx.stroke();
  }
};

/** Short names at the right end of each line, so that curves are told apart without colour. */
const drawTags = (chart: LineChart, palette: Palette): void => {
  const { ctx, chartArea } = chart;
  ctx.font = `600 11px ${palette.mono}`;
  ctx.textAlign = 'right';
  ctx.textBaseline = 'bottom';
  const taken: number[] = [];
  for (const [index, dataset] of (chart.data.datasets as CurveDataset[]).entries()) {
    if (!dataset.label || !chart.isDatasetVisible(index)) continue;
    const last = dataset.data.findLast((point) => !Number.isNaN(point.y));
    const y = chart.scales[dataset.yAxisID ?? 'y'];
    const x = chart.scales['x'];
    if (!last || !y || !x) continue;
    const at = Math.min(x.getPixelForValue(last.x), chartArea.right) - 4;
    let top = Math.max(y.getPixelForValue(last.y) - 6, chartArea.top + 12);
    while (taken.some((other) => Math.abs(other - top) < 13)) top += 13;
    if (top > chartArea.bottom) continue;
    taken.push(top);
    ctx.lineWidth = 3;
    ctx.strokeStyle = palette.surface;
    ctx.strokeText(dataset.label, at, top);
    ctx.fillStyle = dataset.colour;
    ctx.fillText(dataset.label, at, top);
  }
};

/** Phases above the plot, marks on the curve, names at the lines' ends, cursor and selected point over all. */
export const overlayPlugin = (overlay: { readonly current: Overlay }, parts: 'roast' | 'cursor'): Plugin<'line'> => ({
  id: 'overlay',
  beforeDatasetsDraw(chart) {
    if (parts !== 'roast') return;
    chart.ctx.save();
    drawPhases(chart, overlay.current);
    chart.ctx.restore();
  },
  afterDatasetsDraw(chart) {
    chart.ctx.save();
    if (parts === 'roast') {
      drawTags(chart, overlay.current.palette);
      drawMarks(chart, overlay.current);
    }
    drawCursor(chart, overlay.current);
    chart.ctx.restore();
  },
});
