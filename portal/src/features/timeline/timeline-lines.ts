import type { Timeline } from '@roastery/contract/timeline';
import type { ChartDataset } from 'chart.js';
import { withAlpha } from '../../components/chart/palette.ts';
import { inUnitsOf, type Units } from '../../format/quantities.ts';

export type TimelineLine = ChartDataset<'line', { x: number; y: number }[]>;

/**
 * Lowest and highest reading of each step as two lines with the band between them: one line where a step is a single
 * reading. A gap breaks both.
 */
export const timelineLines = ({ curve, gaps }: Timeline, units: Units, colour: string): TimelineLine[] => {
  const starts = gaps.map((gap) => Date.parse(gap.from)).sort((a, b) => a - b);
  const points = (column: readonly (number | null)[]) => {
    const line: { x: number; y: number }[] = [];
    let gap = 0;
    for (const [index, x] of curve.at.entries()) {
      const value = column[index];
      let broken = false;
      while ((starts[gap] ?? Infinity) < x) {
        gap++;
        broken = true;
      }
      if (broken && line.length > 0) line.push({ x, y: Number.NaN });
      line.push({ x, y: value === null || value === undefined ? Number.NaN : inUnitsOf('temperature', value, units) });
    }
    return line;
  };
  const shared = { borderColor: colour, pointRadius: 0, pointHitRadius: 0, spanGaps: false, tension: 0 } as const;
  return [
    { ...shared, label: 'high', data: points(curve.high), borderWidth: 1.5, fill: false },
    {
      ...shared,
      label: 'low',
      data: points(curve.low),
      borderWidth: 1.5,
      fill: '-1',
      backgroundColor: withAlpha(colour, 0.22),
    },
  ];
};
