import type { Preferences } from '@roastery/contract/auth';
import type { CurveBand } from '@roastery/contract/analytics';
import { formatNumber } from '../../../format/numbers.ts';
import { inUnitsOf, readingOf } from '../../../format/quantities.ts';
import { t } from '../../../language/t.ts';

type Units = Pick<Preferences, 'temperature_unit' | 'rate_unit'>;
type Column = (number | null)[];
export type BandColumns = Record<'low' | 'middle' | 'high' | 'reference', Column>;

/** A band in the reader's degrees. */
export const bandInUnits = (band: CurveBand, units: Units): BandColumns => {
  const convert = (column: readonly (number | null)[]): Column =>
    column.map((value) => (value === null ? null : inUnitsOf('temperature', value, units)));
  return {
    low: convert(band.low),
    middle: convert(band.middle),
    high: convert(band.high),
    reference: convert(band.reference),
  };
};

export const present = (values: readonly (number | null | undefined)[]): number[] =>
  values.filter((value) => value !== null && value !== undefined);

/** `204.5 °C` of a stored temperature. */
export const temperatureText = (valueC: number | null | undefined, units: Units): string => {
  const { value, unit } = readingOf('temperature', valueC, units);
  return `${value} ${unit}`.trim();
};

/** The chart's summary for screen readers. */
export const bandSummary = (band: CurveBand, units: Units): string => {
  const { low, high } = bandInUnits(band, units);
  const widths = high.map((value, index) => {
    const other = low[index] ?? null;
    return value === null || other === null ? null : value - other;
  });
  const widest = Math.max(0, ...present(widths));
  const first = temperatureText(band.reference[0], units);
  const last = temperatureText(present(band.reference).at(-1), units);
  return t`The reference runs from ${first} at charge to ${last} at its drop. The middle 80% of the roasts lie within ${formatNumber(widest, 1)} °${units.temperature_unit} of each other.`;
};
