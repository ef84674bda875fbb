import { formatDuration } from '@roastery/roasting/units';
import type { MouseEvent, PointerEvent } from 'react';
import { limitsOf, withPointAt } from './control-points.ts';
import { areaPath, handlePlaces, inset, linePath, secondsAt, snapped, valueAtY, xOf, yOf } from './lane-geometry.ts';
import { LaneHandle, type LaneProps } from './LaneHandle.tsx';
import { t } from '../../language/t.ts';

/** One lane of the curve editor: shaded limits, the line, and a handle on every point. */
export const EditorLane = (props: LaneProps) => {
  const { lane, scale, ticks, points, all, interpolated, active, cursor, value, roastSeconds, onCursor, onChange } =
    props;
  const { field, label, unit, colour } = lane;
  const { min, max } = limitsOf[field];
  const left = inset.left;
  const right = scale.width - inset.right;
  const place = (event: MouseEvent | PointerEvent) => {
    const box = event.currentTarget.getBoundingClientRect();
    return {
      seconds: Math.min(Math.max(snapped(secondsAt(scale, event.clientX - box.left)), 0), scale.endSeconds),
      value: Math.min(Math.max(Math.round(valueAtY(scale, event.clientY - box.top)), min), max),
    };
  };
  const addAt = (event: MouseEvent) => {
    const { seconds, value: pointed } = place(event);
    const next = withPointAt(all, seconds, { [field]: pointed });
    onChange(next);
    props.onActive(next.find((point) => point.time === seconds)?.key ?? null);
  };
  const activeTime = points.find((point) => point.key === active)?.time ?? null;
  return (
    <figure aria-label={t`${label} over time`} className="border-b border-stroke pt-2">
      <figcaption className="flex items-baseline justify-between gap-3 pr-3.5 pl-8.5">
        <span className="flex items-center gap-1.5">
          <span aria-hidden className={`size-2 rounded-full bg-current ${colour}`} />
          <span className="label-mono">{label}</span>
        </span>
        <span className="figures text-sm text-muted">
          {value === null ? `${min}–${max}` : <span className="text-strong">{value}</span>} {unit}
        </span>
      </figcaption>
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- double-click is a short cut: Add Control Point and the handles do the same by keyboard */}
      <svg
        width={scale.width}
        height={scale.height}
        className="block"
        onDoubleClick={addAt}
        onPointerMove={(event) => onCursor(event.pointerType === 'touch' ? null : place(event).seconds)}
        onPointerLeave={() => onCursor(null)}
      >
        {[
          [max, 100],
          [0, min],
        ].map(([from = 0, to = 0]) =>
          to > from ? (
            <rect
              key={from}
              x={left}
              width={right - left}
              y={yOf(scale, to)}
              height={yOf(scale, from) - yOf(scale, to)}
              className="fill-sunken"
            />
          ) : null,
        )}
        {[0, 50, 100].map((each) => (
          <g key={each} className="text-faint">
            <line x1={left} x2={right} y1={yOf(scale, each)} y2={yOf(scale, each)} className="stroke-stroke" />
            <text x={left - 7} y={yOf(scale, each) + 3.5} textAnchor="end" className="fill-current font-mono text-2xs">
              {each}
            </text>
          </g>
        ))}
        {ticks.map((seconds) => (
          <line
            key={seconds}
            x1={xOf(scale, seconds)}
            x2={xOf(scale, seconds)}
            y1={yOf(scale, 100)}
            y2={yOf(scale, 0)}
            className="stroke-stroke"
          />
        ))}
        {roastSeconds > 0 && (
          <line
            x1={xOf(scale, roastSeconds)}
            x2={xOf(scale, roastSeconds)}
            y1={yOf(scale, 100)}
            y2={yOf(scale, 0)}
            className="stroke-muted"
            strokeDasharray="2 3"
          >
            <title>{t`Roast time ${formatDuration(roastSeconds)}`}</title>
          </line>
        )}
        <g className={colour}>
          <path d={areaPath(scale, points, field, interpolated)} className="fill-current opacity-12" />
          <path
            d={linePath(scale, points, field, interpolated)}
            fill="none"
            strokeWidth={2}
            strokeLinejoin="round"
            className="stroke-current"
          />
        </g>
        {[cursor, activeTime].map((seconds, i) =>
          seconds === null ? null : (
            <line
              key={i === 0 ? 'cursor' : 'active'}
              x1={xOf(scale, seconds)}
              x2={xOf(scale, seconds)}
              y1={yOf(scale, 100)}
              y2={yOf(scale, 0)}
              className={i === 0 ? 'pointer-events-none stroke-stroke-control' : 'pointer-events-none stroke-accent'}
            />
          ),
        )}
        {handlePlaces(points, active).map((place) => {
          const point = points[place];
          return point && <LaneHandle key={point.key} {...props} point={point} index={place} />;
        })}
      </svg>
    </figure>
  );
};
