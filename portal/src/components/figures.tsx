import { classes } from '../ui/classes.ts';
import { useDates, usePreferences } from '../format/preferences.ts';
import { readingOf, shownDifference, unitOf, type Quantity } from '../format/quantities.ts';
import { rateCToF } from '@roastery/roasting/units';
import { formatNumber } from '../format/numbers.ts';
import { t } from '../language/t.ts';
import { useEffect, useState } from 'react';

interface MeasureProps {
  quantity: Quantity;
  /** As stored: °C, °C/min, kg, 0-1 or %. */
  value: number | null | undefined;
  digits?: number;
  /** Grey: the signal is old. */
  stale?: boolean;
  /** False where a figure beside it has the unit. */
  withUnit?: boolean;
  className?: string;
}

/** A figure with its unit: value bright, unit dim, in the reader's units, `--` when missing. */
export const Measure = ({ quantity, value, digits = 1, stale = false, withUnit = true, className }: MeasureProps) => {
  const reading = readingOf(quantity, value, usePreferences(), digits);
  return (
    <span className={classes('figures whitespace-nowrap', className)}>
      <span className={stale || reading.unit === '' ? 'text-muted' : 'text-strong'}>{reading.value}</span>
      {withUnit && reading.unit !== '' && <span className="text-[0.85em] font-normal text-muted"> {reading.unit}</span>}
    </span>
  );
};

interface DifferenceProps {
  /** °C, positive above the reference; null where there is nothing to compare. */
  valueC: number | null;
  stale?: boolean;
  /** False for a distance, which has no direction. */
  signed?: boolean;
}

/** A difference of temperatures with its sign. To °F it converts by 1.8, without the offset of 32. */
export const Difference = ({ valueC, stale = false, signed = true }: DifferenceProps) => {
  const { temperature_unit: unit } = usePreferences();
  if (valueC === null) return <span className="figures text-muted">--</span>;
  const value = unit === 'F' ? rateCToF(valueC) : valueC;
  const text = formatNumber(Math.abs(value), 1);
  const sign = !signed ? '' : Number(text) === 0 ? '±' : value > 0 ? '+' : '−';
  return (
    <span className={classes('figures whitespace-nowrap', stale ? 'text-muted' : 'text-strong')}>
      {`${sign}${text}`}
      <span className="text-[0.85em] font-normal text-muted"> °{unit}</span>
    </span>
  );
};

interface DifferenceBetweenProps {
  quantity: Quantity;
  /** As stored. */
  value: number | null;
  from: number | null;
  withUnit?: boolean;
}

/** The difference of two figures that stand beside it, as they are shown; of shares in percentage points. */
export const DifferenceBetween = ({ quantity, value, from, withUnit = true }: DifferenceBetweenProps) => {
  const units = usePreferences();
  const difference = shownDifference(quantity, value, from, units);
  if (difference === null) return <span className="figures text-muted">--</span>;
  const sign = difference === 0 ? '±' : difference > 0 ? '+' : '−';
  return (
    <span className="figures whitespace-nowrap text-strong">
      {`${sign}${formatNumber(Math.abs(difference), quantity === 'weight' ? 0 : 1, 3)}`}
      {withUnit && (
        <span className="text-[0.85em] font-normal text-muted">
          {' '}
          {quantity === 'share' ? t`pts` : unitOf(quantity, units)}
        </span>
      )}
    </span>
  );
};

/** `3 min ago`, kept up to date, with the absolute time on hover and in the markup. */
export const RelativeTime = ({ moment }: { moment: string }) => {
  const dates = useDates();
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const everyMs = now - Date.parse(moment) < 60_000 ? 1000 : 30_000;
    const timer = setTimeout(() => setNow(Date.now()), everyMs);
    return () => clearTimeout(timer);
  }, [now, moment]);
  return (
    <time dateTime={moment} title={dates.dayAndTime(moment)} className="figures whitespace-nowrap">
      {dates.ago(moment, now)}
    </time>
  );
};
