import type { CurveBand } from '@roastery/contract/analytics';
import { formatDuration } from '@roastery/roasting/units';
import { useState, type PointerEvent, type ReactNode } from 'react';
import { formatTick } from '../../../format/numbers.ts';
import { usePreferences } from '../../../format/preferences.ts';
import { bandInUnits, bandSummary, present, temperatureText } from './band-figures.ts';
import { bandPath, layPlot, linePath } from '../../../components/columns/plot.ts';
import { roundTicks } from '../../../components/columns/plot.ts';
import { useWidth } from '../../../components/columns/use-width.ts';
import { t } from '../../../language/t.ts';

/** Whole minutes that fit under the chart. */
const minuteTicks = (seconds: number, pixels: number): number[] => {
  const minutes = Math.floor(seconds / 60);
  const every = [1, 2, 3, 5, 10, 20].find((step) => (minutes / step) * 40 <= pixels) ?? 30;
  return Array.from({ length: Math.floor(minutes / every) + 1 }, (_, index) => index * every * 60);
};

/** The reference's bean temperature, the median, and the middle 80% of the roasts. */
export const BandChart = ({ band, height = 320 }: { band: CurveBand; height?: number }) => {
  const [box, width] = useWidth<HTMLDivElement>();
  const [active, setActive] = useState<number | null>(null);
  const units = usePreferences();
  const { low, middle, high, reference } = bandInUnits(band, units);
  const all = present([...low, ...high, ...reference]);
  const ticks = roundTicks(Math.min(...all), Math.max(...all), 5);
  const plot = layPlot({ width, height, columns: 1, ticks, tickText: formatTick });
  const end = band.time_seconds.at(-1) ?? 1;
  const xOf = (seconds: number) => plot.left + (seconds / end) * (plot.right - plot.left);
  const x = (index: number) => xOf(band.time_seconds[index] ?? 0);

  const look = (event: PointerEvent<HTMLElement>) => {
    const pixels = event.clientX - event.currentTarget.getBoundingClientRect().left - plot.left;
    const index = Math.round((pixels / (plot.right - plot.left)) * (band.time_seconds.length - 1));
    setActive(Math.max(0, Math.min(band.time_seconds.length - 1, index)));
  };

  return (
    <div className="flex flex-col gap-2">
      <div
        ref={box}
        className="relative touch-pan-y"
        style={{ height }}
        onPointerMove={look}
        onPointerDown={look}
        onPointerLeave={() => setActive(null)}
      >
        {width > 0 && (
          // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- an inline SVG has no file for an img
          <svg
            role="img"
            aria-label={bandSummary(band, units)}
            width={width}
            height={height}
            className="absolute inset-0"
          >
            {ticks.map((tick) => (
              <g key={tick}>
                <line x1={plot.left} x2={plot.right} y1={plot.y(tick)} y2={plot.y(tick)} className="stroke-stroke" />
                <text
                  x={plot.left - 8}
                  y={plot.y(tick) + 3.5}
                  textAnchor="end"
                  className="fill-muted font-mono text-2xs"
                >
                  {formatTick(tick)}
                </text>
              </g>
            ))}
            {minuteTicks(end, plot.right - plot.left).map((seconds) => (
              <text
                key={seconds}
                x={Math.max(plot.left + 10, Math.min(xOf(seconds), plot.right - 14))}
                y={height - 6}
                textAnchor="middle"
                className="fill-muted font-mono text-2xs"
              >
                {formatDuration(seconds)}
              </text>
            ))}
            <path d={bandPath(low, high, x, plot.y)} className="fill-curve-bean opacity-20" />
            <path
              d={linePath(middle, x, plot.y)}
              className="fill-transparent stroke-curve-bean"
              strokeWidth={1.5}
              strokeLinejoin="round"
            />
            <path
              d={linePath(reference, x, plot.y)}
              className="fill-transparent stroke-strong"
              strokeWidth={1.75}
              strokeDasharray="5 3"
              strokeLinejoin="round"
            />
            {active !== null && (
              <line x1={x(active)} x2={x(active)} y1={plot.top} y2={plot.bottom} className="stroke-stroke-control" />
            )}
          </svg>
        )}
      </div>
      <dl className="flex min-h-6 flex-wrap items-center gap-x-5 gap-y-1 px-1 text-sm">
        <Entry mark={<span className="w-5 border-t-2 border-dashed border-strong" />} label={t`Reference`}>
          {active !== null && temperatureText(band.reference[active], units)}
        </Entry>
        <Entry mark={<span className="w-5 border-t-2 border-curve-bean" />} label={t`Median`}>
          {active !== null && temperatureText(band.middle[active], units)}
        </Entry>
        <Entry mark={<span className="h-3 w-5 rounded-sm bg-curve-bean opacity-25" />} label={t`Middle 80%`}>
          {active !== null &&
            `${temperatureText(band.low[active], units)} – ${temperatureText(band.high[active], units)}`}
        </Entry>
        <Entry label={t`At`}>{active === null ? '' : formatDuration(band.time_seconds[active] ?? 0)}</Entry>
      </dl>
    </div>
  );
};

/** A line of the legend; its value while the pointer is on the chart. */
const Entry = ({ mark, label, children }: { mark?: ReactNode; label: string; children: ReactNode }) => (
  <div className={mark === undefined && children === '' ? 'invisible flex gap-2' : 'flex items-center gap-2'}>
    <dt className="flex items-center gap-2 text-muted">
      {mark !== undefined && (
        <span aria-hidden className="inline-flex items-center">
          {mark}
        </span>
      )}
      {label}
    </dt>
    <dd className="figures text-strong">{children}</dd>
  </div>
);
