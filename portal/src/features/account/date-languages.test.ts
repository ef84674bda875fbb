import { expect, it } from 'vitest';
import { languageChoices } from './date-languages.ts';

it('names each language in its own words, with a date in it', () => {
  const choices = languageChoices('de', Date.parse('2026-05-04T12:00:00Z'));
  expect(choices.find(({ value }) => value === 'en-US')).toMatchObject({ hint: 'May 04, 2026' });
  expect(choices.find(({ value }) => value === 'de')).toEqual({ value: 'de', label: 'Deutsch', hint: 'Mai 04, 2026' });
  expect(choices.filter(({ value }) => value === 'de')).toHaveLength(1);
  expect(languageChoices('is', 0)[0]?.value).toBe('is');
});
