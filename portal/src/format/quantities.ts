import type { Preferences } from '@roastery/contract/auth';
import { cToF, rateCToF } from '@roastery/roasting/units';
import { formatNumber, readNumber } from './numbers.ts';
import { inWeightUnit, weightNumber, weightUnit, withoutNoise } from './weights.ts';

/** `temperature` in °C, `rate` in °C/min, `weight` in kg, `share` from 0 to 1, `percent` already in %. */
export type Quantity = 'temperature' | 'rate' | 'weight' | 'share' | 'percent';

export interface Reading {
  value: string;
  unit: string;
}

/** The preferences that decide the format of a figure; the unit of weights is that of the person on the page. */
export type Units = Pick<Preferences, 'temperature_unit' | 'rate_unit'>;

/** This person's unit of a quantity, e.g. for axis titles and fields. */
export const unitOf = (quantity: Quantity, { temperature_unit: degree, rate_unit: rate }: Units): string =>
  ({
    temperature: `°${degree}`,
    rate: rate === 'per_minute' ? `°${degree}/min` : `°${degree}/30 s`,
    weight: weightUnit(),
    share: '%',
    percent: '%',
  })[quantity];

/** A stored value as a number in this person's unit. A rate converts by 1.8, without the offset of 32. */
export const inUnitsOf = (quantity: Quantity, stored: number, units: Units): number => {
  const fahrenheit = units.temperature_unit === 'F';
  if (quantity === 'temperature') return fahrenheit ? cToF(stored) : stored;
  if (quantity === 'share') return stored * 100;
  if (quantity === 'weight') return inWeightUnit(stored);
  if (quantity !== 'rate') return stored;
  const perMinute = fahrenheit ? rateCToF(stored) : stored;
  return units.rate_unit === 'per_minute' ? perMinute : perMinute / 2;
};

/** Value and unit separately, so that a page can show the value bright and the unit dim; `--` for a missing value. */
export const readingOf = (quantity: Quantity, stored: number | null | undefined, units: Units, digits = 1): Reading => {
  if (stored === null || stored === undefined || !Number.isFinite(stored)) return { value: '--', unit: '' };
  const unit = unitOf(quantity, units);
  if (quantity === 'weight') return { value: weightNumber(stored, digits, digits), unit };
  return { value: formatNumber(inUnitsOf(quantity, stored, units), digits), unit };
};

/**
 * The difference of two figures as they are shown, so that a reader who subtracts them gets the same; null where either is
 * missing.
 */
export const shownDifference = (
  quantity: Quantity,
  one: number | null | undefined,
  other: number | null | undefined,
  units: Units,
  digits = 1,
): number | null => {
  const [left, right] = [one, other].map((stored) => readNumber(readingOf(quantity, stored, units, digits).value));
  return left === undefined || right === undefined ? null : withoutNoise(Number(left) - Number(right));
};
