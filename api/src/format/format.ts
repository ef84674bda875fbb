/**
 * Numbers and dates in texts of the api for people: files, mails and error messages. One language and the formats of
 * the product document for every reader, because the region of a file's or mail's reader is unknown.
 */
const locale = 'en-US';
/** The default region of dates. */
export const defaultRegion = locale;

const numbers = new Intl.NumberFormat(locale, { maximumFractionDigits: 3 });
const oneDecimal = new Intl.NumberFormat(locale, {
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
  useGrouping: false,
});

/** `19,200` */
export const formatCount = (count: number): string => numbers.format(count);

/** `10.2 kg`, to the gram. */
export const formatKilograms = (kg: number): string => `${Number(kg.toFixed(3))} kg`;

/** `204.5` */
export const formatDecimal = (value: number): string => oneDecimal.format(value);

/** The decimal digits of a number before and after its point, at most 15 of them: 6.125 is 6 and 125. */
export const decimalsOf = (value: number): { whole: string; fraction: string } => {
  const places = Array.from({ length: 16 }, (_, count) => count);
  // The first of these texts that parses to the same number is the shortest.
  const text = value.toFixed(places.find((count) => Number(value.toFixed(count)) === value) ?? 15);
  const [whole = '0', fraction = ''] = text.split('.');
  return { whole, fraction };
};

/** 0.1834 → `18.3%` */
export const formatPercent = (share: number): string => `${formatDecimal(share * 100)}%`;

/** A formatter of numbers for a region; an unknown one falls back to the default. */
export const formatWith = (region: string, options: Intl.NumberFormatOptions): ((value: number) => string) => {
  const format = new Intl.NumberFormat(knownRegion(region), { numberingSystem: 'latn', ...options });
  return (value) => format.format(value);
};

const knownRegion = (region: string): string => {
  try {
    return Intl.NumberFormat.supportedLocalesOf(region)[0] ?? defaultRegion;
  } catch (error) {
    if (error instanceof RangeError) return defaultRegion;
    throw error;
  }
};

/** `November 21, 2026 at 7:46 AM` on the clock of a time zone; elsewhere `21 November 2026 at 07:46`, `2026 November 21 at 07:46`. */
export const formatMoment = (instant: string, timeZone: string, region: string = defaultRegion): string => {
  const date = new Date(instant);
  const own = new Intl.DateTimeFormat(knownRegion(region), {
    timeZone,
    dateStyle: 'short',
    timeStyle: 'short',
    numberingSystem: 'latn',
    calendar: 'gregory',
  });
  const first = own.formatToParts(date).find(({ type }) => type === 'year' || type === 'month' || type === 'day')?.type;
  const hourCycle = own.resolvedOptions().hour12 === true ? 'h12' : 'h23';
  if (first === 'month' && hourCycle === 'h12') {
    return new Intl.DateTimeFormat(locale, { timeZone, dateStyle: 'long', timeStyle: 'short' }).format(date);
  }
  const words = new Intl.DateTimeFormat(locale, { timeZone, year: 'numeric', month: 'long', day: 'numeric' });
  const parts = new Map(words.formatToParts(date).map(({ type, value }) => [type, value]));
  const order = first === 'year' ? (['year', 'month', 'day'] as const) : (['day', 'month', 'year'] as const);
  const time = new Intl.DateTimeFormat(locale, { timeZone, hour: '2-digit', minute: '2-digit', hourCycle }).format(
    date,
  );
  return `${order.map((part) => parts.get(part)).join(' ')} at ${time}`;
};

const inWords = (day: string, region: string, options: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat(/^en\b/.test(region) ? knownRegion(region) : locale, { timeZone: 'UTC', ...options }).format(
    Date.parse(`${day}T12:00:00Z`),
  );

/** Calendar days, both included: `Nov 1 – Nov 12, 2026`; a whole month as `October 2026`. English, as files are. */
export const formatDays = ({ from, to }: { from: string; to: string }, region: string = defaultRegion): string => {
  const isMonth = from.endsWith('-01') && new Date(Date.parse(`${to}T12:00:00Z`) + 86_400_000).getUTCDate() === 1;
  if (isMonth && from.slice(0, 7) === to.slice(0, 7)) return inWords(from, region, { month: 'long', year: 'numeric' });
  const day = { day: 'numeric', month: 'short', year: 'numeric' } as const;
  if (from === to) return inWords(from, region, day);
  const first = from.slice(0, 4) === to.slice(0, 4) ? ({ day: 'numeric', month: 'short' } as const) : day;
  return `${inWords(from, region, first)} – ${inWords(to, region, day)}`;
};

/** A time as the clock of a time zone shows it, treated as UTC, in ms. */
export const localClock = (timeZone: string): ((instant: string | Date) => number) => {
  const format = new Intl.DateTimeFormat(locale, {
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
    return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
  };
};

/** The calendar day of a time in a time zone: `2026-11-21`. */
export const localDay = (timeZone: string, instant: string | Date = new Date()): string =>
  new Date(localClock(timeZone)(instant)).toISOString().slice(0, 10);

/** The IANA name of the server's own time zone. */
export const serverTimeZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;

export const isTimeZone = (name: string): boolean => {
  try {
    return new Intl.DateTimeFormat(locale, { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
};
