import { ColumnsChart, type ChartColumn } from '../../../components/columns/ColumnsChart.tsx';
import { bandPath, linePath, type Plot } from '../../../components/columns/plot.ts';
import { roundTicks } from '../../../components/columns/plot.ts';

export interface SpreadColumn extends ChartColumn {
  mean: number | null;
  /** Standard deviation; null where a single roast has none. */
  deviation: number | null;
}

interface SpreadChartProps {
  label: string;
  columns: readonly SpreadColumn[];
  tickText: (value: number) => string;
  /** Minimum range of the axis, so that noise looks small. */
  minSpan: number;
  height?: number;
  labelPixels?: number;
}

/** With more columns only the band is drawn. */
const maxWhiskers = 12;

const edgesOf = (columns: readonly SpreadColumn[], minSpan: number): [low: number, high: number] => {
  const edges = columns.flatMap(({ mean, deviation }) =>
    mean === null ? [] : [mean - (deviation ?? 0), mean + (deviation ?? 0)],
  );
  if (edges.length === 0) return [0, minSpan];
  const [low, high] = [Math.min(...edges), Math.max(...edges)];
  const missing = Math.max(0, minSpan - (high - low)) / 2;
  return [Math.max(0, low - missing), high + missing];
};

interface PresentColumn {
  index: number;
  mean: number;
  low: number;
  high: number;
}

/** Columns with a mean. A day without a roast is no gap: the line continues across it. */
const presentColumns = (columns: readonly SpreadColumn[]): PresentColumn[] =>
  columns.flatMap(({ mean, deviation }, index) =>
    mean === null ? [] : [{ index, mean, low: mean - (deviation ?? 0), high: mean + (deviation ?? 0) }],
  );

/** A mean over time as a line, with the band of one standard deviation around it. */
export const SpreadChart = ({ label, columns, tickText, minSpan, ...size }: SpreadChartProps) => {
  const present = presentColumns(columns);
  const placeIn = (plot: Plot) => (at: number) => plot.x(present[at]?.index ?? 0);
  return (
    <ColumnsChart
      label={label}
      columns={columns}
      ticks={roundTicks(...edgesOf(columns, minSpan))}
      tickText={tickText}
      {...size}
    >
      {(plot, active) => (
        <>
          <path
            d={bandPath(
              present.map(({ low }) => low),
              present.map(({ high }) => high),
              placeIn(plot),
              plot.y,
            )}
            className="fill-curve-bean opacity-15"
          />
          <path
            d={linePath(
              present.map(({ mean }) => mean),
              placeIn(plot),
              plot.y,
            )}
            className="fill-transparent stroke-curve-bean"
            strokeWidth={plot.step > 7 ? 2 : 1.25}
            strokeLinejoin="round"
          />
          {columns.map(({ key, mean, deviation }, index) =>
            mean === null ? null : (
              <g key={key}>
                {deviation !== null && columns.length <= maxWhiskers && (
                  <line
                    x1={plot.x(index)}
                    x2={plot.x(index)}
                    y1={plot.y(mean - deviation)}
                    y2={plot.y(mean + deviation)}
                    className="stroke-curve-bean opacity-60"
                  />
                )}
                {(active === index || plot.step > 7) && (
                  <circle
                    cx={plot.x(index)}
                    cy={plot.y(mean)}
                    r={active === index ? 5 : 3.5}
                    className="fill-curve-bean stroke-surface"
                    strokeWidth={1.5}
                  />
                )}
              </g>
            ),
          )}
        </>
      )}
    </ColumnsChart>
  );
};
