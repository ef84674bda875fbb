import type { ChartOptions } from 'chart.js';
import { withAlpha, type Palette } from './palette.ts';
import { tickLabel, tickStepSeconds } from './time-axis.ts';
import type { TimeViewStore } from './time-view.ts';

export const axisFont = (palette: Palette) => ({ family: palette.mono, size: 11 });

/** The shared time axis: mm:ss since charge, bounds from the page's time view. */
export const timeScale = (palette: Palette, view: TimeViewStore, options: { labels: boolean }) => {
  const { from, to } = view.get();
  return {
    type: 'linear' as const,
    min: from,
    max: to,
    border: { color: palette.strokeStrong },
    grid: { color: palette.stroke, tickLength: options.labels ? 4 : 0, drawTicks: options.labels },
    afterBuildTicks(scale: { min: number; max: number; width: number; ticks: { value: number }[] }) {
      const step = tickStepSeconds(scale.max - scale.min, scale.width);
      const ticks: { value: number }[] = [];
      for (let at = Math.ceil(scale.min / step) * step; at <= scale.max; at += step) ticks.push({ value: at });
      scale.ticks = ticks;
    },
    ticks: {
      display: options.labels,
      autoSkip: false,
      maxRotation: 0,
      color: palette.muted,
      font: axisFont(palette),
      callback: (value: string | number) => tickLabel(Number(value)),
    },
  };
};

/** Drag zooms, wheel and pinch zoom time, Shift and drag pans; the window goes to the shared view, which moves all charts. */
export const zoomOptions = (
  view: TimeViewStore,
  palette: Palette,
): NonNullable<NonNullable<ChartOptions<'line'>['plugins']>['zoom']> => {
  const share = ({ chart }: { chart: { scales: Record<string, { min: number; max: number }> } }): void => {
    const x = chart.scales['x'];
    if (x) view.setWindow(x.min, x.max);
  };
  return {
    limits: { x: { min: 'original', max: 'original', minRange: 10 } },
    zoom: {
      mode: 'x',
      wheel: { enabled: true },
      pinch: { enabled: true },
      drag: {
        enabled: true,
        threshold: 8,
        backgroundColor: withAlpha(palette.accent, 0.1),
        borderColor: palette.accent,
        borderWidth: 1,
      },
      onZoom: share,
    },
    pan: { enabled: true, mode: 'x', modifierKey: 'shift', threshold: 4, onPan: share },
  };
};
