import { describe, expect, it } from 'vitest';
import { emptyLog, logResolver, type LogValues } from './log-values.ts';

const resolve = async (values: Partial<LogValues>, unit: 'C' | 'F' = 'C') =>
  logResolver(unit, 'Europe/Berlin')({ ...emptyLog('Ada', '2026-11-21T08:40'), ...values }, undefined, {
    fields: {},
    shouldUseNativeValidation: false,
  });

describe('a roast logged by hand', () => {
  it('is sent in °C, kg, seconds and UTC; empty fields are null', async () => {
    const { values, errors } = await resolve(
      {
        coffee_name: 'Guji',
        duration_seconds: '10:40',
        first_crack_time: '8:32',
        drop_temp: '410',
        batch_size_kg: '12.5',
        notes: '  ',
      },
      'F',
    );
    expect(errors).toEqual({});
    expect(values).toMatchObject({
      coffee_name: 'Guji',
      start_time: '2026-11-21T07:40:00.000Z',
      duration_seconds: 640,
      first_crack_time: 512,
      drop_temp: 210,
      batch_size_kg: 12.5,
      roasted_by: 'Ada',
      notes: null,
      charge_temp: null,
      lot_id: null,
    });
  });
  it('refuses a start more than a day ahead with a message at its field', async () => {
    const { errors } = await resolve({
      coffee_name: 'Guji',
      duration_seconds: '10:40',
      start_time: '2199-01-01T08:00',
    });
    expect(errors).toMatchObject({
      start_time: { message: 'The start is more than a day in the future. Check the date' },
    });
  });
  it('shows an error at each invalid field', async () => {
    const { errors } = await resolve({
      duration_seconds: 'ten',
      first_crack_time: 'x',
      start_time: '',
      batch_size_kg: '-1',
    });
    expect(Object.fromEntries(Object.entries(errors).map(([field, error]) => [field, error.message]))).toEqual({
      coffee_name: 'Coffee name is required',
      duration_seconds: 'Enter the time as 10:30',
      first_crack_time: 'Enter the time as 8:30',
      start_time: 'Enter when it was roasted',
      batch_size_kg: 'Batch must be greater than 0',
    });
    const heavy = await resolve({
      coffee_name: 'Guji',
      duration_seconds: '8:00',
      batch_size_kg: '12',
      end_weight_kg: '12.5',
    });
    expect(heavy.errors).toMatchObject({ end_weight_kg: { message: 'Roasted weight can’t be more than the batch' } });
    const late = await resolve({ coffee_name: 'Guji', duration_seconds: '8:00', first_crack_time: '9:00' });
    expect(late.errors).toMatchObject({ first_crack_time: { message: 'First crack must come before the drop' } });
  });
});
