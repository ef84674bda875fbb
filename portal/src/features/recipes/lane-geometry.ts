import { formatDuration } from '@roastery/roasting/units';
import { tenth } from '../../format/numbers.ts';
import type { DraftPoint, PointValue } from './control-points.ts';
import { t } from '../../language/t.ts';

export interface Lane {
  readonly field: PointValue;
  readonly label: string;
  readonly unit: string;
  /** Colour token class. */
  readonly colour: string;
}

/** Gas, airflow and drum in the colours of the roast page. The drum of a recipe is in RPM. */
export const lanes: readonly Lane[] = [
  { field: 'burner', label: t`Burner`, unit: '%', colour: 'text-curve-gas' },
  { field: 'exhaust', label: t`Exhaust`, unit: '%', colour: 'text-curve-airflow' },
  { field: 'drum', label: t`Drum`, unit: 'RPM', colour: 'text-curve-drum' },
];

/** Position of the plot in a lane, px. */
export const inset = { left: 34, right: 14, top: 12, bottom: 12 } as const;

export interface LaneScale {
  readonly width: number;
  readonly height: number;
  /** Seconds at the right edge; the left one is 0. */
  readonly endSeconds: number;
}

const plotWidth = ({ width }: LaneScale) => Math.max(1, width - inset.left - inset.right);
const plotHeight = ({ height }: LaneScale) => height - inset.top - inset.bottom;

export const xOf = (scale: LaneScale, seconds: number): number =>
  inset.left + (seconds / scale.endSeconds) * plotWidth(scale);
export const secondsAt = (scale: LaneScale, x: number): number =>
  ((x - inset.left) / plotWidth(scale)) * scale.endSeconds;
export const yOf = (scale: LaneScale, value: number): number => inset.top + (1 - value / 100) * plotHeight(scale);
export const valueAtY = (scale: LaneScale, y: number): number => (1 - (y - inset.top) / plotHeight(scale)) * 100;

/** Right edge of the time axis: the whole minute after the last point and the end of the roast. */
export const axisEnd = (points: readonly DraftPoint[], roastSeconds: number): number => {
  const last = points.reduce((latest, { time }) => Math.max(latest, time ?? 0), Math.max(60, roastSeconds));
  return Math.ceil((last * 1.02 + 15) / 60) * 60;
};

/** Ticks in whole minutes, as many as fit. */
export const minuteTicks = (scale: LaneScale): number[] => {
  const room = Math.max(2, Math.floor(plotWidth(scale) / 46));
  const step = [60, 120, 180, 300, 600, 900, 1800, 3600].find((each) => scale.endSeconds / each <= room) ?? 7200;
  return Array.from({ length: Math.floor(scale.endSeconds / step) + 1 }, (_, i) => i * step);
};

/** The line of a lane: straight between points when interpolated, else each value held until the next point. */
export const linePath = (
  scale: LaneScale,
  points: readonly DraftPoint[],
  field: PointValue,
  interpolated: boolean,
): string => {
  const end = scale.endSeconds;
  const parts = points.map((point, i) => {
    const x = tenth(xOf(scale, point.time ?? 0));
    const y = tenth(yOf(scale, point[field] ?? 0));
    if (i === 0) return `M${x} ${y}`;
    return interpolated ? `L${x} ${y}` : `H${x}V${y}`;
  });
  return points.length > 0 && !interpolated ? `${parts.join('')}H${tenth(xOf(scale, end))}` : parts.join('');
};

/** The same line, closed down to zero, for the fill. */
export const areaPath = (scale: LaneScale, points: readonly DraftPoint[], field: PointValue, interpolated: boolean) => {
  const first = points[0];
  const last = points.at(-1);
  if (first === undefined || last === undefined) return '';
  const floor = tenth(yOf(scale, 0));
  const endX = interpolated ? xOf(scale, last.time ?? 0) : xOf(scale, scale.endSeconds);
  return `${linePath(scale, points, field, interpolated)}L${tenth(endX)} ${floor}L${tenth(xOf(scale, first.time ?? 0))} ${floor}Z`;
};

/** More handles than this overlap, and each costs time at every key press. */
const maxHandles = 60;

/** Indices of the points with a handle: all of a few; of many every n-th, the last, and those around the active one. */
export const handlePlaces = (points: readonly DraftPoint[], active: string | null): number[] => {
  const step = Math.ceil(points.length / maxHandles);
  const place = points.findIndex((point) => point.key === active);
  return [...points.keys()].filter(
    (at) => at % step === 0 || at === points.length - 1 || (place >= 0 && Math.abs(at - place) <= 1),
  );
};

/** `62 % at 4:30` */
export const valueText = (lane: Lane, point: DraftPoint): string =>
  t`${point[lane.field] ?? '--'} ${lane.unit} at ${formatDuration(point.time)}`;

/** A drag snaps to 5 s, or to 1 s where neighbours are close; keys move by single seconds. */
export const snapped = (seconds: number): number => Math.round(seconds / 5) * 5;
