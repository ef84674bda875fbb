import type { ChartOptions } from 'chart.js';
import { withAlpha, type Palette } from './palette.ts';
import type { TimeViewStore } from './time-view.ts';

/** Ticks every 60 s, as in the document; wider or finer only where 60 s would give too many or too few. */
export const tickStepSeconds = (windowSeconds: number, pixels: number): number => {
  const fitting = Math.max(2, Math.floor(pixels / 44));
  const steps = [5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600];
  if (windowSeconds / 60 >= 4 && windowSeconds / 60 <= fitting) return 60;
  return steps.find((step) => windowSeconds / step <= fitting && (step >= 60 || windowSeconds < 240)) ?? 3600;
};

/** Seconds since charge as mm:ss: `01:00`, `-00:30` before it, `75:00`. */
export const tickLabel = (seconds: number): string => {
  const whole = Math.round(Math.abs(seconds));
  const [minutes, rest] = [Math.floor(whole / 60), whole % 60].map((part) => String(part).padStart(2, '0'));
  return `${seconds < 0 && whole > 0 ? '-' : ''}${minutes}:${rest}`;
};

/**
 * Widths beside the plot of every chart of a roast, px. Fixed, so that the time axes of charts below each other are aligned to
 * the pixel. `°C/min` fits above them.
 */
export const axisPixels = 46;
/** Right of a plot without an axis: half of the last time label. */
export const barePixels = 16;

/** For `afterFit` of a vertical axis. */
export const fixedWidth = (scale: { width: number }): void => {
  scale.width = axisPixels;
};

/** The common options of all charts over time: each draws its data without animation; our code handles the pointer. */
export const baseOptions: ChartOptions<'line'> = {
  animation: false,
  responsive: true,
  maintainAspectRatio: false,
  parsing: false,
  normalized: true,
  events: [],
};

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

/** Drag zooms, the wheel zooms time, Shift and drag pans; the window goes to the shared view, which moves all charts. */
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
