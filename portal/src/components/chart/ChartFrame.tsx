import { useRef, type KeyboardEvent, type PointerEvent, type ReactNode, type RefObject } from 'react';
import type { TimeViewStore } from './time-view.ts';
import type { LineChart } from './use-chart.ts';
import type { MarkDrag, DragAxis } from './use-mark-drag.ts';

type At = Pick<PointerEvent, 'clientX'>;

/** How far beside the plot a pointer still points at its edge, px. */
const edgePixels = 4;

/** The time at a pixel of the screen; null outside of the plot. */
export const timeAt = (chart: LineChart | null, { clientX }: At, edge = edgePixels): number | null => {
  const x = chart?.scales['x'];
  if (!chart || !x) return null;
  const { left, right } = chart.chartArea;
  const at = clientX - chart.canvas.getBoundingClientRect().left;
  if (at < left - edge || at > right + edge) return null;
  return x.getValueForPixel(Math.min(right, Math.max(left, at))) ?? null;
};

/** The same beside the plot too: a mark can be dragged out of it. */
const axisAt = (chart: LineChart | null, { clientX }: At): DragAxis | null => {
  const x = chart?.scales['x'];
  if (!chart || !x) return null;
  const at = clientX - chart.canvas.getBoundingClientRect().left;
  return { seconds: x.getValueForPixel(at) ?? 0, secondsPerPixel: (x.max - x.min) / Math.max(1, x.width) };
};

/** How far each key goes, in steps of the curve. */
const keySteps: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowRight: 1,
  PageUp: -30,
  PageDown: 30,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
};
/** A press that moved farther has dragged, px. */
const clickPixels = 6;

interface ChartFrameProps {
  chart: RefObject<LineChart | null>;
  view: TimeViewStore;
  /** Seconds of the pinned point. */
  selected: number | null;
  onSelect: (seconds: number | null) => void;
  /** The point to show or pin for a time on the axis. */
  pointAt: (seconds: number) => number | null;
  /** The point that a key leads to from the pinned one. */
  pointAfter: (steps: number) => number | null;
  /** Drags a mark; it has the first choice of each press. */
  drag?: MarkDrag;
  label: string;
  height: number | '100%';
  testId: string;
  isZoomable?: boolean;
  children: ReactNode;
}

/** The box of a chart over time: the pointer shows a point, a click pins it, the keys walk, a double click shows all. */
export const ChartFrame = (props: ChartFrameProps) => {
  const { chart, view, selected, onSelect, pointAt, pointAfter, drag } = props;
  const down = useRef<{ x: number; y: number } | null>(null);
  const pointUnder = (event: At): number | null => {
    const seconds = timeAt(chart.current, event);
    return seconds === null ? null : pointAt(seconds);
  };
  const onPointerDown = (event: PointerEvent): void => {
    const axis = axisAt(chart.current, event);
    if (axis !== null && drag?.begin(axis) === true) event.currentTarget.setPointerCapture(event.pointerId);
    down.current = event.isPrimary ? { x: event.clientX, y: event.clientY } : null;
  };
  // A drag pans or zooms: the cursor stays, and each step draws the charts once.
  const onPointerMove = (event: PointerEvent): void => {
    // Two fingers pan and zoom.
    if (event.pointerType === 'touch' && down.current === null) return;
    if (drag?.move(axisAt(chart.current, event)) === true) return;
    if (event.pointerType !== 'mouse' || event.buttons === 0) view.setCursor(pointUnder(event));
  };
  // A click is a press that did not move: a drag has zoomed.
  const onPointerUp = (event: PointerEvent): void => {
    const from = down.current;
    down.current = null;
    if (drag?.end() === true) return;
    if (from && Math.hypot(event.clientX - from.x, event.clientY - from.y) < clickPixels) onSelect(pointUnder(event));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const steps = keySteps[event.key];
    if (event.key === 'Escape' && selected !== null) onSelect(null);
    else if (event.key === '0') view.reset();
    else if (steps === undefined) return;
    else onSelect(pointAfter(steps * (event.shiftKey ? 10 : 1)));
    event.preventDefault();
  };
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the arrow keys move through the chart
    <div
      role="application"
      aria-label={props.label}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- see above
      tabIndex={0}
      className="relative w-full touch-scrolls select-none"
      style={{ height: props.height }}
      onKeyDown={onKeyDown}
      onPointerDown={onPointerDown}
      onPointerUp={onPointerUp}
      onPointerMove={onPointerMove}
      onPointerLeave={() => view.setCursor(null)}
      onDoubleClick={() => view.reset()}
      data-testid={props.testId}
      data-zoomable={props.isZoomable}
    >
      {props.children}
    </div>
  );
};
