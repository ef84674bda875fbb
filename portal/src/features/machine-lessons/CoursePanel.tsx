import type { MachineLessons, RoastDeparture } from '@roastery/contract/machine-lessons';
import { medianOf } from '@roastery/roasting/curves/series';
import { rateCToF } from '@roastery/roasting/units';
import { ColumnsChart, type ChartColumn } from '../../components/columns/ColumnsChart.tsx';
import { linePath, roundTicks } from '../../components/columns/plot.ts';
import { paths } from '../../components/paths.ts';
import { formatNumber, formatRoasts } from '../../format/numbers.ts';
import { useDates, usePreferences } from '../../format/preferences.ts';
import { t } from '../../language/t.ts';
import { Panel } from '../../ui/Card.tsx';

/** How each of the newest roasts went beside what was done in it: the course of burner and probe. */
export const CoursePanel = ({ lessons }: { lessons: MachineLessons }) => {
  const { departures } = lessons;
  const { temperature_unit: unit } = usePreferences();
  if (departures.length === 0) return null;
  return (
    <Panel title={t`Heat and probe, roast by roast`}>
      <p className="px-4 pt-3 text-sm text-pretty text-muted">
        {t`${formatRoasts(departures.length)} beside what burner, air, batch, coffee and season explain. One roast scatters; the line, the median of the newest seven, shows where the machine goes.`}
      </p>
      <Course
        name={t`Rate of rise`}
        unit="%"
        departures={departures}
        valueOf={({ rate }) => rate}
        note={t`Lower: the burner gives less at the same setting, or more heat is lost.`}
      />
      <Course
        name={t`Turning point`}
        unit={`°${unit}`}
        departures={departures}
        valueOf={({ turn }) => (unit === 'F' ? rateCToF(turn) : turn)}
        note={t`Lower: the bean probe reads less, or the drum was cooler at the charge.`}
      />
    </Panel>
  );
};

interface CourseProps {
  name: string;
  unit: string;
  departures: readonly RoastDeparture[];
  valueOf: (departure: RoastDeparture) => number;
  note: string;
}

/** Less than this is scatter. */
const leastSpan = 5;
/** Roasts of a median. */
const newest = 7;

const Course = ({ name, unit, departures, valueOf, note }: CourseProps) => {
  const dates = useDates();
  const values = departures.map(valueOf);
  const medians = values.map((_, at) => medianOf(values.slice(Math.max(0, at + 1 - newest), at + 1)));
  const text = (value: number) => `${signed(value, 1)} ${unit}`;
  const columns = departures.map((departure, index): ChartColumn => ({
    key: departure.roast_id,
    axisLabel: dates.dayOfYear(departure.start_time),
    title: dates.dayAndTime(departure.start_time),
    lines: [
      [name, text(values[index] ?? 0)],
      [t`Median`, text(medians[index] ?? 0)],
    ],
    link: paths.roast(departure.roast_id),
  }));
  return (
    <section className="px-4 py-3">
      <h3 className="label-mono">{`${name}, ${unit}`}</h3>
      <ColumnsChart
        label={name}
        columns={columns}
        ticks={roundTicks(Math.min(-leastSpan, ...values), Math.max(leastSpan, ...values))}
        tickText={(tick) => signed(tick, Number.isInteger(tick) ? 0 : 1)}
        height={168}
      >
        {(plot, active) => (
          <>
            {values.map((value, index) => (
              <circle
                key={columns[index]?.key}
                cx={plot.x(index)}
                cy={plot.y(value)}
                r={active === index ? 4.5 : 2.5}
                className={active === index ? 'fill-curve-bean' : 'fill-muted opacity-60'}
              />
            ))}
            <path
              d={linePath(medians, plot.x, plot.y)}
              className="fill-transparent stroke-curve-bean"
              strokeWidth={2}
              strokeLinejoin="round"
            />
          </>
        )}
      </ColumnsChart>
      <p className="mt-1 text-sm text-muted">{note}</p>
    </section>
  );
};

const signed = (value: number, digits: number): string => {
  const text = formatNumber(Math.abs(value), digits);
  return Number(text) === 0 ? text : `${value > 0 ? '+' : '−'}${text}`;
};
