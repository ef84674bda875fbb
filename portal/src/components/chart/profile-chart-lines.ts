import type { CurveColumns } from '@roastery/contract/roast-curves';
import { percentToRpm } from '@roastery/roasting/recipe/control-profile';
import { cToF, type TemperatureUnit } from '@roastery/roasting/units';
import type { ChartDataset } from 'chart.js';
import { withAlpha } from './palette.ts';
import { t } from '../../language/t.ts';

/** A control point as it is stored: seconds, %, %, RPM. */
export interface ProfilePoint {
  readonly time: number;
  readonly burner: number;
  readonly exhaust: number;
  readonly drum: number;
}

/** A past roast as reference. */
export interface ReferenceRoast {
  readonly label: string;
  readonly curve: CurveColumns;
  /** Turns the recorded % of the drum into RPM; null leaves the drum out. */
  readonly maxDrumRpm: number | null;
}

export type ProfileLine = ChartDataset<'line', { x: number; y: number }[]> & {
  label: string;
  unit: string;
  colour: string;
  /** As drawn: with its alpha. */
  borderColor: string;
  borderWidth: number;
  borderDash: number[];
  /** Of the reference roast. */
  behind: boolean;
};

/** Value of a colour token on the page: `curve-bean` → `oklch(…)`. */
type ColourOf = (token: string) => string;

const solid: readonly number[] = [];
const styles = [
  { field: 'burner', label: t`Burner`, unit: '%', token: 'curve-gas', dash: solid, channel: 'heat_power' },
  { field: 'exhaust', label: t`Exhaust`, unit: '%', token: 'curve-airflow', dash: [7, 4], channel: 'fan_speed' },
  { field: 'drum', label: t`Drum`, unit: 'RPM', token: 'curve-drum', dash: [2, 3], channel: 'drum_speed' },
] as const;

const plain = { pointRadius: 0, pointHitRadius: 0, borderJoinStyle: 'round', spanGaps: false } as const;

/** The recipe's own three lines; what is not interpolated holds to the end of the axis. */
export const profileLines = (
  points: readonly ProfilePoint[],
  interpolated: boolean,
  endSeconds: number,
  colourOf: ColourOf,
): ProfileLine[] => {
  const drawn = interpolated
    ? points
    : [...points, ...points.slice(-1).map((last) => ({ ...last, time: Math.max(last.time, endSeconds) }))];
  return styles.map(({ field, label, unit, token, dash }) => {
    const colour = colourOf(token);
    return {
      ...plain,
      label,
      unit,
      colour,
      behind: false,
      data: drawn.map((point) => ({ x: point.time, y: point[field] })),
      yAxisID: 'control',
      borderColor: colour,
      borderWidth: 2.25,
      borderDash: [...dash],
      stepped: interpolated ? false : ('before' as const),
    };
  });
};

/** At most one point per second: a plan is judged over minutes. */
const columnLine = (
  times: readonly number[],
  column: readonly (number | null)[],
  toAxis: (value: number) => number,
) => {
  const data: { x: number; y: number }[] = [];
  let last = Number.NEGATIVE_INFINITY;
  for (const [i, time] of times.entries()) {
    if (time - last < 1) continue;
    last = time;
    const value = column[i];
    data.push({ x: time, y: value === null || value === undefined ? Number.NaN : toAxis(value) });
  }
  return data;
};

/** The reference roast, dimmed: its bean temperature, and its controls where they were recorded. */
export const profileBackdrop = (
  { curve, maxDrumRpm }: ReferenceRoast,
  unit: TemperatureUnit,
  colourOf: ColourOf,
): ProfileLine[] => {
  const lines: ProfileLine[] = [];
  const bean = curve.channels['bean_temp'];
  if (bean) {
    const colour = colourOf('curve-bean');
    lines.push({
      ...plain,
      label: t`Bean temp`,
      unit: `°${unit}`,
      colour,
      behind: true,
      data: columnLine(curve.time_seconds, bean, (celsius) => (unit === 'F' ? cToF(celsius) : celsius)),
      yAxisID: 'temperature',
      borderColor: withAlpha(colour, 0.55),
      borderWidth: 2,
      borderDash: [],
    });
  }
  for (const { field, label, unit: of, token, channel } of styles) {
    const column = curve.channels[channel];
    if (!column || (field === 'drum' && maxDrumRpm === null)) continue;
    const colour = colourOf(token);
    lines.push({
      ...plain,
      label,
      unit: of,
      colour,
      behind: true,
      data: columnLine(curve.time_seconds, column, (percent) =>
        field === 'drum' ? percentToRpm(percent, maxDrumRpm ?? 100) : percent,
      ),
      yAxisID: 'control',
      borderColor: withAlpha(colour, 0.5),
      borderWidth: 1.25,
      borderDash: [],
      stepped: 'before' as const,
    });
  }
  return lines;
};

/** Value of a line at a time: between two points, or of the last point. Null outside of the line and in gaps. */
export const lineValueAt = ({ data, stepped }: ProfileLine, seconds: number): number | null => {
  const after = data.findIndex((point) => point.x > seconds);
  const to = after === -1 ? data.at(-1) : data[after];
  const from = after === -1 ? to : data[after - 1];
  if (from === undefined || to === undefined || seconds > to.x) return null;
  const share = stepped === 'before' || to.x === from.x ? 0 : (seconds - from.x) / (to.x - from.x);
  const value = from.y + (share === 0 ? 0 : (to.y - from.y) * share);
  return Number.isNaN(value) ? null : value;
};
