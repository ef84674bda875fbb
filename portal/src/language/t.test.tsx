import { renderToStaticMarkup } from 'react-dom/server';
import { afterEach, expect, it } from 'vitest';
import { dateTexts } from '../format/dates.ts';
import { setLanguage, t } from './t.ts';

afterEach(() => setLanguage('en-US', {}));

const lots = (count: number) => t`Delete ${count} of ${'L-1'}`;

it('t: joins the English template and its values', () => {
  expect(lots(3)).toBe('Delete 3 of L-1');
  expect(t`Nothing found`).toBe('Nothing found');
  expect(t`${'{0}'} and ${'{1}'}`).toBe('{0} and {1}');
});

it('t: uses the template of another language, with its word order', () => {
  setLanguage('de', { 'Delete {0} of {1}': 'Von {1} {0} löschen' });
  expect(lots(3)).toBe('Von L-1 3 löschen');
});

it('t: lets a function of the values choose the text', () => {
  setLanguage('de', { 'Delete {0} of {1}': (count) => (count === 1 ? 'Eine von {1} löschen' : '{0} von {1} löschen') });
  expect([lots(1), lots(2)]).toEqual(['Eine von L-1 löschen', '2 von L-1 löschen']);
});

it('t: places elements', () => {
  setLanguage('de', { 'Reference: {0}, {1}': '{1}, Referenz: {0}' });
  expect(renderToStaticMarkup(<p>{t`Reference: ${<b>R-1</b>}, ${false} ${null}`}</p>)).toBe(
    '<p>Reference: <b>R-1</b>,  </p>',
  );
  expect(renderToStaticMarkup(<p>{t`Reference: ${<b>R-1</b>}, ${7}`}</p>)).toBe('<p>7, Referenz: <b>R-1</b></p>');
});

it('setLanguage: names of months follow the language of the texts', () => {
  setLanguage('de', {});
  expect(dateTexts('UTC', 'de').day('2026-05-04T12:00:00Z')).toBe('04 Mai 2026');
});
