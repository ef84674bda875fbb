import type { CurveColumns } from '@roastery/contract/roasts';
import { interpolateControlProfile, percentToRpm } from '@roastery/roasting/control-profile';
import { cToF, type TemperatureUnit } from '@roastery/roasting/units';
import type { ChartDataset } from 'chart.js';
import { colourToken } from '../../ui/theme.ts';
import { nearestIndex } from './curves.ts';
import { withAlpha } from './palette.ts';

/** A control point as it is stored: seconds, %, %, RPM. */
export interface ProfilePoint {
  readonly time: number;
  readonly burner: number;
  readonly exhaust: number;
  readonly drum: number;
}

/** A past roast behind the profile. */
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
  /** Of the roast behind. */
  behind: boolean;
};

const styles = [
  { field: 'burner', label: 'Burner', unit: '%', token: 'curve-gas', dash: [] as number[], channel: 'heat_power' },
  { field: 'exhaust', label: 'Exhaust', unit: '%', token: 'curve-airflow', dash: [7, 4], channel: 'fan_speed' },
  { field: 'drum', label: 'Drum', unit: 'RPM', token: 'curve-drum', dash: [2, 3], channel: 'drum_speed' },
] as const;

const plain = { pointRadius: 0, pointHitRadius: 0, borderJoinStyle: 'round', spanGaps: false } as const;

/** The recipe's own three lines; what is not interpolated holds to the end of the axis. */
export const profileLines = (
  points: readonly ProfilePoint[],
  interpolated: boolean,
  endSeconds: number,
): ProfileLine[] => {
  const drawn: readonly ProfilePoint[] = interpolated
    ? interpolateControlProfile(
        points.map(({ time, drum, ...point }) => ({ ...point, timeSeconds: time, drumRpm: drum })),
      ).map(({ timeSeconds, drumRpm, ...point }) => ({ ...point, time: timeSeconds, drum: drumRpm }))
    : [...points, ...points.slice(-1).map((last) => ({ ...last, time: Math.max(last.time, endSeconds) }))];
  return styles.map(({ field, label, unit, token, dash }) => {
    const colour = colourToken(token);
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

/** Chart.js draws a point a second at most: a plan is judged over minutes. */
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

/** What a past roast did, dimmed: its bean temperature, and its controls where they were recorded. */
export const profileBackdrop = ({ curve, maxDrumRpm }: ReferenceRoast, unit: TemperatureUnit): ProfileLine[] => {
  const lines: ProfileLine[] = [];
  const bean = curve.channels['bean_temp'];
  if (bean) {
    const colour = colourToken('curve-bean');
    lines.push({
      ...plain,
      label: 'Bean temp',
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
    const colour = colourToken(token);
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
      borderColor: withAlpha(colour, 0.38),
      borderWidth: 1.25,
      borderDash: [],
      stepped: 'before' as const,
    });
  }
  return lines;
};

/** Value of a line at a moment: what was said last, or for the temperature the nearest reading. Null outside of it. */
export const lineValueAt = (line: ProfileLine, seconds: number): number | null => {
  const first = line.data[0];
  const last = line.data.at(-1);
  if (first === undefined || last === undefined || seconds < first.x || seconds > last.x) return null;
  const times = line.data.map((point) => point.x);
  const nearest = nearestIndex(times, seconds);
  const index =
    line.stepped !== undefined && line.stepped !== false && (times[nearest] ?? 0) > seconds ? nearest - 1 : nearest;
  const value = line.data[index]?.y;
  return value === undefined || Number.isNaN(value) ? null : value;
};
