import { dateOrderOf } from './dates.ts';
import { conventions } from './conventions.ts';
import { isGivenDay } from './zoned-time.ts';

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/**
 * A typed day, as `2026-11-21`; undefined when invalid. The region decides the order of figures; `2026-11-21` and `21
 * Nov 2026` are unambiguous and accepted everywhere. A two-digit year is in this century.
 */
export const readDay = (typed: string, region: string = conventions().region): string | undefined => {
  const pieces = typed.toLowerCase().match(/\d+|[a-z]+/g) ?? [];
  if (pieces.length !== 3) return undefined;
  const month = pieces.findIndex((piece) => /^[a-z]/.test(piece));
  const read = month === -1 ? inFigures(pieces, dateOrderOf(region).order) : inWords(pieces, month);
  if (read === undefined) return undefined;
  const [year = '', monthText = '', day = ''] = read;
  if (![2, 4].includes(year.length) || monthText.length > 2 || day.length > 2) return undefined;
  const written = `${year.padStart(4, '20')}-${monthText.padStart(2, '0')}-${day.padStart(2, '0')}`;
  return isGivenDay(written) ? written : undefined;
};

type Part = 'year' | 'month' | 'day';

/** Year, month and day of three figures. */
const inFigures = (pieces: readonly string[], order: readonly Part[]): string[] | undefined => {
  const years = pieces.findIndex(({ length }) => length === 4);
  if (years === 0) return [...pieces];
  const at = (part: Part) => pieces[order.indexOf(part)] ?? '';
  // `21.11.2026` where the year stands first: day and month could be either.
  if (years !== -1 && years !== order.indexOf('year')) return undefined;
  return [at('year'), at('month'), at('day')];
};

/** `21 Nov 2026`, `Nov 21, 2026`, `2026 Nov 21`. */
const inWords = (pieces: readonly string[], place: number): string[] | undefined => {
  const month = months.indexOf((pieces[place] ?? '').slice(0, 3)) + 1;
  const [first = '', second = ''] = pieces.filter((_, index) => index !== place);
  if (month === 0 || !/^\d+$/.test(first) || !/^\d+$/.test(second)) return undefined;
  return first.length === 4 ? [first, String(month), second] : [second, String(month), first];
};

/** A typed time of day, as `07:46` or `07:46:09`; undefined when invalid. Both clocks are accepted everywhere. */
export const readClock = (typed: string): string | undefined => {
  const match = /^(\d{1,2})(?:[:.h](\d{2}))?(?:[:.](\d{2}))?\s*(?:([ap])\.?\s?m\.?)?$/i.exec(typed.trim());
  if (!match) return undefined;
  const [, hourText = '', minute, second, half] = match;
  if (minute === undefined && half === undefined) return undefined;
  const hour = Number(hourText);
  if (half !== undefined && (hour < 1 || hour > 12)) return undefined;
  const hour24 = half === undefined ? hour : (hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
  if (hour24 > 23 || Number(minute ?? 0) > 59 || Number(second ?? 0) > 59) return undefined;
  const written = `${String(hour24).padStart(2, '0')}:${minute ?? '00'}`;
  return second === undefined ? written : `${written}:${second}`;
};

/** A day and a time as typed, as `2026-11-21T07:46`; undefined when invalid. */
export const readDayAndTime = (typed: string, region: string = conventions().region): string | undefined => {
  const text = typed.trim();
  // The time is the last part with a colon, with its AM or PM; `2026-11-21T07:46` is accepted too.
  const match = /^(.*?)(?:\s*-\s*|[\sT]+|,\s*)(\d{1,2}[:.h]\d{2}(?:[:.]\d{2})?\s*(?:[ap]\.?\s?m\.?)?)$/i.exec(text);
  const [, dayText = '', timeText = ''] = match ?? [];
  const day = readDay(dayText, region);
  const time = readClock(timeText);
  return day === undefined || time === undefined ? undefined : `${day}T${time}`;
};
