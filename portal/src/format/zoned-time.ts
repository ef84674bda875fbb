import { textLocale } from '../language/t.ts';

/** `2026-11-21T08:40`, in the form of a `datetime-local` field: a time on the clock of a time zone. */
export const localTimeOf = (instant: string | number, timeZone: string): string => {
  const parts = new Map(
    new Intl.DateTimeFormat(textLocale(), {
      timeZone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
      numberingSystem: 'latn',
      calendar: 'gregory',
    })
      .formatToParts(new Date(instant))
      .map(({ type, value }) => [type, value]),
  );
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? '';
  return `${part('year').padStart(4, '0')}-${part('month')}-${part('day')}T${part('hour')}:${part('minute')}`;
};

/** The day of it: `2026-11-21`. */
export const localDayOf = (instant: string | number, timeZone: string): string =>
  localTimeOf(instant, timeZone).slice(0, 10);

/** Today in the roastery's time zone. */
export const todayIn = (timeZone: string): string => localDayOf(Date.now(), timeZone);

/** The same to the second: `2026-11-21T08:40:07`. Zones differ by whole minutes. */
export const localSecondOf = (instant: string | number, timeZone: string): string =>
  `${localTimeOf(instant, timeZone)}:${String(new Date(instant).getUTCSeconds()).padStart(2, '0')}`;

/**
 * The time at which a clock of this zone shows this; null for an invalid date. Where clocks were set back and it occurs
 * twice the earlier one is returned, and where they were set forward and it does not occur the one an hour later.
 */
export const instantOf = (localTime: string, timeZone: string): string | null => {
  const withSeconds = /^(.{16}):(\d{2})(?:\.\d+)?$/.exec(localTime);
  if (withSeconds) {
    const minute = instantOf(withSeconds[1] ?? '', timeZone);
    return minute === null ? null : new Date(Date.parse(minute) + Number(withSeconds[2]) * 1000).toISOString();
  }
  const asIfUtc = Date.parse(`${localTime}:00Z`);
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/.test(localTime) || Number.isNaN(asIfUtc)) return null;
  const shownAt = (instant: number) => Date.parse(`${localTimeOf(instant, timeZone)}:00Z`);
  const hour = 3_600_000;
  // The zone's offset from UTC is that of a nearby time; on the day of a change there are two to try.
  const candidates = [asIfUtc - 24 * hour, asIfUtc + 24 * hour].map((near) => asIfUtc - (shownAt(near) - near));
  const exact = candidates.filter((candidate) => shownAt(candidate) === asIfUtc);
  const [before = asIfUtc] = candidates;
  return new Date(exact.length > 0 ? Math.min(...exact) : before).toISOString();
};

/**
 * A day within the years of the api, `yyyy-mm-dd`; a field of the browser also returns the year 0002 while it is typed.
 */
export const isGivenDay = (text: string | undefined): text is string =>
  text !== undefined && /^(?:(?:19|20|21)\d\d|2200)-\d\d-\d\d$/.test(text) && isInCalendar(text);

const isInCalendar = (day: string): boolean => {
  const moment = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(moment.getTime()) && moment.toISOString().startsWith(day);
};

/** `GMT+02:00` of a zone at a moment; undefined for a name this browser does not know. */
export const offsetOf = (timeZone: string, at: Date): string | undefined => {
  try {
    return new Intl.DateTimeFormat(textLocale(), { timeZone, timeZoneName: 'longOffset' })
      .formatToParts(at)
      .find(({ type }) => type === 'timeZoneName')?.value;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
};

/** Whether the clock of this device shows the time of a zone now. */
export const isDeviceTime = (timeZone: string): boolean => {
  const now = new Date();
  return offsetOf(timeZone, now) === offsetOf(new Intl.DateTimeFormat().resolvedOptions().timeZone, now);
};
