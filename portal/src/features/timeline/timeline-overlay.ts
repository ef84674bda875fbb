import type { TimelineGap, TimelineRoast } from '@roastery/contract/timeline';
import type { Plugin } from 'chart.js';
import { withAlpha, type Palette } from '../../components/chart/palette.ts';
import { colourToken } from '../../ui/theme.ts';
import type { Span } from './timeline-span.ts';

/** The drawings over and behind the curve of a timeline. */
export interface TimelineOverlay {
  roasts: readonly TimelineRoast[];
  gaps: readonly TimelineGap[];
  selectedId: string | undefined;
  /** The selected range. */
  stretch: Span | null;
  cursor: number | null;
  palette: Palette;
}

/** Distinguished by more than colour: the lane above names each, an aborted one is dashed. */
const tokenOf = { in_progress: 'warning', completed: 'accent', aborted: 'danger' } as const;

const hatchStep = 7;

const hatch = (ctx: CanvasRenderingContext2D, left: number, right: number, top: number, bottom: number): void => {
  ctx.save();
  ctx.beginPath();
  ctx.rect(left, top, right - left, bottom - top);
  ctx.clip();
  ctx.beginPath();
  const height = bottom - top;
  for (let x = Math.floor((left - height) / hatchStep) * hatchStep; x < right; x += hatchStep) {
    ctx.moveTo(x, bottom);
    ctx.lineTo(x + height, top);
  }
  ctx.stroke();
  ctx.restore();
};

/** Roasts as windows, gaps hatched, the selected range and the cursor. */
export const timelineOverlay = (shared: { readonly current: TimelineOverlay }): Plugin<'line'> => ({
  id: 'timelineOverlay',
  beforeDatasetsDraw(chart) {
    const { ctx, chartArea, scales } = chart;
    const x = scales['x'];
    if (!x) return;
    const { roasts, gaps, selectedId, palette } = shared.current;
    const { left, right, top, bottom } = chartArea;
    const pixel = (iso: string | null): number =>
      Math.min(right, Math.max(left, iso === null ? right : x.getPixelForValue(Date.parse(iso))));
    ctx.save();
    ctx.lineWidth = 1;
    ctx.strokeStyle = withAlpha(palette.muted, 0.45);
    for (const gap of gaps) {
      const [from, to] = [pixel(gap.from), pixel(gap.to)];
      if (to - from >= 1) hatch(ctx, from, to, top, bottom);
    }
    for (const roast of roasts) {
      const [from, to] = [pixel(roast.from), pixel(roast.to)];
      if (to <= left || from >= right) continue;
      const colour = colourToken(tokenOf[roast.status]);
      const isSelected = roast.id === selectedId;
      ctx.fillStyle = withAlpha(colour, isSelected ? 0.26 : 0.13);
      ctx.fillRect(from, top, Math.max(1, to - from), bottom - top);
      ctx.strokeStyle = withAlpha(colour, isSelected ? 1 : 0.6);
      ctx.lineWidth = isSelected ? 2 : 1;
      ctx.setLineDash(roast.status === 'aborted' ? [4, 3] : []);
      for (const edge of roast.to === null ? [from] : [from, to]) {
        ctx.beginPath();
        ctx.moveTo(edge, top);
        ctx.lineTo(edge, bottom);
        ctx.stroke();
      }
    }
    ctx.restore();
  },
  afterDatasetsDraw(chart) {
    const { ctx, chartArea, scales } = chart;
    const x = scales['x'];
    if (!x) return;
    const { stretch, cursor, palette } = shared.current;
    const { left, right, top, bottom } = chartArea;
    ctx.save();
    if (stretch !== null) {
      const from = Math.max(left, x.getPixelForValue(stretch.from));
      const to = Math.min(right, x.getPixelForValue(stretch.to));
      if (to > left && from < right) {
        ctx.fillStyle = withAlpha(palette.strong, 0.1);
        ctx.fillRect(from, top, to - from, bottom - top);
        ctx.strokeStyle = palette.strong;
        ctx.lineWidth = 1.5;
        ctx.strokeRect(from, top, to - from, bottom - top);
      }
    }
    const at = cursor === null ? Number.NaN : x.getPixelForValue(cursor);
    if (at >= left && at <= right) {
      ctx.strokeStyle = palette.muted;
      ctx.lineWidth = 1;
      ctx.beginPath();
      ctx.moveTo(at, top);
      ctx.lineTo(at, bottom);
      ctx.stroke();
    }
    ctx.restore();
  },
});
