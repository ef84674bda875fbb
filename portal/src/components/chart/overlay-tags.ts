import type { Chart } from 'chart.js';
import type { Palette } from './palette.ts';
import { curvesOf } from './pixel-decimation.ts';

/** Height of a line of tags, and the room right of a curve's end that lets the tag stand beside it, px. */
const lineHeight = 14;
const besideRoom = 34;

/**
 * Short names at the end of each line, so that curves differ without colour: beside the end if the plot continues (a
 * live curve), else above it. Overlapping tags are moved apart.
 */
export const drawTags = (chart: Chart<'line'>, palette: Palette): void => {
  const { ctx, chartArea, scales } = chart;
  const x = scales['x'];
  if (!x) return;
  const tags = curvesOf(chart)
    .flatMap((dataset, index) => {
      const last = dataset.data.findLast((point) => !Number.isNaN(point.y));
      const y = scales[dataset.yAxisID ?? 'y'];
      if (!dataset.label || !last || !y || !chart.isDatasetVisible(index)) return [];
      const at = y.getPixelForValue(last.y);
      // A curve that ends below its axis has no visible end.
      if (at < chartArea.top - 1 || at > chartArea.bottom + 1) return [];
      const end = Math.min(x.getPixelForValue(last.x), chartArea.right);
      const isBeside = chartArea.right - end > besideRoom;
      return [{ dataset, end, isBeside, middle: isBeside ? at : at - lineHeight + 2 }];
    })
    .sort((a, b) => a.middle - b.middle);
  ctx.font = `600 11px ${palette.mono}`;
  ctx.textBaseline = 'middle';
  ctx.lineJoin = 'round';
  let taken = chartArea.top - lineHeight / 2;
  for (const { dataset, end, isBeside, middle } of tags) {
    const at = Math.max(middle, taken + lineHeight);
    if (at > chartArea.bottom || dataset.label === undefined) continue;
    taken = at;
    ctx.textAlign = isBeside ? 'left' : 'right';
    const left = isBeside ? end + 8 : end - 9;
    ctx.lineWidth = 4;
    ctx.strokeStyle = palette.surface;
    ctx.strokeText(dataset.label, left, at);
    ctx.fillStyle = dataset.colour;
    ctx.fillText(dataset.label, left, at);
  }
};
