import type { RoastMark } from '@roastery/contract/roasts';
import type { Chart } from 'chart.js';
import { markLabels } from './mark-layout.ts';
import { withAlpha, type Palette } from './palette.ts';

/** When an event is expected, seconds since charge. */
export interface ExpectedBand {
  readonly kind: RoastMark['kind'];
  readonly likely: number;
  readonly earliest: number;
  readonly latest: number;
}

/** A shaded time span below the curves, with the most likely time and the name of the event. */
export const drawExpectedBand = (
  chart: Chart<'line'>,
  band: ExpectedBand | null | undefined,
  palette: Palette,
): void => {
  const { ctx, chartArea, scales } = chart;
  const x = scales['x'];
  if (!x || !band) return;
  const inside = (seconds: number) => Math.min(chartArea.right, Math.max(chartArea.left, x.getPixelForValue(seconds)));
  const [from, at, to] = [inside(band.earliest), inside(band.likely), inside(band.latest)];
  if (to - from < 1) return;
  ctx.save();
  ctx.fillStyle = withAlpha(palette.accent, 0.1);
  ctx.fillRect(from, chartArea.top, to - from, chartArea.bottom - chartArea.top);
  ctx.strokeStyle = withAlpha(palette.accent, 0.6);
  ctx.setLineDash([2, 4]);
  ctx.beginPath();
  ctx.moveTo(Math.round(at) + 0.5, chartArea.top);
  ctx.lineTo(Math.round(at) + 0.5, chartArea.bottom);
  ctx.stroke();
  ctx.restore();
  const label = `${markLabels[band.kind].short}?`;
  ctx.font = `500 11px ${palette.mono}`;
  if (ctx.measureText(label).width > to - from) return;
  ctx.textAlign = 'center';
  ctx.textBaseline = 'alphabetic';
  ctx.fillStyle = palette.content;
  ctx.fillText(label, (from + to) / 2, chartArea.bottom - 8);
};
