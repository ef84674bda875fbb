import type { CurveColumns } from '@roastery/contract/roast-curves';
import type { RoastMark } from '@roastery/contract/roasts';
import { valueAt } from '@roastery/roasting/curves/series';
import { useMemo, useRef, useState } from 'react';

/** The position of the pointer on the time axis. */
export interface DragAxis {
  readonly seconds: number;
  readonly secondsPerPixel: number;
}

/** Each is true when the drag of a mark has used the press. */
export interface MarkDrag {
  readonly begin: (axis: DragAxis) => boolean;
  readonly move: (axis: DragAxis | null) => boolean;
  readonly end: () => boolean;
}

interface MarkDragInput {
  readonly marks: readonly RoastMark[];
  readonly curve: CurveColumns;
  readonly onMoveMark: ((kind: RoastMark['kind'], seconds: number) => void) | undefined;
}

/** A finger is this wide, px. */
const reachPixels = 22;
/** A shorter movement is a tap on the mark. */
const minMovePixels = 3;

/**
 * Drags the nearest mark along the time axis; `shownMarks` has it at the pointer. Does nothing without `onMoveMark`.
 */
export const useMarkDrag = ({ marks, curve, onMoveMark }: MarkDragInput) => {
  const [dragged, setDragged] = useState<{ kind: RoastMark['kind']; seconds: number } | null>(null);
  const begun = useRef<{ kind: RoastMark['kind']; from: number; hasMoved: boolean } | null>(null);
  const shownMarks = useMemo(
    () =>
      dragged === null
        ? marks
        : marks.map((mark) =>
            mark.kind === dragged.kind
              ? {
                  ...mark,
                  time_seconds: dragged.seconds,
                  temp: valueAt(curve.time_seconds, curve.channels['bean_temp'] ?? [], dragged.seconds),
                }
              : mark,
          ),
    [marks, dragged, curve],
  );
  const begin = ({ seconds, secondsPerPixel }: DragAxis): boolean => {
    if (onMoveMark === undefined) return false;
    const distance = (mark: RoastMark) => Math.abs(mark.time_seconds - seconds);
    const nearest = marks.toSorted((a, b) => distance(a) - distance(b))[0];
    if (nearest === undefined || distance(nearest) > reachPixels * secondsPerPixel) return false;
    begun.current = { kind: nearest.kind, from: seconds, hasMoved: false };
    return true;
  };
  const move = (axis: DragAxis | null): boolean => {
    const drag = begun.current;
    if (drag === null || axis === null) return false;
    if (Math.abs(axis.seconds - drag.from) >= minMovePixels * axis.secondsPerPixel) drag.hasMoved = true;
    if (drag.hasMoved) setDragged({ kind: drag.kind, seconds: axis.seconds });
    return true;
  };
  /** True when a mark was moved: the press was not a click. */
  const end = (): boolean => {
    const hasMoved = begun.current?.hasMoved === true;
    begun.current = null;
    if (!hasMoved || dragged === null) return false;
    setDragged(null);
    onMoveMark?.(dragged.kind, Math.round(dragged.seconds * 10) / 10);
    return true;
  };
  return { shownMarks, drag: { begin, move, end } };
};
