import type { FollowedPlan } from '@roastery/contract/roast-plan';
import type { ChartDataset } from 'chart.js';
import type { StepStyle } from './curves.ts';
import { withAlpha } from './palette.ts';

/** The planned values of an output over the time since charge, %. */
export interface PlannedLine {
  readonly points: { x: number; y: number }[];
  /** Lines between the points; otherwise each point holds until the next. */
  readonly interpolated: boolean;
}

export type PlannedDataset = ChartDataset<'line', { x: number; y: number }[]>;

/** Gas, airflow and drum of a plan, held to the end of the axis. */
export const plannedLines = (
  { points, interpolated }: FollowedPlan,
  endSeconds: number,
): Record<StepStyle['key'], PlannedLine> => {
  const lineOf = (field: 'burner' | 'exhaust' | 'drum_percent'): PlannedLine => {
    const line = points.map((point) => ({ x: point.time, y: point[field] }));
    const [first, last] = [line[0], line.at(-1)];
    if (first !== undefined && first.x > 0) line.unshift({ x: 0, y: first.y });
    if (last !== undefined && last.x < endSeconds) line.push({ x: endSeconds, y: last.y });
    return { points: line, interpolated };
  };
  return { gas: lineOf('burner'), airflow: lineOf('exhaust'), drum: lineOf('drum_percent') };
};

/** Planned %, at a moment since charge; null before it. */
export const plannedPercentAt = ({ points, interpolated }: PlannedLine, seconds: number): number | null => {
  const after = points.findIndex(({ x }) => x > seconds);
  const to = after === -1 ? points.at(-1) : points[after];
  const from = after === -1 ? to : points[after - 1];
  if (from === undefined || to === undefined) return null;
  if (!interpolated || to.x === from.x) return from.y;
  return from.y + ((to.y - from.y) * (seconds - from.x)) / (to.x - from.x);
};

/** Below the actual values: the last dataset of a chart is painted first. */
export const plannedDataset = ({ points, interpolated }: PlannedLine, colour: string): PlannedDataset => ({
  label: '',
  data: points,
  yAxisID: 'y',
  borderColor: withAlpha(colour, 0.75),
  borderWidth: 1.25,
  borderDash: [5, 3],
  stepped: interpolated ? false : 'before',
  fill: false,
  pointRadius: 0,
  pointHitRadius: 0,
});
