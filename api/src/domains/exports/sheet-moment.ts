import { localClock } from '../../format/format.ts';
import type { SheetMoment } from '../../sheets/write-workbook.ts';

const spreadsheetZero = Date.UTC(1899, 11, 30);

/** A moment as the roastery's clock showed it, for a spreadsheet, which knows no time zones. */
export const sheetMoments = (timeZone: string): ((instant: string) => SheetMoment) => {
  const clock = localClock(timeZone);
  return (instant) => ({ days: (clock(instant) - spreadsheetZero) / 86_400_000 });
};
