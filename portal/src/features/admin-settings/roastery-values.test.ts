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

it('an emptied field is stored as none, an untouched one is not sent', () => {
  const values = { ...valuesOf(settings), city: '  ', roastery_name: ' Drum ' };
  expect(values.address).toBe('');
  expect(changesOf(values, { city: true, roastery_name: true })).toEqual({ city: null, roastery_name: 'Drum' });
  expect(changesOf({ ...values, time_zone: 'UTC' }, { time_zone: true })).toEqual({ time_zone: 'UTC' });
});
