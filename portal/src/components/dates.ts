/** Texts of moments, in the roastery's time zone. All take ISO 8601 or epoch milliseconds. */
export interface DateTexts {
  /** `MMM dd, yyyy`: Nov 21, 2026 */
  day: (moment: string | number) => string;
  /** `hh:mm a`: 07:46 AM */
  time: (moment: string | number) => string;
  /** `hh:mm:ss a`: 07:46:09 AM */
  second: (moment: string | number) => string;
  /** `MM/dd/yyyy - hh:mm a`: 11/21/2026 - 07:46 AM */
  dayAndTime: (moment: string | number) => string;
  /** `12 s ago`, `3 min ago`, `2 h ago`, `5 d ago`, then the day. */
  ago: (moment: string | number, now?: number) => string;
}

type Part = 'year' | 'month' | 'day' | 'hour' | 'minute' | 'second' | 'dayPeriod';
const missing = '--';

/**
 * Formatters for one time zone (IANA name) and one language for names of months (BCP 47 tag).
 * An unknown zone or language falls back to UTC and English rather than break a page.
 */
export const dateTexts = (timeZone: string, language: string): DateTexts => {
  const options = {
    timeZone: knownZone(timeZone),
    hour12: true,
    numberingSystem: 'latn',
    calendar: 'gregory',
  } as const;
  const words = new Intl.DateTimeFormat(knownLanguage(language), {
    ...options,
    year: 'numeric',
    month: 'short',
    day: '2-digit',
  });
  const figures = new Intl.DateTimeFormat('en-US', {
    ...options,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
  const day = (moment: string | number) => {
    const of = inParts(words, moment);
    return of ? `${of('month')} ${of('day')}, ${of('year')}` : missing;
  };
  return {
    day,
    time: (moment) => {
      const of = inParts(figures, moment);
      return of ? `${of('hour')}:${of('minute')} ${of('dayPeriod')}` : missing;
    },
    second: (moment) => {
      const of = inParts(figures, moment);
      return of ? `${of('hour')}:${of('minute')}:${of('second')} ${of('dayPeriod')}` : missing;
    },
    dayAndTime: (moment) => {
      const of = inParts(figures, moment);
      return of
        ? `${of('month')}/${of('day')}/${of('year')} - ${of('hour')}:${of('minute')} ${of('dayPeriod')}`
        : missing;
    },
    ago: (moment, now = Date.now()) => {
      const seconds = Math.floor((now - new Date(moment).getTime()) / 1000);
      return Number.isNaN(seconds) ? missing : (agoOf(seconds) ?? day(moment));
    },
  };
};

/** Parts of a moment in one format; undefined when it is no moment at all. */
const inParts = (format: Intl.DateTimeFormat, moment: string | number): ((part: Part) => string) | undefined => {
  const date = new Date(moment);
  if (Number.isNaN(date.getTime())) return undefined;
  const parts = format.formatToParts(date);
  return (part) => parts.find(({ type }) => type === part)?.value ?? '';
};

/** A clock of the server may run a little ahead of the browser's: the future is now. */
const agoOf = (seconds: number): string | undefined => {
  if (seconds < 5) return 'just now';
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ago`;
  if (seconds < 7 * 86_400) return `${Math.floor(seconds / 86_400)} d ago`;
  return undefined;
};

const knownZone = (timeZone: string): string => {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone }).resolvedOptions().timeZone;
  } catch (error) {
    if (error instanceof RangeError) return 'UTC';
    throw error;
  }
};

const knownLanguage = (language: string): string => {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(language)[0] ?? 'en-US';
  } catch (error) {
    if (error instanceof RangeError) return 'en-US';
    throw error;
  }
};
