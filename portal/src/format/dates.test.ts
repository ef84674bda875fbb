import { describe, expect, it } from 'vitest';
import { dateTexts } from './dates.ts';

describe('dates in the roastery time zone', () => {
  const berlin = dateTexts('Europe/Berlin', 'en-US');

  it('writes the three formats of the product document [P91 P213]', () => {
    expect(berlin.day('2026-03-04T06:05:00.000Z')).toBe('Mar 04, 2026');
    expect(berlin.time('2026-03-04T06:05:00.000Z')).toBe('07:05 AM');
    expect(berlin.dayAndTime('2026-03-04T06:05:00.000Z')).toBe('03/04/2026 - 07:05 AM');
  });

  it('uses the roastery’s day, not that of UTC', () => {
    expect(berlin.dayAndTime('2026-12-31T23:30:00.000Z')).toBe('01/01/2027 - 12:30 AM');
    expect(dateTexts('America/Bogota', 'en-US').day('2026-03-04T03:00:00.000Z')).toBe('Mar 03, 2026');
  });

  it.each([
    ['en-US', 'Mar 04, 2026', 'Mar 04', 'Mar 2026', '04:05:09 PM', '03/04/2026 - 04:05 PM'],
    ['en-GB', '04 Mar 2026', '04 Mar', 'Mar 2026', '16:05:09', '04/03/2026 - 16:05'],
    ['de', '04 Mar 2026', '04 Mar', 'Mar 2026', '16:05:09', '04.03.2026 - 16:05'],
    ['fi', '04 Mar 2026', '04 Mar', 'Mar 2026', '16:05:09', '04.03.2026 - 16:05'],
    ['pt-BR', '04 Mar 2026', '04 Mar', 'Mar 2026', '16:05:09', '04/03/2026 - 16:05'],
    ['ja', '2026 Mar 04', 'Mar 04', '2026 Mar', '16:05:09', '2026/03/04 - 16:05'],
    ['sv', '2026 Mar 04', 'Mar 04', '2026 Mar', '16:05:09', '2026-03-04 - 16:05'],
    ['ar-EG', '04 Mar 2026', '04 Mar', 'Mar 2026', '04:05:09 PM', '04/03/2026 - 04:05 PM'],
  ])('writes English words in the order and on the clock of %s', (region, ...texts) => {
    const dates = dateTexts('UTC', region);
    const moment = '2026-03-04T16:05:09.000Z';
    const { day, dayOfYear, month, second, dayAndTime } = dates;
    expect([day, dayOfYear, month, second, dayAndTime].map((text) => text(moment))).toEqual(texts);
  });

  it('does not throw for an unknown zone, language or time', () => {
    const odd = dateTexts('Mars/Olympus', 'no such language');
    expect(odd.time('2026-03-04T06:05:00.000Z')).toBe('06:05 AM');
    expect(odd.day('yesterday')).toBe('--');
  });

  it.each([
    [2, 'just now'],
    [-30, 'just now'],
    [12, '12 s ago'],
    [59 * 60 + 59, '59 min ago'],
    [3600, '1 h ago'],
    [3 * 86_400, '3 d ago'],
    [8 * 86_400, 'Mar 04, 2026'],
  ])('%d seconds later it was %s', (seconds, text) => {
    const moment = Date.parse('2026-03-04T06:05:00.000Z');
    expect(berlin.ago(moment, moment + seconds * 1000)).toBe(text);
  });
});
