import { expect, it } from 'vitest';
import { periodTexts } from './period-texts.ts';

const texts = periodTexts('en-US');

it.each([
  ['2026-11-16', '2026-11-21', 'Nov 16 – Nov 21, 2026'],
  ['2026-12-28', '2027-01-03', 'Dec 28, 2026 – Jan 03, 2027'],
  ['2026-11-21', '2026-11-21', 'Nov 21, 2026'],
  ['2026-02-01', '2026-02-28', 'Feb 2026'],
  ['2024-02-01', '2024-02-28', 'Feb 01 – Feb 28, 2024'],
])('%s to %s is %s', (from, to, words) => expect(texts.range({ from, to })).toBe(words));

it('has short labels for columns', () => {
  expect(texts.label({ from: '2026-11-16', to: '2026-11-22' }, 'week', 13)).toBe('Nov 16');
  expect(texts.label({ from: '2026-11-01', to: '2026-11-30' }, 'month', 12)).toBe('Nov');
  expect(texts.label({ from: '2027-01-01', to: '2027-01-31' }, 'month', 12)).toBe('2027');
  expect(texts.label({ from: '2027-01-01', to: '2027-01-31' }, 'month', 36)).toBe('Jan 27');
  expect(periodTexts('de').label({ from: '2026-05-04', to: '2026-05-10' }, 'week', 12)).toBe('04 May');
});
