import type { SheetMoment } from '../../sheets/write-workbook.ts';

const spreadsheetZero = Date.UTC(1899, 11, 30);

/** A moment as the roastery's clock showed it, for a spreadsheet, which knows no time zones. */
export const sheetMoments = (timeZone: string): ((instant: string) => SheetMoment) => {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
    numberingSystem: 'latn',
    calendar: 'gregory',
  });
  return (instant) => {
    const parts = new Map(format.formatToParts(new Date(instant)).map(({ type, value }) => [type, Number(value)]));
    const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
    const local = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
    return { days: (local - spreadsheetZero) / 86_400_000 };
  };
};
