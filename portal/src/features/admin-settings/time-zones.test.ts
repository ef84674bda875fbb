import { describe, expect, it } from 'vitest';
import { timeZoneChoices } from './time-zones.ts';

describe('the choice of time zones', () => {
  const summer = new Date('2026-07-01T12:00:00Z');
  const choices = timeZoneChoices('Mars/Olympus', summer);
  const find = (value: string) => choices.find((choice) => choice.value === value);

  it('names a zone with its offset at the time', () => {
    expect(find('Europe/Berlin')).toEqual({ value: 'Europe/Berlin', label: 'Europe/Berlin', hint: 'GMT+02:00' });
    expect(find('America/New_York')).toMatchObject({ label: 'America/New York', hint: 'GMT-04:00' });
  });

  it('keeps a zone that is set though this browser does not know it', () => {
    expect(find('Mars/Olympus')).toEqual({ value: 'Mars/Olympus', label: 'Mars/Olympus', hint: undefined });
  });

  it('offers UTC', () => expect(find('UTC')?.hint).toMatch(/^GMT/));
});
