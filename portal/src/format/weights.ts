import { fromKg, kgOfTyped, weightAsTyped, type MassUnit } from '@roastery/roasting/units';
import { conventions } from './conventions.ts';
import { formatNumber } from './numbers.ts';

/** The unit in which this person reads and types weights. */
export const weightUnit = (): MassUnit => conventions().weightUnit;

/** Decimals of a weight in kg, in another unit. A tenth of a gram is the resolution of a sample scale. */
const digitsIn = (unit: MassUnit, digits: number): number => (unit === 'g' ? (digits >= 2 ? 1 : 0) : digits);

type Rounding = 'halfExpand' | 'floor';

/** A weight of kg in this person's unit, without the unit: decimals as they would be in kg. */
export const weightNumber = (kg: number, min = 1, max = 2, rounding: Rounding = 'halfExpand'): string => {
  const unit = weightUnit();
  // Below a kilogram the grams count: a sample roast of 0.13 kg must not be shown as 0.1 kg.
  const most = Math.abs(kg) < 1 ? Math.max(max, 3) : max;
  const least = unit === 'g' ? 0 : min;
  return formatNumber(withoutNoise(fromKg(kg, unit)), least, digitsIn(unit, most), rounding);
};

/** `12.5 kg`, `27.6 lb` */
export const weightText = (kg: number, min = 1, max = 2, rounding: Rounding = 'halfExpand'): string =>
  `${weightNumber(kg, min, max, rounding)} ${weightUnit()}`;

/** 55.99999999999999 lb are 56 lb. */
export const withoutNoise = (value: number): number => Number(value.toPrecision(12));

/** The number of a field, as it was typed: 115.2 for 0.1152 kg in grams. */
export const typedWeight = (kg: number, unit: MassUnit = weightUnit()): string => String(weightAsTyped(kg, unit));

/** The number as it was typed, to the gram in kg: `12`, `12.5`, `0.125`; `26.46` for 12 kg in pounds. */
export const exactWeightNumber = (kg: number): string => formatNumber(weightAsTyped(kg, weightUnit()), 0, 3);

/** `12 kg`, `25.3 lb` */
export const exactWeight = (kg: number): string => `${exactWeightNumber(kg)} ${weightUnit()}`;

/** A typed number of the unit in kg. */
export const kilogramsOf = (value: number, unit: MassUnit = weightUnit()): number => kgOfTyped(value, unit);

/** A weight in a column whose head names the unit. */
export const weightCell = (kg: number | null): string => (kg === null ? '--' : weightNumber(kg, 1, 1));

/** A step or a minimum of a field, kg, in this person's unit. */
export const inWeightUnit = (kg: number): number => withoutNoise(fromKg(kg, weightUnit()));

const written = (figures: string): string => exactWeightNumber(Number(figures.replaceAll(',', '')));

/**
 * A sentence of the server, or of a rule that both sides check, in this person's units: those sentences use kg. Names
 * and notes of people are not converted: a coffee may be called "60 kg bag".
 */
export const inOwnUnits = (sentence: string): string => {
  const unit = weightUnit();
  if (unit === 'kg' && conventions().region === 'en-US') return sentence;
  return sentence
    .replaceAll(/(?:(\d[\d,]*(?:\.\d+)?)-)?(\d[\d,]*(?:\.\d+)?) kg\b/g, (_, from: string | undefined, to: string) =>
      from === undefined ? `${written(to)} ${unit}` : `${written(from)}-${written(to)} ${unit}`,
    )
    .replaceAll(/\bin kg\b/g, `in ${unit}`);
};
