import { currencies, minorDigits } from '@roastery/contract/money';
import { afterEach, describe, expect, it } from 'vitest';
import { defaultConventions, setConventions } from './conventions.ts';
import { currencySign, formatAmount, formatMoney, formatPrice, pricePerKg, priceUnit, typedPrice } from './money.ts';

afterEach(() => setConventions(defaultConventions));
const use = (change: Partial<typeof defaultConventions>) => setConventions({ ...defaultConventions, ...change });

it('formatMoney: formats dollars', () => {
  expect([formatAmount(1234.5), formatMoney(1234.5), formatMoney(1234.5, 0)]).toEqual([
    '1,234.50',
    '$1,234.50',
    '$1,235',
  ]);
  expect(currencySign()).toBe('$');
});

it.each([
  ['EUR', 'de', '1.234,50\u00a0€', '€'],
  ['JPY', 'ja', '￥1,235', '￥'],
  ['KWD', 'en-US', 'KWD\u00a01,234.500', 'KWD'],
  ['GBP', 'en-GB', '£1,234.50', '£'],
])('formatMoney: writes %s in %s with its digits', (currency, region, text, sign) => {
  use({ currency, region });
  expect([formatMoney(1234.5), currencySign()]).toEqual([text, sign]);
});

it('minorDigits: follows ISO 4217', () => {
  expect(['USD', 'JPY', 'KWD', 'CLP', 'HUF', 'ISK'].map(minorDigits)).toEqual([2, 0, 3, 0, 2, 0]);
  expect(currencies.every((code) => /^[A-Z]{3}$/.test(code) && minorDigits(code) <= 4)).toBe(true);
});

describe('a price', () => {
  it('is per pound for users of pounds or ounces', () => {
    const units = (['kg', 'g', 'lb', 'oz'] as const).map((weightUnit) => {
      use({ weightUnit });
      return priceUnit();
    });
    expect(units).toEqual(['kg', 'kg', 'lb', 'lb']);
  });

  it('is shown as typed', () => {
    use({ weightUnit: 'lb', currency: 'EUR', region: 'de' });
    for (const typed of ['3.1', '2.4535', '0.05', '12', '199.99']) {
      expect(typedPrice(pricePerKg(Number(typed)))).toBe(typed);
    }
    expect(formatPrice(pricePerKg(3.1))).toBe('3,10\u00a0€');
    use({});
    expect(typedPrice(6.125)).toBe('6.125');
  });
});
