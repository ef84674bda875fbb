import { rateCToF } from '@roastery/roasting/units';
import { formatNumber } from '../format/numbers.ts';
import { usePreferences } from '../format/preferences.ts';
import { classes } from '../ui/classes.ts';

interface DifferenceProps {
  /** °C, positive above the reference; null where there is nothing to compare. */
  valueC: number | null;
  stale?: boolean;
  /** False for a distance, which has no direction. */
  signed?: boolean;
}

/** A difference of temperatures with its sign: it converts to °F by 1.8 and never gains 32. */
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
