import { minorDigits } from '@roastery/contract/money';
import { decimalsOf } from '../format/format.ts';
import type { Sql } from '../db/sql.ts';

/** What one kilogram of the lot `l` costs in the currency of the roastery; null without a price. Exact. */
export const costPerKg = (sql: Sql) => sql`
  (l.price_minor::numeric(40, 20) / (l.price_kg * 10::numeric ^ (SELECT s.currency_digits FROM roastery_settings s)))`;

export interface Price {
  readonly price_minor: string | null;
  readonly price_kg: string;
}

/**
 * A price per kilogram as columns: an integer of the smallest unit for a weight. 6.125 USD are 6125 cents for 10 kg, so
 * a price with fractions of a cent loses nothing.
 */
export const priceOf = (costPerKilogram: number | null, currency: string): Price => {
  if (costPerKilogram === null) return { price_minor: null, price_kg: '1' };
  const digits = minorDigits(currency);
  const decimals = decimalsOf(costPerKilogram);
  const beyond = Math.max(0, decimals.fraction.length - digits);
  const minor = BigInt(decimals.whole + decimals.fraction.padEnd(digits, '0'));
  return { price_minor: String(minor), price_kg: `1${'0'.repeat(beyond)}` };
};

const currencyOf = ([row]: readonly { currency: string }[]): string => row?.currency ?? 'USD';

export const readCurrency = async (sql: Sql): Promise<string> =>
  currencyOf(await sql<{ currency: string }[]>`SELECT currency FROM roastery_settings`);

/**
 * The currency of prices that this transaction stores: it can't change before they are stored. Call it before a lot is
 * locked, as `changeCurrency` locks them.
 */
export const holdCurrency = async (tx: Sql): Promise<string> =>
  currencyOf(await tx<{ currency: string }[]>`SELECT currency FROM roastery_settings FOR SHARE`);

/**
 * Amounts keep their figures when the roastery changes its currency: 6.50 stays 6.50. A price of 650 cents becomes 650
 * yen for 100 kg, or 6500 fils for one.
 */
export const changeCurrency = async (tx: Sql, from: string, to: string): Promise<void> => {
  const more = minorDigits(to) - minorDigits(from);
  if (more > 0) await tx`UPDATE lots SET price_minor = price_minor * ${10 ** more} WHERE price_minor IS NOT NULL`;
  if (more < 0) await tx`UPDATE lots SET price_kg = price_kg * ${10 ** -more} WHERE price_minor IS NOT NULL`;
  await tx`UPDATE roastery_settings SET currency_digits = ${minorDigits(to)}`;
};
