import { fromKg, toKg, type MassUnit } from '@roastery/roasting/units';
import { conventions } from './conventions.ts';
import { formatNumber } from './numbers.ts';

/** The unit in which this person reads and types weights. */
export const weightUnit = (): MassUnit => conventions().weightUnit;

/** Decimals of a weight in kg, in another unit. A tenth of a gram is as fine as a scale of samples gets. */
const digitsIn = (unit: MassUnit, digits: number): number => (unit === 'g' ? (digits >= 2 ? 1 : 0) : digits);

type Rounding = 'halfExpand' | 'floor';

/** A weight of kg in this person's unit, without the unit: decimals as they would be in kg. */
export const weightNumber = (kg: number, min = 1, max = 2, rounding: Rounding = 'halfExpand'): string => {
  const unit = weightUnit();
  // Below a kilogram the grams count: a sample roast of 0.13 kg is no roast of 0.1 kg.
  const most = Math.abs(kg) < 1 ? Math.max(max, 3) : max;
  const least = unit === 'g' ? 0 : min;
  return formatNumber(withoutNoise(fromKg(kg, unit)), least, digitsIn(unit, most), rounding);
};

/** `12.5 kg`, `27.6 lb` */
export const weightText = (kg: number, min = 1, max = 2, rounding: Rounding = 'halfExpand'): string =>
  `${weightNumber(kg, min, max, rounding)} ${weightUnit()}`;

/** 55.99999999999999 lb are 56 lb. */
const withoutNoise = (value: number): number => Number(value.toPrecision(12));

/** Decimals that a scale in this unit shows, and those of the shortest number that still gives the stored milligrams. */
const usualDigits: Record<MassUnit, number> = { kg: 3, g: 1, lb: 2, oz: 2 };
const exactDigits: Record<MassUnit, number> = { kg: 6, g: 2, lb: 3, oz: 3 };

const milligrams = (kg: number): number => Math.round(kg * 1e6);

/** Fewest decimals that give back the same milligrams; `usual` where there are none: 12 kg are 26.455471… lb. */
const digitsOf = (kg: number, unit: MassUnit, most: number, usual: number): number => {
  for (let digits = 0; digits <= most; digits += 1) {
    if (milligrams(toKg(Number(fromKg(kg, unit).toFixed(digits)), unit)) === milligrams(kg)) return digits;
  }
  return usual;
};

/**
 * A weight as a number of the unit, as it was typed: 115.2 of 0.1152 kg in grams, 25.3 of 11.475886… kg in pounds. A weight that
 * was typed in another unit has the decimals of a scale.
 */
export const typedWeight = (kg: number, unit: MassUnit = weightUnit()): string => {
  const digits = digitsOf(kg, unit, exactDigits[unit], usualDigits[unit]);
  return String(Number(fromKg(kg, unit).toFixed(digits)));
};

/** The number as it was typed, to the gram in kg: `12`, `12.5`, `0.125`; `26.46` of 12 kg in pounds. */
export const exactWeightNumber = (kg: number): string => {
  const unit = weightUnit();
  const usual = usualDigits[unit];
  return formatNumber(fromKg(kg, unit), 0, unit === 'kg' ? usual : digitsOf(kg, unit, exactDigits[unit], usual));
};

/** `12 kg`, `25.3 lb` */
export const exactWeight = (kg: number): string => `${exactWeightNumber(kg)} ${weightUnit()}`;

/** A number of the unit in kg, to the milligram, as the api stores it. */
export const kilogramsOf = (value: number, unit: MassUnit = weightUnit()): number =>
  unit === 'kg' ? value : milligrams(toKg(value, unit)) / 1e6;

/** A weight in a column whose head names the unit. */
export const weightCell = (kg: number | null): string => (kg === null ? '--' : weightNumber(kg, 1, 1));

/** A step or a least value of a field, kg, in this person's unit. */
export const inWeightUnit = (kg: number): number => withoutNoise(fromKg(kg, weightUnit()));

const written = (figures: string): string => exactWeightNumber(Number(figures.replaceAll(',', '')));

/**
 * A sentence of the server, or of a rule that both sides check, in this person's units: those sentences name kg. Names and
 * notes of people are not sentences: a coffee may be called "60 kg bag".
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
