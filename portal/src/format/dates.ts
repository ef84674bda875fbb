import { t, textLocale } from '../language/t.ts';
import { knownRegion, territoryOf } from './conventions.ts';

/** Texts of times, in the roastery's time zone. All take ISO 8601 or epoch milliseconds. */
export interface DateTexts {
  /** `MMM dd, yyyy`: Nov 21, 2026; elsewhere 21 Nov 2026 or 2026 Nov 21 */
  day: (moment: string | number) => string;
  /** `MMM dd`: Nov 21, 21 Nov */
  dayOfYear: (moment: string | number) => string;
  /** `MMM yyyy`: Nov 2026, 2026 Nov */
  month: (moment: string | number) => string;
  /** `MMM`: Nov */
  monthName: (moment: string | number) => string;
  /** `hh:mm a`: 07:46 AM; elsewhere 07:46 */
  time: (moment: string | number) => string;
  /** `hh:mm:ss a`: 07:46:09 AM */
  second: (moment: string | number) => string;
  /** `MM/dd/yyyy - hh:mm a`: 11/21/2026 - 07:46 AM; elsewhere 21.11.2026 - 07:46 */
  dayAndTime: (moment: string | number) => string;
  /** `MM/dd/yyyy`, for a day of the calendar without a zone: 11/21/2026; elsewhere 21.11.2026 */
  figures: (day: string) => string;
  /** A time of day as it is typed: `07:46 AM`; elsewhere 07:46. Takes `07:46` or `07:46:09`. */
  clock: (time: string) => string;
  /** `12 s ago`, `3 min ago`, `2 h ago`, `5 d ago`, then the day. */
  ago: (moment: string | number, now?: number) => string;
}

type Part = 'year' | 'month' | 'day' | 'hour' | 'minute' | 'second' | 'dayPeriod';
type PartOf = (part: Part) => string;
const missing = '--';

/** How a region writes a date in figures and a time of day. */
interface DateOrder {
  readonly order: readonly ('year' | 'month' | 'day')[];
  readonly separator: string;
  readonly hour12: boolean;
}

const figures = {
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  numberingSystem: 'latn',
  calendar: 'gregory',
} as const;

export const dateOrderOf = (region: string): DateOrder => {
  const format = new Intl.DateTimeFormat(knownRegion(region), figures);
  const parts = format.formatToParts(0);
  const order = parts.map(({ type }) => type).filter((type) => type === 'year' || type === 'month' || type === 'day');
  const first = parts.findIndex(({ type }) => type === order[0]);
  return {
    order,
    separator: (parts[first + 1]?.value ?? '/').replace(/[\u200e\u200f]/g, ''),
    hour12: format.resolvedOptions().hour12 === true,
  };
};

/**
 * Formatters for one time zone (IANA name) and one region (BCP 47 tag). Words are those of the portal's language; the
 * region decides the order of day, month and year, the separators, and a 12- or 24-hour clock. An unknown zone or
 * region falls back to UTC and the default rather than break a page.
 */
export const dateTexts = (timeZone: string, region: string): DateTexts => {
  const key = [textLocale(), timeZone, region].join(' ');
  const known = made.get(key) ?? makeDateTexts(timeZone, region);
  made.set(key, known);
  return known;
};

/** Every part of a page with a date requests them, and the browser takes a while for each. */
const made = new Map<string, DateTexts>();

const makeDateTexts = (timeZone: string, region: string): DateTexts => {
  const { order, separator, hour12 } = dateOrderOf(region);
  const shared = { timeZone: knownZone(timeZone), calendar: 'gregory', numberingSystem: 'latn' } as const;
  const words = new Intl.DateTimeFormat(textLocale(), { ...shared, year: 'numeric', month: 'short', day: '2-digit' });
  const clock = new Intl.DateTimeFormat(textLocale(), { ...figures, ...shared, hourCycle: hour12 ? 'h12' : 'h23' });
  const inWords = writer(words);
  const inFigures = writer(clock);
  const ordered = (of: PartOf, ...wanted: Part[]) => order.filter((part) => wanted.includes(part)).map(of);
  const time = (of: PartOf, ...wanted: Part[]) => wanted.map(of).join(':') + (hour12 ? ` ${of('dayPeriod')}` : '');
  const day = inWords((of) => {
    const written = ordered(of, 'year', 'month', 'day').join(' ');
    // The document's own format separates the year with a comma.
    return order[0] === 'month' ? `${of('month')} ${of('day')}, ${of('year')}` : written;
  });
  return {
    day,
    dayOfYear: inWords((of) => ordered(of, 'month', 'day').join(' ')),
    month: inWords((of) => ordered(of, 'year', 'month').join(' ')),
    monthName: inWords((of) => of('month')),
    time: inFigures((of) => time(of, 'hour', 'minute')),
    second: inFigures((of) => time(of, 'hour', 'minute', 'second')),
    dayAndTime: inFigures(
      (of) => `${ordered(of, 'year', 'month', 'day').join(separator)} - ${time(of, 'hour', 'minute')}`,
    ),
    figures: (day) => {
      const [year = '', month = '', dayOfMonth = ''] = day.split('-');
      const of = { year, month, day: dayOfMonth };
      return order.map((part) => of[part]).join(separator);
    },
    clock: (clockTime) => {
      if (!hour12) return clockTime;
      const [hour = '', ...rest] = clockTime.split(':');
      const hour24 = Number(hour);
      const written = String(hour24 % 12 === 0 ? 12 : hour24 % 12).padStart(2, '0');
      return `${[written, ...rest].join(':')} ${hour24 < 12 ? 'AM' : 'PM'}`;
    },
    ago: (moment, now = Date.now()) => {
      const seconds = Math.floor((now - new Date(moment).getTime()) / 1000);
      return Number.isNaN(seconds) ? missing : (agoOf(seconds) ?? day(moment));
    },
  };
};

/** Creates formatters of the parts of a time; `--` for an invalid one. */
const writer =
  (format: Intl.DateTimeFormat) =>
  (write: (of: PartOf) => string) =>
  (moment: string | number): string => {
    const date = new Date(moment);
    if (Number.isNaN(date.getTime())) return missing;
    const parts = format.formatToParts(date);
    return write((part) => parts.find(({ type }) => type === part)?.value ?? '');
  };

/** A clock of the server may be slightly ahead of the browser's: the future is shown as now. */
const agoOf = (seconds: number): string | undefined => {
  if (seconds < 5) return t`just now`;
  if (seconds < 60) return t`${seconds} s ago`;
  if (seconds < 3600) return t`${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86_400) return t`${Math.floor(seconds / 3600)} h ago`;
  if (seconds < 7 * 86_400) return t`${Math.floor(seconds / 86_400)} d ago`;
  return undefined;
};

/** `Germany` of `de`: the region of a BCP 47 tag, or the most likely one of a language. */
export const regionName = (tag: string): string =>
  new Intl.DisplayNames(textLocale(), { type: 'region' }).of(territoryOf(tag)) ?? tag;

const knownZone = (timeZone: string): string => {
  try {
    return new Intl.DateTimeFormat(textLocale(), { timeZone }).resolvedOptions().timeZone;
  } catch (error) {
    if (error instanceof RangeError) return 'UTC';
    throw error;
  }
};
