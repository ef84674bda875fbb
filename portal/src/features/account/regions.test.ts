import { expect, it } from 'vitest';
import { regionChoices } from './regions.ts';

const now = Date.parse('2026-05-04T14:05:00Z');

it('regionChoices: shows each region with a date in its format', () => {
  const choices = regionChoices('de', now);
  expect(choices.find(({ value }) => value === 'en-US')).toMatchObject({
    label: 'United States',
    hint: '05/04/2026 - 02:05 PM',
  });
  expect(choices.filter(({ label }) => label === 'Germany')).toEqual([
    { value: 'de', label: 'Germany', hint: '04.05.2026 - 14:05' },
  ]);
});

it('regionChoices: always contains the current region, once', () => {
  const labels = regionChoices('de-DE', now).map(({ value, label }) => [value, label]);
  expect(labels.filter(([, label]) => label === 'Germany')).toEqual([['de-DE', 'Germany']]);
  expect(regionChoices('is', now).find(({ value }) => value === 'is')).toMatchObject({ label: 'Iceland' });
});
