import { describe, expect, it } from 'vitest';
import { dateTexts } from './dates.ts';

describe('dates in the roastery time zone', () => {
  const berlin = dateTexts('Europe/Berlin', 'en-US');

  it('writes the three formats of the product document', () => {
    expect(berlin.day('2026-03-04T06:05:00.000Z')).toBe('Mar 04, 2026');
    expect(berlin.time('2026-03-04T06:05:00.000Z')).toBe('07:05 AM');
    expect(berlin.dayAndTime('2026-03-04T06:05:00.000Z')).toBe('03/04/2026 - 07:05 AM');
  });

  it('takes the day from the roastery, not from UTC', () => {
    expect(berlin.dayAndTime('2026-12-31T23:30:00.000Z')).toBe('01/01/2027 - 12:30 AM');
    expect(dateTexts('America/Bogota', 'en-US').day('2026-03-04T03:00:00.000Z')).toBe('Mar 03, 2026');
  });

  it('names months in the chosen language', () => {
    expect(dateTexts('UTC', 'de-DE').day('2026-03-04T06:05:00.000Z')).toBe('März 04, 2026');
  });

  it('keeps a page alive with a zone, language or moment it does not know', () => {
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
