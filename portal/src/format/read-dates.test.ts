import { describe, expect, it } from 'vitest';
import { offeredRegions } from '../features/account/regions.ts';
import { addMonths, weekdayNames, weeksOfMonth, weekStart } from './calendar.ts';
import { firstWeekday } from './conventions.ts';
import { dateTexts } from './dates.ts';
import { readClock, readDay, readDayAndTime } from './read-dates.ts';

const days = ['2026-11-21', '2026-01-02', '1999-12-31', '2024-02-29', '2100-10-10'];
const times = ['00:00', '00:30', '07:46', '11:59', '12:00', '12:01', '23:59', '17:05:09'];

describe.each(offeredRegions)('dates in the region %s', (region) => {
  const texts = dateTexts('UTC', region);

  it('are read as formatted', () => {
    for (const day of days) {
      expect(readDay(texts.figures(day), region), texts.figures(day)).toBe(day);
      expect(readDay(texts.day(`${day}T12:00:00Z`), region), texts.day(`${day}T12:00:00Z`)).toBe(day);
      for (const time of times) {
        const written = `${texts.figures(day)} ${texts.clock(time)}`;
        expect(readClock(texts.clock(time)), texts.clock(time)).toBe(time);
        expect(readDayAndTime(written, region), written).toBe(`${day}T${time}`);
      }
      const both = texts.dayAndTime(`${day}T17:05:00Z`);
      expect(readDayAndTime(both, region), both).toBe(`${day}T17:05`);
    }
  });

  it('have a name of the month, and figures of day and year', () => {
    const written = texts.day('2026-11-22T12:00:00Z');
    expect(written.match(/\d+|[A-Z][a-z]+/g)?.toSorted(), written).toEqual(['2026', '22', 'Nov']);
  });
});

it.each([
  ['en-US', '11/2/2026', '2026-11-02'],
  ['en-US', '11-2-26', '2026-11-02'],
  ['de', '2.11.2026', '2026-11-02'],
  ['de', '2.11.26', '2026-11-02'],
  ['de', '2026-11-02', '2026-11-02'],
  ['ja', '2026/11/2', '2026-11-02'],
  ['fi', '22.11.2026', '2026-11-22'],
  ['en-US', '22 Nov 2026', '2026-11-22'],
])('readDay: in %s %j is %s', (region, typed, day) => {
  expect(readDay(typed, region)).toBe(day);
});

it.each([
  ['en-US', '13/1/2026'],
  ['de', '31.2.2026'],
  ['ja', '2.11.2026'],
  ['de', '2.11.'],
  ['de', '2.11.202'],
  ['en-US', 'yesterday'],
])('readDay: in %s %j is no day', (region, typed) => {
  expect(readDay(typed, region)).toBeUndefined();
});

it.each([
  ['8:40', '08:40'],
  ['8.40', '08:40'],
  ['8:40 pm', '20:40'],
  ['12 am', '00:00'],
  ['20:40:07', '20:40:07'],
])('readClock: %j is %s', (typed, time) => {
  expect(readClock(typed)).toBe(time);
});

it.each(['24:00', '8', '13 pm', '8:75', ''])('readClock: %j is no time', (typed) => {
  expect(readClock(typed)).toBeUndefined();
});

it('readDayAndTime: reads the value of a browser’s date and time field', () => {
  expect(readDayAndTime('2026-11-20T08:40', 'de')).toBe('2026-11-20T08:40');
});

describe('weeks', () => {
  it('begin as in the region', () => {
    expect(['en-US', 'de', 'ja', 'pt-BR', 'fi', 'ar-EG', 'en-GB', 'tr'].map(firstWeekday)).toEqual([
      0, 1, 0, 0, 1, 6, 1, 1,
    ]);
    expect(weekStart('2026-11-22', 0)).toBe('2026-11-22');
    expect(weekStart('2026-11-22', 1)).toBe('2026-11-16');
    expect(weekStart('2026-11-22', 6)).toBe('2026-11-21');
    expect(weekdayNames(1).map(({ short }) => short)).toEqual(['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']);
  });

  it('show every day of a month', () => {
    const weeks = weeksOfMonth('2026-11-22', 1);
    expect([weeks[0]?.[0], weeks.at(-1)?.at(-1), weeks.length]).toEqual(['2026-10-26', '2026-12-06', 6]);
    expect(addMonths('2026-01-31', 1)).toBe('2026-02-28');
    expect(addMonths('2026-01-15', -1)).toBe('2025-12-15');
  });
});
