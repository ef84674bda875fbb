import { expect, it } from 'vitest';
import { changesOf, valuesOf } from './roastery-values.ts';

const settings = {
  roastery_name: 'Drum & Bean',
  address: null,
  city: 'Lisbon',
  country: null,
  postal_code: null,
  email: null,
  phone: null,
  website: null,
  time_zone: 'Europe/Lisbon',
  alert_email: null,
  revision: 1,
};

it('changesOf: sends null for an emptied field and nothing for an unchanged one', () => {
  const values = { ...valuesOf(settings), city: '  ', roastery_name: ' Drum ' };
  expect(values.address).toBe('');
  expect(changesOf(values, new Set(['city', 'roastery_name']))).toEqual({ city: null, roastery_name: 'Drum' });
  expect(changesOf({ ...values, time_zone: 'UTC' }, new Set(['time_zone']))).toEqual({ time_zone: 'UTC' });
});
