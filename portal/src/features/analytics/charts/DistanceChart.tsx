import type { ComparedRoast } from '@roastery/contract/analytics';
import { formatDuration } from '@roastery/roasting/units';
import { paths } from '../../../components/paths.ts';
import { formatTick } from '../../../format/numbers.ts';
import { useDates, usePreferences } from '../../../format/preferences.ts';
import { t } from '../../../language/t.ts';
import { differenceIn, differenceText } from '../figure-texts.ts';
import { ColumnsChart } from '../../../components/columns/ColumnsChart.tsx';
import { roundTicks } from '../../../components/columns/plot.ts';

/** Deviation of each roast from the reference, oldest at the left; a column opens its roast. */
export const DistanceChart = ({ roasts, height }: { roasts: readonly ComparedRoast[]; height: number }) => {
  const dates = useDates();
  const { temperature_unit: degree } = usePreferences();
  const values = roasts.map(({ distance }) => differenceIn(distance?.rms ?? 0, degree));
  const mean = values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
  return (
    <ColumnsChart
      label={t`Deviation from the reference by roast`}
      height={height}
      labelPixels={66}
      columns={roasts.map((roast) => ({
        key: roast.id,
        axisLabel: dates.day(roast.start_time).replace(/,\s*\d+$/, ''),
        title: `${roast.said_number}, ${dates.day(roast.start_time)}`,
        lines: [
          [t`Average deviation`, `${differenceText(roast.distance?.rms ?? null, degree)} °${degree}`],
          [
            t`Largest deviation`,
            t`${differenceText(roast.distance?.max ?? null, degree)} °${degree} at ${formatDuration(roast.distance?.max_at ?? null)}`,
          ],
          [t`Machine`, roast.machine_name ?? '--'],
          [t`Roasted by`, roast.roasted_by ?? '--'],
        ],
        link: paths.roast(roast.id),
      }))}
      ticks={roundTicks(0, Math.max(1, ...values), 3)}
      tickText={formatTick}
    >
      {(plot, active) => (
        <>
          <line
            x1={plot.left}
            x2={plot.right}
            y1={plot.y(mean)}
            y2={plot.y(mean)}
            className="stroke-curve-bean"
            strokeDasharray="4 3"
          />
          {values.map((value, index) => (
            <g key={roasts[index]?.id}>
              <line
                x1={plot.x(index)}
                x2={plot.x(index)}
                y1={plot.bottom}
                y2={plot.y(value)}
                className="stroke-curve-bean opacity-45"
                strokeWidth={Math.min(3, plot.step / 2)}
              />
              <circle
                cx={plot.x(index)}
                cy={plot.y(value)}
                r={active === index ? 5.5 : Math.min(4, plot.step / 2)}
                className="fill-curve-bean stroke-surface"
                strokeWidth={1.5}
              />
            </g>
          ))}
        </>
      )}
    </ColumnsChart>
  );
};
