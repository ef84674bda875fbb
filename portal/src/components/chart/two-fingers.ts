import { useEffect, type RefObject } from 'react';
import type { TimeViewStore } from './time-view.ts';
import type { Chart } from './use-chart.ts';

interface Span {
  readonly from: number;
  readonly to: number;
}

/** What two fingers change; times in the unit of the chart's axis. */
export interface FingerView extends Pick<TimeViewStore, 'setWindow' | 'setCursor' | 'extent'> {
  readonly get: () => Span;
}

/** The plot and two fingers on it, px. */
interface Fingers {
  readonly left: number;
  readonly width: number;
  readonly first: number;
  readonly second: number;
}

/** Fingers nearer to each other than this along the time axis, px, only pan: a millimetre would zoom by half. */
const shortestSpread = 24;
const shortestSeconds = 10;

const middleOf = ({ first, second, left, width }: Fingers): number => ((first + second) / 2 - left) / width;
const spreadOf = ({ first, second }: Fingers): number => Math.abs(first - second);

/** The window in which the time between the fingers stays between them, and grows as they part. */
export const windowUnderFingers = (shown: Span, extent: Span, before: Fingers, now: Fingers): Span => {
  const zooms = Math.min(spreadOf(before), spreadOf(now)) >= shortestSpread;
  const wished = (shown.to - shown.from) * (zooms ? spreadOf(before) / spreadOf(now) : 1);
  const length = Math.min(Math.max(wished, shortestSeconds), extent.to - extent.from);
  const held = shown.from + middleOf(before) * (shown.to - shown.from);
  const from = held - middleOf(now) * length;
  return { from, to: from + length };
};

/**
 * Two fingers pan and zoom a chart, while one scrolls the page. Our own: the plugin of the chart zooms around the
 * middle without panning, and only after its code has loaded.
 */
export const useTwoFingers = (
  chart: RefObject<Chart<'line', { x: number; y: number }[]> | null | undefined>,
  view: FingerView,
  isOn = true,
): void => {
  useEffect(() => {
    const around = chart.current?.canvas.parentElement;
    if (!isOn || !around) return undefined;
    let start: { shown: Span; fingers: Fingers } | null = null;
    const fingersOf = ({ touches }: TouchEvent): Fingers | null => {
      const x = chart.current?.scales['x'];
      const [first, second, third] = touches;
      if (!x || !first || !second || third) return null;
      const edge = around.getBoundingClientRect().left;
      return { left: x.left, width: x.width, first: first.clientX - edge, second: second.clientX - edge };
    };
    const begin = (event: TouchEvent): void => {
      const fingers = fingersOf(event);
      start = fingers && { shown: view.get(), fingers };
      // Without this, two fingers that move up scroll the page.
      if (start !== null && event.cancelable) event.preventDefault();
      if (start !== null) view.setCursor(null);
    };
    const move = (event: TouchEvent): void => {
      const fingers = fingersOf(event);
      if (start === null || fingers === null) return;
      const { from, to } = windowUnderFingers(start.shown, view.extent(), start.fingers, fingers);
      view.setWindow(from, to);
    };
    const stop = new AbortController();
    const { signal } = stop;
    around.addEventListener('touchstart', begin, { passive: false, signal });
    around.addEventListener('touchmove', move, { passive: true, signal });
    for (const type of ['touchend', 'touchcancel'] as const) around.addEventListener(type, begin, { signal });
    return () => stop.abort();
  }, [chart, view, isOn]);
};
