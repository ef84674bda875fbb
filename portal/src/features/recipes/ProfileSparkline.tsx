import { tenth } from '../../format/numbers.ts';
import type { StoredPoint } from './control-points.ts';

interface ProfileSparklineProps {
  points: readonly StoredPoint[];
  /** Lines between the points; otherwise each point holds until the next. */
  interpolated: boolean;
  className?: string;
}

const width = 240;
const height = 44;
const lines = [
  { field: 'burner', token: 'text-curve-gas', dash: undefined },
  { field: 'exhaust', token: 'text-curve-airflow', dash: '5 3' },
  { field: 'drum', token: 'text-curve-drum', dash: '1.5 3' },
] as const;

/** A small control profile: burner, exhaust and drum over time, 0-100. */
export const ProfileSparkline = ({ points, interpolated, className }: ProfileSparklineProps) => {
  const last = points.at(-1)?.time ?? 0;
  if (points.length < 2 || last <= 0) return null;
  const x = (seconds: number) => tenth((seconds / last) * width);
  const y = (value: number) => tenth(2 + (1 - value / 100) * (height - 4));
  const path = (field: (typeof lines)[number]['field']) =>
    points
      .map((point, i) => {
        if (i === 0) return `M0 ${y(point[field])}L${x(point.time)} ${y(point[field])}`;
        return interpolated ? `L${x(point.time)} ${y(point[field])}` : `H${x(point.time)}V${y(point[field])}`;
      })
      .join('');
  return (
    <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden className={className}>
      {lines.map(({ field, token, dash }) => (
        <path
          key={field}
          d={path(field)}
          fill="none"
          className={`${token} stroke-current`}
          strokeWidth={1.5}
          strokeDasharray={dash}
          strokeLinejoin="round"
          vectorEffect="non-scaling-stroke"
        />
      ))}
    </svg>
  );
};
