import { classes } from '../../../ui/classes.ts';
import { ColumnsChart, type ChartColumn } from '../../../components/columns/ColumnsChart.tsx';
import { roundTicks } from '../../../components/columns/plot.ts';

interface BarsChartProps {
  label: string;
  columns: readonly (ChartColumn & { value: number })[];
  tickText: (value: number) => string;
  height?: number;
  labelPixels?: number;
}

/** One bar a column, from zero. */
export const BarsChart = ({ label, columns, tickText, ...size }: BarsChartProps) => {
  const high = Math.max(0, ...columns.map(({ value }) => value));
  return (
    <ColumnsChart
      label={label}
      columns={columns}
      ticks={roundTicks(0, high === 0 ? 1 : high)}
      tickText={tickText}
      {...size}
    >
      {(plot, active) =>
        columns.map(({ key, value }, index) => {
          if (value <= 0) return null;
          const width = plot.step < 4 ? plot.step : Math.min(plot.step - Math.min(6, plot.step * 0.25), 44);
          // A small value stays visible beside large ones.
          const top = Math.min(plot.y(value), plot.bottom - 1.5);
          return (
            <rect
              key={key}
              x={plot.x(index) - width / 2}
              y={top}
              width={width}
              height={plot.bottom - top}
              rx={Math.min(2, width / 4)}
              // Neighbours without a gap must not show hairlines between them.
              shapeRendering={plot.step < 4 ? 'crispEdges' : undefined}
              className={classes('fill-accent', active !== null && active !== index && 'opacity-55')}
            />
          );
        })
      }
    </ColumnsChart>
  );
};
