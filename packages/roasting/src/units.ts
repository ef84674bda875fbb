/** °C to °F, for temperatures; a rate converts with {@link rateCToF}. */
export function cToF(tempC: number): number {
  return tempC * 1.8 + 32;
}

/** °F to °C, for temperatures; a rate converts with {@link rateFToC}. */
export function fToC(tempF: number): number {
  return (tempF - 32) / 1.8;
}

/** A rate or a difference in °C as one in °F: without the offset of 32. */
export function rateCToF(rateC: number): number {
  return rateC * 1.8;
}

/** A rate or a difference in °F as one in °C. */
export function rateFToC(rateF: number): number {
  return rateF / 1.8;
}

export type TemperatureUnit = 'C' | 'F';

export const massUnits = ['g', 'kg', 'lb', 'oz'] as const;
export type MassUnit = (typeof massUnits)[number];

/** Kilograms in one unit; the avoirdupois pound is 0.45359237 kg by definition (international agreement of 1959). */
const kgPerUnit: Record<MassUnit, number> = { g: 0.001, kg: 1, lb: 0.45359237, oz: 0.45359237 / 16 };

/** A weight in any unit as kg. */
export function toKg(value: number, unit: MassUnit): number {
  return value * kgPerUnit[unit];
}

/** A weight in kg in another unit. */
export function fromKg(kg: number, unit: MassUnit): number {
  return kg / kgPerUnit[unit];
}

/** Decimals of a scale in this unit, and the most decimals of a weight typed in it. */
const usualDigits: Record<MassUnit, number> = { kg: 3, g: 1, lb: 2, oz: 2 };
const typedDigits: Record<MassUnit, number> = { kg: 6, g: 2, lb: 3, oz: 3 };

/** Weights are kept to the milligram and calculated as whole milligrams: sums and differences of them are exact. */
export const milligrams = (kg: number): number => Math.round(kg * 1e6);
export const kilograms = (mg: number): number => mg / 1e6;
export const roundKg = (kg: number): number => kilograms(milligrams(kg));
const roundedTo = (value: number, digits: number): number => Number(value.toFixed(digits));

/**
 * A weight in kg as the number that was typed: 115.2 for 0.1152 kg in grams, 25.3 for 11.475887 kg in pounds. That is
 * the shortest number that gives the same milligrams. A weight typed in another unit has the decimals of a scale: 12 kg
 * are 26.46 lb.
 */
export function weightAsTyped(kg: number, unit: MassUnit): number {
  const value = fromKg(kg, unit);
  for (let digits = 0; digits <= typedDigits[unit]; digits += 1) {
    const short = roundedTo(value, digits);
    if (milligrams(toKg(short, unit)) === milligrams(kg)) return short;
  }
  return roundedTo(value, usualDigits[unit]);
}

/** A typed weight in kg, to the milligram, as it is stored. */
export function kgOfTyped(value: number, unit: MassUnit): number {
  return unit === 'kg' ? value : roundKg(toKg(value, unit));
}

/** The unit in a file or an input (`Kg`, `LB`, `lbs`, ` oz`), or null when it is not supported. */
export function parseMassUnit(text: string): MassUnit | null {
  const word = text.trim().toLowerCase().replace(/s$/, '');
  return massUnits.find((unit) => unit === word) ?? null;
}

/**
 * Seconds as m:ss, rounded to the second: 612.4 → `10:12`. Minutes do not turn into hours, as on a roaster's timer.
 * Negative times (before charge) have a minus. `--` when there is no duration.
 */
export function formatDuration(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return '--';
  const whole = Math.round(Math.abs(seconds));
  const sign = seconds < 0 && whole > 0 ? '-' : '';
  return `${sign}${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}

/** `6:12` as 372 seconds; also plain seconds (`372`) and `1:02:03`. Null when it is not a time. */
export function parseDuration(text: string): number | null {
  const match = /^(?:(\d{1,3}):)?(\d{1,4}):([0-5]\d)$|^(\d{1,6})$/.exec(text.trim());
  if (!match) return null;
  const [, hours, minutes, seconds, plain] = match;
  if (plain !== undefined) return Number(plain);
  return Number(hours ?? 0) * 3600 + Number(minutes) * 60 + Number(seconds);
}

/** A temperature with one decimal in the reader's unit, `204.5 °C`; `--` when it is missing. */
export function formatTemperature(tempC: number | null | undefined, unit: TemperatureUnit = 'C'): string {
  if (tempC === null || tempC === undefined || !Number.isFinite(tempC)) return '--';
  return `${oneDecimal(unit === 'F' ? cToF(tempC) : tempC)} °${unit}`;
}

function oneDecimal(value: number): string {
  const text = value.toFixed(1);
  return text === '-0.0' ? '0.0' : text;
}

/** The range of a probe in a roaster, °C: a reading outside of it is not a temperature. */
export const coldestC = -100;
export const hottestC = 1200;

export type TimeUnit = 's' | 'cs' | 'ms' | 'min' | 'h';

/** Units per second. */
export const perSecond: Record<TimeUnit, number> = { s: 1, cs: 100, ms: 1000, min: 1 / 60, h: 1 / 3600 };

/**
 * The time unit of an imported curve, guessed from its last time: above 50 000 milliseconds, above 5 000 centiseconds,
 * else seconds (the product document's limits). Show the choice and let a person change it: a roast of more than 83
 * minutes in seconds would be read as centiseconds.
 */
export function guessTimeUnit(lastTime: number): TimeUnit {
  if (lastTime > 50_000) return 'ms';
  if (lastTime > 5_000) return 'cs';
  return 's';
}
