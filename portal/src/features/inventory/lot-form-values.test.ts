import { describe, expect, it } from 'vitest';
import { bodyOfValues, emptyLot, lotResolver, totalCost, type LotValues } from './lot-form-values.ts';

const yirgacheffe: LotValues = {
  ...emptyLot,
  lot_number: 'ET-24-07',
  coffee_name: 'Yirgacheffe Konga',
  origin: 'Ethiopia',
  initial_weight: '60',
  cost_per_kg: '9.4',
  harvest_date: '2025-12-01',
};

const messagesOf = async (values: LotValues): Promise<Record<string, string | undefined>> => {
  const { errors } = await lotResolver(values, undefined, {
    fields: {},
    shouldUseNativeValidation: false,
  });
  return Object.fromEntries(Object.entries(errors).map(([field, error]) => [field, error.message]));
};

describe('the lot form', () => {
  it('requires the document’s required fields, with its messages', async () => {
    expect(await messagesOf(emptyLot)).toEqual({
      lot_number: 'Lot number is required',
      coffee_name: 'Coffee name is required',
      origin: 'Origin is required',
      initial_weight: 'Initial weight must be greater than 0',
    });
    expect(await messagesOf({ ...yirgacheffe, initial_weight: '0' })).toEqual({
      initial_weight: 'Initial weight must be greater than 0',
    });
    expect(await messagesOf({ ...yirgacheffe, lot_number: '   ' })).toEqual({ lot_number: 'Lot number is required' });
  });

  it('reports the limits of a figure that exceeds them [P183]', async () => {
    expect(
      await messagesOf({
        ...yirgacheffe,
        altitude: '-1',
        cupping_score: '100.5',
        moisture_content: '101',
        water_activity: '1.01',
        cost_per_kg: '-0.1',
      }),
    ).toEqual({
      altitude: 'Altitude: 0-9000 m',
      cupping_score: 'Cupping score: 0-100',
      moisture_content: 'Moisture: 0-100%',
      water_activity: 'Water activity: 0-1',
      cost_per_kg: 'Cost per kg: 0 or more',
    });
  });

  it('sends null for empty fields, numbers as numbers and days as timestamps', () => {
    expect(bodyOfValues(yirgacheffe)).toMatchObject({
      region: null,
      altitude: null,
      notes: null,
      initial_weight: 60,
      cost_per_kg: 9.4,
      harvest_date: '2025-12-01T00:00:00.000Z',
      purchase_date: null,
    });
  });

  it('computes the cost of the lot [P109]', () => {
    expect(totalCost('9.4', '60')).toBeCloseTo(564);
    expect(totalCost('', '60')).toBeNull();
    expect(totalCost('9.4', '')).toBeNull();
    expect(totalCost('0', '60')).toBe(0);
  });
});
