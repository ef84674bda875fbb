import { describe, expect, it } from 'vitest';
import { type FileMoment, momentIn, momentInCell } from './moments.ts';

const shown = (moment: FileMoment | null) => (moment === null ? null : new Date(moment.ms).toISOString().slice(0, 19));

describe('moment of a file', () => {
  it.each([
    ['6/14/2022 1:10:29 PM', 'mdy', '2022-06-14T13:10:29'],
    ['14/06/2022 13:10:29', 'mdy', '2022-06-14T13:10:29'],
    ['14.6.2022 13:10', 'mdy', '2022-06-14T13:10:00'],
    ['2022-06-14T13:10:29', 'mdy', '2022-06-14T13:10:29'],
    ['2022/06/14 12:05:00 AM', 'dmy', '2022-06-14T00:05:00'],
    ['20/12/2022 16:08:39 UTC', 'dmy', '2022-12-20T16:08:39'],
    ['8/22/2026', 'dmy', '2026-08-22T00:00:00'],
    ['3/4/2025', 'dmy', '2025-04-03T00:00:00'],
    ['3/4/2025', 'mdy', '2025-03-04T00:00:00'],
    ['25-05-15 20:31:48', 'ymd', '2025-05-15T20:31:48'],
    ['31/02/2025', 'dmy', null],
    ['14/06/2022 25:10:29', 'dmy', null],
    ['Guji 12', 'dmy', null],
  ] as const)('reads %s, usually %s, as %s', (text, usual, expected) => {
    expect(shown(momentIn(text, usual))).toBe(expected);
  });

  it('is a date of a workbook, or the days that it counts, to the second', () => {
    expect(shown(momentInCell(new Date('2025-10-16T19:33:47.999Z'), 'dmy'))).toBe('2025-10-16T19:33:48');
    expect(shown(momentInCell(45_946.815_138_888_9, 'dmy'))).toBe('2025-10-16T19:33:48');
    expect(momentInCell(7, 'dmy')).toBeNull();
  });
});
