import type { MachineDrift } from '@roastery/contract/machine-drift';
import { rateCToF } from '@roastery/roasting/units';
import type { DateTexts } from '../format/dates.ts';
import { formatNumber } from '../format/numbers.ts';
import type { Units } from '../format/quantities.ts';
import { t } from '../language/t.ts';

/** A drift of a machine as a sentence: `the bean probe reads 3.0 °C less since Nov 12, 2026`. */
export const driftText = (drift: MachineDrift, units: Units, dates: DateTexts): string => {
  const { kind, change } = drift;
  const [size, day] = [driftSize(drift, units), dates.day(drift.since)];
  if (kind === 'burner') {
    return change < 0
      ? t`the burner gives ${size} less at the same setting since ${day}`
      : t`the burner gives ${size} more at the same setting since ${day}`;
  }
  if (kind === 'bean_probe') {
    return change < 0
      ? t`the bean probe reads ${size} lower since ${day}`
      : t`the bean probe reads ${size} higher since ${day}`;
  }
  return change < 0
    ? t`the exhaust probe reads ${size} lower since ${day}`
    : t`the exhaust probe reads ${size} higher since ${day}`;
};

/** `3.0 °C`, `6 %`: without its sign. A difference of temperatures converts without the offset of 32. */
export const driftSize = ({ kind, change }: MachineDrift, { temperature_unit: unit }: Units): string => {
  const size = Math.abs(change);
  if (kind === 'burner') return `${formatNumber(size, 0)} %`;
  return `${formatNumber(unit === 'F' ? rateCToF(size) : size, 1)} °${unit}`;
};

/** What to do about it. */
export const driftAdvice = ({ kind }: MachineDrift): string =>
  kind === 'burner'
    ? t`Check gas pressure, nozzles and filters. Recipes with fixed burner settings roast otherwise than before.`
    : t`Check that the probe sits as before and is clean, and compare both probes: a change of one looks much like the opposite change of the other.`;
