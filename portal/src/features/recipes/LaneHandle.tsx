import { formatDuration } from '@roastery/roasting/units';
import { useRef, type KeyboardEvent, type PointerEvent } from 'react';
import { limitsOf, moved, type DraftPoint } from './control-points.ts';
import { secondsAt, snapped, valueAtY, valueText, xOf, yOf, type Lane, type LaneScale } from './lane-geometry.ts';
import { t } from '../../language/t.ts';

/** Props of a lane of the curve editor and of its handles. */
export interface LaneProps {
  lane: Lane;
  scale: LaneScale;
  ticks: readonly number[];
  /** The points that can be drawn, sorted by time. */
  points: readonly DraftPoint[];
  /** All points, as stored. */
  all: readonly DraftPoint[];
  interpolated: boolean;
  active: string | null;
  /** Seconds under the pointer, shared by the lanes. */
  cursor: number | null;
  /** Value of this lane under the pointer or at the active point. */
  value: number | null;
  roastSeconds: number;
  /** Id of the description of the keys. */
  hintId: string;
  onCursor: (seconds: number | null) => void;
  onActive: (key: string | null) => void;
  onChange: (points: DraftPoint[]) => void;
  onHold: (isHeld: boolean) => void;
}

interface LaneHandleProps extends LaneProps {
  point: DraftPoint;
  /** Index among the drawn points. */
  index: number;
}

/** Minimum pixels of a drag in one direction: setting the value must not also shift the time by a small movement. */
const deadZone = 6;

/**
 * A finger on a handle drags it and must not scroll the page. `touch-action` alone does not do it: on a group within SVG
 * Chromium still pans and cancels the drag. React's own touch listeners are passive.
 */
const holdPage = (element: SVGGElement) => {
  element.addEventListener('touchstart', keepStill, { passive: false });
  return () => element.removeEventListener('touchstart', keepStill);
};
const keepStill = (event: TouchEvent) => event.preventDefault();

interface Pull {
  readonly x: number;
  readonly y: number;
  readonly time: number;
  readonly value: number;
  horizontal: boolean;
  vertical: boolean;
}

/** One value of a control point: dragged by mouse or finger, or moved by keys. */
export const LaneHandle = (props: LaneHandleProps) => {
  const { lane, scale, point, index, points, all, active, onActive, onChange, onHold } = props;
  const { field } = lane;
  const pull = useRef<Pull | null>(null);
  const time = point.time ?? 0;
  const value = point[field] ?? 0;
  const isActive = active === point.key;
  // One tab stop per lane: the active point, or the first.
  const isTabStop = isActive || (index === 0 && !points.some(({ key }) => key === active));
  const { min, max } = limitsOf[field];

  const begin = (event: PointerEvent<SVGGElement>) => {
    if (event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    event.currentTarget.focus({ preventScroll: true });
    pull.current = { x: event.clientX, y: event.clientY, time, value, horizontal: false, vertical: false };
    onActive(point.key);
    onHold(true);
  };
  const follow = (event: PointerEvent) => {
    const from = pull.current;
    if (from === null) return;
    const [dx, dy] = [event.clientX - from.x, event.clientY - from.y];
    from.horizontal ||= Math.abs(dx) > deadZone;
    from.vertical ||= Math.abs(dy) > deadZone;
    const to = {
      ...(from.horizontal ? { time: snapped(from.time + secondsAt(scale, dx) - secondsAt(scale, 0)) } : {}),
      ...(from.vertical ? { [field]: from.value + valueAtY(scale, dy) - valueAtY(scale, 0) } : {}),
    };
    if (from.horizontal || from.vertical) onChange(moved(all, point.key, to));
  };
  const end = (event: PointerEvent) => {
    // A fast drag ends further on than its last move event.
    if (event.type === 'pointerup') follow(event);
    pull.current = null;
    onHold(false);
  };

  const goTo = (step: number, from: SVGGElement) => {
    const next = points[index + step];
    if (next === undefined) return;
    onActive(next.key);
    from.parentElement?.querySelector<SVGGElement>(`[data-point="${next.key}"]`)?.focus();
  };
  const onKeyDown = (event: KeyboardEvent<SVGGElement>) => {
    const by = event.shiftKey ? 10 : 1;
    const changes: Record<string, Parameters<typeof moved>[2]> = {
      ArrowUp: { [field]: value + by },
      ArrowDown: { [field]: value - by },
      ArrowLeft: { time: time - by },
      ArrowRight: { time: time + by },
      Home: { [field]: min },
      End: { [field]: max },
    };
    const change = changes[event.key];
    if (change !== undefined) onChange(moved(all, point.key, change));
    else if (event.key === 'PageDown') goTo(1, event.currentTarget);
    else if (event.key === 'PageUp') goTo(-1, event.currentTarget);
    else if (event.key === 'Delete' || event.key === 'Backspace') {
      goTo(index + 1 < points.length ? 1 : -1, event.currentTarget);
      onChange(all.filter(({ key }) => key !== point.key));
    } else return;
    event.preventDefault();
  };

  return (
    <g
      ref={holdPage}
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- there are no inputs within SVG
      role="slider"
      tabIndex={isTabStop ? 0 : -1}
      data-point={point.key}
      aria-label={t`${lane.label} at ${formatDuration(point.time)}`}
      aria-orientation="vertical"
      aria-valuemin={min}
      aria-valuemax={max}
      aria-valuenow={value}
      aria-valuetext={valueText(lane, point)}
      aria-describedby={props.hintId}
      transform={`translate(${xOf(scale, time)} ${yOf(scale, value)})`}
      className={`group/handle cursor-grab touch-none outline-none active:cursor-grabbing ${lane.colour}`}
      onPointerDown={begin}
      onPointerMove={follow}
      onPointerUp={end}
      onPointerCancel={end}
      onFocus={() => onActive(point.key)}
      onKeyDown={onKeyDown}
      onDoubleClick={(event) => event.stopPropagation()}
    >
      {/* The touch target. */}
      <circle className="fill-transparent [r:12px] pointer-coarse:[r:20px]" />
      <circle r={10} className="fill-none stroke-focus stroke-2 opacity-0 group-focus-visible/handle:opacity-100" />
      <circle
        r={isActive ? 6.5 : 5}
        className={isActive ? 'fill-current stroke-surface stroke-2' : 'fill-surface stroke-current stroke-2'}
      />
    </g>
  );
};
