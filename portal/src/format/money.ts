import { minorDigits } from '@roastery/contract/money';
import { fromKg, toKg, type MassUnit } from '@roastery/roasting/units';
import { textLocale } from '../language/t.ts';
import { conventions } from './conventions.ts';
import { cachedFormat, formatNumber } from './numbers.ts';
import { weightUnit, withoutNoise } from './weights.ts';

/** Decimals of an amount in the roastery's currency: 2 of USD, 0 of JPY, 3 of KWD. */
export const moneyDigits = (): number => minorDigits(conventions().currency);

/** `1,234.50`, where a label beside it names the currency. */
export const formatAmount = (amount: number): string => formatNumber(amount, moneyDigits());

/** `$1,234.50`, `1.234,50 €`; whole units on an axis, where the rest would crowd. */
export const formatMoney = (amount: number, digits = moneyDigits()): string =>
  cachedFormat({
    style: 'currency',
    currency: conventions().currency,
    currencyDisplay: 'narrowSymbol',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(amount);

/** `$`, `€`, `CHF`: the symbol beside an amount. */
export const currencySign = (): string => {
  const format = cachedFormat({
    style: 'currency',
    currency: conventions().currency,
    currencyDisplay: 'narrowSymbol',
    minimumFractionDigits: 0,
    maximumFractionDigits: 0,
  });
  return format.formatToParts(0).find(({ type }) => type === 'currency')?.value ?? conventions().currency;
};

/** Green coffee is bought by the kilogram or by the pound, never by the gram or the ounce. */
export const priceUnit = (): MassUnit => (weightUnit() === 'lb' || weightUnit() === 'oz' ? 'lb' : 'kg');

/** A price per kg as one per kg or lb. */
export const priceFromKg = (perKg: number): number => withoutNoise(perKg * toKg(1, priceUnit()));

/** A price per kg or lb as one per kg, to a millionth of the currency, as the api stores it. */
export const pricePerKg = (price: number): number =>
  priceUnit() === 'kg' ? price : Math.round(price * fromKg(1, priceUnit()) * 1e6) / 1e6;

/** The price as it was typed: 3.1 for 6.834330 per kg in pounds. */
export const typedPrice = (perKg: number): string => {
  const price = priceFromKg(perKg);
  for (let digits = 0; digits <= 5; digits += 1) {
    const short = Number(price.toFixed(digits));
    if (Math.abs(pricePerKg(short) - perKg) < 0.000_001_5) return String(short);
  }
  return String(Number(price.toFixed(moneyDigits())));
};

/** A price in a list: `$6.50`, per the unit that the head names. */
export const formatPrice = (perKg: number): string => formatMoney(priceFromKg(perKg));

/** Each of these codes with its name: `Euro` of EUR. */
export const currencyNames = (codes: readonly string[]): { code: string; name: string }[] => {
  const names = new Intl.DisplayNames(textLocale(), { type: 'currency' });
  return codes.map((code) => ({ code, name: names.of(code) ?? code }));
};
