import { classes } from '../ui/classes.ts';
import { usePreferences } from '../format/preferences.ts';
import { readingOf, type Quantity } from '../format/quantities.ts';

interface MeasureProps {
  quantity: Quantity;
  /** As stored: °C, °C/min, kg, 0-1 or %. */
  value: number | null | undefined;
  digits?: number;
  /** Greyed: the signal is old. */
  stale?: boolean;
  className?: string;
}

/** A figure with its unit: value bright, unit dim, in the reader's units, `--` when missing. */
export const Measure = ({ quantity, value, digits = 1, stale = false, className }: MeasureProps) => {
  const reading = readingOf(quantity, value, usePreferences(), digits);
  return (
    <span className={classes('figures whitespace-nowrap', className)}>
      <span className={stale || reading.unit === '' ? 'text-muted' : 'text-strong'}>{reading.value}</span>
      {reading.unit !== '' && <span className="text-[0.85em] font-normal text-muted"> {reading.unit}</span>}
    </span>
  );
};
