import { describe, expect, it } from 'vitest';
import { timeZoneChoices } from '../../components/TimeZoneField.tsx';
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
  currency: 'USD',
  bag_sizes: [{ weight: 60, unit: 'kg' as const }],
  alert_email: null,
  all_users_see_all_machines: false,
  revision: 1,
};

it('changesOf: sends null for an emptied field and nothing for an unchanged one', () => {
  const values = { ...valuesOf(settings), city: '  ', roastery_name: ' Drum ' };
  expect(values.address).toBe('');
  expect(changesOf(values, new Set(['city', 'roastery_name']))).toEqual({ city: null, roastery_name: 'Drum' });
  expect(changesOf({ ...values, time_zone: 'UTC' }, new Set(['time_zone']))).toEqual({ time_zone: 'UTC' });
});

describe('the choice of time zones', () => {
  const summer = new Date('2026-07-01T12:00:00Z');
  const choices = timeZoneChoices('Mars/Olympus', summer);
  const find = (value: string) => choices.find((choice) => choice.value === value);

  it('shows a zone with its offset at the time', () => {
    expect(find('Europe/Berlin')).toEqual({ value: 'Europe/Berlin', label: 'Europe/Berlin', hint: 'GMT+02:00' });
    expect(find('America/New_York')).toMatchObject({ label: 'America/New York', hint: 'GMT-04:00' });
  });

  it('keeps the current zone although this browser does not support it', () => {
    expect(find('Mars/Olympus')).toEqual({ value: 'Mars/Olympus', label: 'Mars/Olympus', hint: undefined });
  });

  it('offers UTC', () => expect(find('UTC')?.hint).toMatch(/^GMT/));
});
