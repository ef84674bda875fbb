import type { Plugin } from 'chart.js';
import type { Palette } from './palette.ts';
import { lineValueAt, type ProfileLine } from './profile-chart-lines.ts';

/** The time under the pointer: a vertical line and a dot on every line. */
export const profileOverlay = (
  shared: { readonly current: { cursor: number | null } },
  palette: () => Palette,
): Plugin<'line'> => ({
  id: 'profileOverlay',
  afterDatasetsDraw(chart) {
    const { ctx, chartArea, scales } = chart;
    const x = scales['x'];
    const { cursor } = shared.current;
    if (!x || cursor === null) return;
    const at = x.getPixelForValue(cursor);
    ctx.save();
    ctx.strokeStyle = palette().muted;
    ctx.lineWidth = 1;
    ctx.beginPath();
    ctx.moveTo(at, chartArea.top);
    ctx.lineTo(at, chartArea.bottom);
    ctx.stroke();
    for (const line of chart.data.datasets as ProfileLine[]) {
      const value = lineValueAt(line, cursor);
      const y = scales[line.yAxisID ?? 'control'];
      if (value === null || !y) continue;
      ctx.beginPath();
      ctx.arc(at, y.getPixelForValue(value), line.behind ? 3 : 4, 0, Math.PI * 2);
      ctx.fillStyle = line.colour;
      ctx.fill();
      ctx.lineWidth = 1.5;
      ctx.strokeStyle = palette().surface;
      ctx.stroke();
    }
    ctx.restore();
  },
});
