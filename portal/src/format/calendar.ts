import { textLocale } from '../language/t.ts';
import { conventions, firstWeekday, type Weekday } from './conventions.ts';
import { dateOrderOf } from './dates.ts';

const dayMs = 86_400_000;
const utc = (day: string): Date => new Date(`${day}T00:00:00Z`);
const dayText = (date: Date): string => date.toISOString().slice(0, 10);

/** Days of the calendar have no time zone. */
export const addDays = (day: string, days: number): string => dayText(new Date(utc(day).getTime() + days * dayMs));

/** The same day of another month, or its last day. */
export const addMonths = (day: string, months: number): string => {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  const last = new Date(Date.UTC(year, month + months, 0)).getUTCDate();
  return dayText(new Date(Date.UTC(year, month - 1 + months, Math.min(date, last))));
};

/** The first day of its week. */
export const weekStart = (day: string, first: Weekday = firstWeekday()): string =>
  addDays(day, -((utc(day).getUTCDay() - first + 7) % 7));

/** Six weeks that show the month of a day, from the first day of the week in the person's region. */
export const weeksOfMonth = (day: string, first: Weekday = firstWeekday()): string[][] => {
  const start = weekStart(`${day.slice(0, 7)}-01`, first);
  return Array.from({ length: 6 }, (_, week) =>
    Array.from({ length: 7 }, (__, place) => addDays(start, week * 7 + place)),
  );
};

/** `Mon`, `Tue`, … in the order of the region, each with its long name. */
export const weekdayNames = (first: Weekday = firstWeekday()): { short: string; long: string }[] => {
  const name = (width: 'short' | 'long', place: number) =>
    new Intl.DateTimeFormat(textLocale(), { weekday: width, timeZone: 'UTC' }).format(
      // 1 January 2023 was a Sunday.
      utc(addDays('2023-01-01', first + place)),
    );
  return Array.from({ length: 7 }, (_, place) => ({ short: name('short', place), long: name('long', place) }));
};

/** `dd.mm.yyyy`: the expected format of a field for a day. */
export const dayPattern = (region: string = conventions().region): string => {
  const { order, separator } = dateOrderOf(region);
  return order.map((part) => ({ year: 'yyyy', month: 'mm', day: 'dd' })[part]).join(separator);
};

/** The same day as the api names it. */
export const weekStartName = (first: Weekday = firstWeekday()): 'monday' | 'sunday' | 'saturday' =>
  first === 0 ? 'sunday' : first === 6 ? 'saturday' : 'monday';
