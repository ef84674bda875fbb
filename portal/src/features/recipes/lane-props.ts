import type { DraftPoint } from './control-points.ts';
import type { Lane, LaneScale } from './lane-geometry.ts';

/** What a lane of the curve editor and the handles on it are told. */
export interface LaneProps {
  lane: Lane;
  scale: LaneScale;
  ticks: readonly number[];
  /** The points that can be drawn, by time. */
  points: readonly DraftPoint[];
  /** All of them, as they are kept. */
  all: readonly DraftPoint[];
  interpolated: boolean;
  active: string | null;
  /** Seconds under the pointer, shared by the lanes. */
  cursor: number | null;
  /** Value of this lane under the pointer or at the active point. */
  value: number | null;
  roastSeconds: number;
  /** Id of the words that say which keys do what. */
  hintId: string;
  onCursor: (seconds: number | null) => void;
  onActive: (key: string | null) => void;
  onChange: (points: DraftPoint[]) => void;
  onHold: (isHeld: boolean) => void;
}
