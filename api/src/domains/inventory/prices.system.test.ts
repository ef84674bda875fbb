import type { Lot } from '@roastery/contract/inventory';
import { currencies } from '@roastery/contract/money';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { priceOf } from '../../ledger/money.ts';
import { type OpenedTestApi, openTestApi } from '../../testing/test-api.ts';

/** Prices as people and imports give them: whole, with cents, by the pound. */
const prices = [0, 0.01, 4, 8.5, 6.125, 6.83433, 7.054_792, 0.3, 1_000_000, 123_456.789_012_34];

const body = (lot_number: string, cost_per_kg: number | null) => ({
  lot_number,
  coffee_name: 'Guji',
  origin: 'Ethiopia',
  initial_weight: 60,
  cost_per_kg,
});

describe('prices of lots', () => {
  let opened: OpenedTestApi;
  beforeAll(async () => {
    opened = await openTestApi();
  });
  afterAll(() => opened.close());
  const changeTo = async (currency: string) =>
    expect((await opened.admin.send('PUT', '/settings/roastery', { currency })).status).toBe(200);
  const costs = async () => {
    const { lots } = (await opened.admin.send<{ lots: Lot[] }>('GET', '/inventory/lots?sort=lot_number')).body;
    return lots.map(({ cost_per_kg: cost }) => cost);
  };

  it('are stored as integers of the smallest unit and returned unchanged', async () => {
    for (const [place, price] of prices.entries()) {
      const { status } = await opened.admin.send('POST', '/inventory/lots', body(`P-${place}`, price));
      expect(status).toBe(201);
    }
    await opened.admin.send('POST', '/inventory/lots', body('P-none', null));
    expect(await costs()).toEqual([...prices, null]);
    const rows = await opened.test.api.context.sql<{ price_minor: number; price_kg: number }[]>`
      SELECT price_minor, price_kg FROM lots ORDER BY lot_number LIMIT 5`;
    expect(rows.map((row) => [row.price_minor, row.price_kg])).toEqual([
      [0, 1],
      [1, 1],
      [400, 1],
      [850, 1],
      [6125, 10],
    ]);
  });

  it('keep their figures in every currency', async () => {
    for (const currency of ['EUR', 'JPY', 'KWD', 'JPY', 'USD']) {
      await changeTo(currency);
      expect((await opened.admin.send('GET', '/auth/me')).body).toMatchObject({ roastery_currency: currency });
      expect(await costs(), currency).toEqual([...prices, null]);
    }
    const { status } = await opened.admin.send('PUT', '/settings/roastery', { currency: 'XYZ' });
    expect(status).toBe(422);
  });

  it('determine the total value of the stock', async () => {
    const { total_value: value } = (await opened.admin.send<{ total_value: number }>('GET', '/inventory/stats/summary'))
      .body;
    expect(value).toBeCloseTo(
      prices.reduce((sum, price) => sum + price * 60, 0),
      6,
    );
  });
});

it('priceOf: is an integer of the smallest unit for a weight', () => {
  expect(priceOf(6.5, 'JPY')).toEqual({ price_minor: '65', price_kg: '10' });
  expect(priceOf(950, 'JPY')).toEqual({ price_minor: '950', price_kg: '1' });
  expect(priceOf(2.25, 'KWD')).toEqual({ price_minor: '2250', price_kg: '1' });
  expect(priceOf(null, 'USD')).toEqual({ price_minor: null, price_kg: '1' });
  expect(currencies.every((code) => Number(priceOf(1.234_567, code).price_minor) % 1 === 0)).toBe(true);
});
