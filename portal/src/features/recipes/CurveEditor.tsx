import { formatDuration } from '@roastery/roasting/units';
import { useId, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { readablePoints, sorted, valuesAt, type DraftPoint } from './control-points.ts';
import { EditorLane } from './EditorLane.tsx';
import { axisEnd, lanes, minuteTicks, xOf, type LaneScale } from './lane-geometry.ts';
import { t } from '../../language/t.ts';

interface CurveEditorProps {
  points: readonly DraftPoint[];
  onChange: (points: DraftPoint[]) => void;
  interpolated: boolean;
  /** Target roast time, s: the axis includes it. */
  roastSeconds: number;
  /** Key of the active point, here or in the table. */
  active: string | null;
  onActive: (key: string | null) => void;
}

const laneHeight = 132;
/** Below this width nothing is drawn: the layout is not done. */
const narrowest = 120;

/**
 * The control profile as three lanes over one time axis. Points are dragged by mouse or finger, or moved by the arrow keys:
 * up and down the value, left and right the time of the whole point.
 */
export const CurveEditor = ({ points, onChange, interpolated, roastSeconds, active, onActive }: CurveEditorProps) => {
  const hintId = useId();
  const frame = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  // The axis is fixed while a point is dragged and adapts afterwards.
  const [held, setHeld] = useState<number | null>(null);
  const [cursor, setCursor] = useState<number | null>(null);
  useLayoutEffect(() => {
    const element = frame.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const drawn = useMemo(() => sorted(readablePoints(points)), [points]);
  const endSeconds = held ?? axisEnd(drawn, roastSeconds);
  const scale: LaneScale = { width, height: laneHeight, endSeconds };
  const ticks = minuteTicks(scale);
  const activePoint = drawn.find((point) => point.key === active);
  const shownAt = cursor ?? activePoint?.time ?? null;
  const values = shownAt === null ? null : valuesAt(drawn, shownAt, interpolated);
  return (
    <div ref={frame} className="min-w-0 select-none">
      {width >= narrowest && (
        <>
          {lanes.map((lane) => (
            <EditorLane
              key={lane.field}
              {...{ lane, scale, ticks, points: drawn, interpolated, active, cursor, onActive, onChange }}
              all={points}
              value={values?.[lane.field] ?? null}
              roastSeconds={roastSeconds}
              hintId={hintId}
              onCursor={setCursor}
              onHold={(isHeld) => setHeld(isHeld ? endSeconds : null)}
            />
          ))}
          <svg width={width} height={18} aria-hidden className="block overflow-visible text-faint">
            {ticks.map((seconds) => (
              <text
                key={seconds}
                x={xOf(scale, seconds)}
                y={12}
                textAnchor="middle"
                className="fill-current font-mono text-2xs"
              >
                {formatDuration(seconds)}
              </text>
            ))}
          </svg>
        </>
      )}
      <p className="px-3 pt-1 text-xs text-muted">
        {t`Drag a point to change it.`}
        <span id={hintId} className="sr-only">
          {t`Arrow up and down change the value, left and right the time, with Shift by ten. Page Up and Page Down go to the next point, Delete removes it.`}
        </span>
        <span aria-hidden className="pointer-coarse:hidden">
          {' '}
          {t`Double-click a curve to add one. By keyboard: arrows move a point (Shift: by ten), Page Up and Page Down go to the next, Delete removes it.`}
        </span>
      </p>
    </div>
  );
};
