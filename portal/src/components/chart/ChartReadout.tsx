import type { CurveColumns } from '@roastery/contract/roast-curves';
import { formatDuration } from '@roastery/roasting/units';
import { t } from '../../language/t.ts';
import { classes } from '../../ui/classes.ts';
import { Difference, Measure } from '../figures.tsx';
import { columnOf, curveStyles, deviationAt, nearestIndex } from './curves.ts';
import { useTimeView, type TimeViewStore } from './time-view.ts';

interface ChartReadoutProps {
  curve: CurveColumns;
  reference?: CurveColumns | undefined;
  shown: Readonly<Record<string, boolean>>;
  view: TimeViewStore;
  selected: number | null;
  /** CSS pixels from the chart's left edge; null while there is no chart. */
  pixelAt: (seconds: number) => number | null;
}

/** Beyond this part of the width it is left of the crosshair, so that it stays inside the chart. */
const turnsAt = 0.6;

/**
 * All values at the crosshair. A pinned point is shown in the panel beside the chart, and here on narrow screens only.
 * Hidden from assistive technology: the panel has the same values.
 */
export const ChartReadout = ({ curve, reference, shown, view, selected, pixelAt }: ChartReadoutProps) => {
  const { cursor, from, to } = useTimeView(view);
  const seconds = cursor ?? selected;
  const at = seconds === null ? null : pixelAt(seconds);
  if (seconds === null || at === null || seconds < from || seconds > to) return null;
  const index = nearestIndex(curve.time_seconds, seconds);
  const isLate = (seconds - from) / (to - from) > turnsAt;
  return (
    <div
      aria-hidden
      data-testid="chart-readout"
      className={classes(
        'pointer-events-none absolute bottom-9 left-0 z-1 rounded-md border border-stroke-strong bg-overlay px-2.5 py-1.5 text-sm',
        cursor === null && 'xl:hidden',
      )}
      style={{ transform: `translateX(${at}px) translateX(${isLate ? 'calc(-100% - 10px)' : '10px'})` }}
    >
      <p className="figures font-mono text-xs text-muted">{formatDuration(curve.time_seconds[index])}</p>
      {curveStyles
        .filter((style) => shown[style.key] === true && columnOf(curve, style) !== undefined)
        .map((style) => (
          <p key={style.key} className="flex items-baseline justify-between gap-3">
            <span className="font-mono text-xs font-semibold" style={{ color: `var(--${style.token})` }}>
              {style.tag}
            </span>
            <Measure
              quantity={style.axis === 'rate' ? 'rate' : 'temperature'}
              value={columnOf(curve, style)?.[index]}
              className="font-medium"
            />
          </p>
        ))}
      {reference !== undefined && (
        <p className="flex items-baseline justify-between gap-3 border-t border-stroke pt-0.5">
          <span className="font-mono text-xs font-semibold text-muted">{t`vs ref`}</span>
          <Difference
            valueC={deviationAt(reference, curve.time_seconds[index], curve.channels['bean_temp']?.[index])}
          />
        </p>
      )}
    </div>
  );
};
