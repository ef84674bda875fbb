/** `2026-11-21T08:40`, as a `datetime-local` field has it: a moment on the clock of a time zone. */
export const localTimeOf = (instant: string | number, timeZone: string): string => {
  const parts = new Map(
    new Intl.DateTimeFormat('en-CA', {
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

/** The same to the second: `2026-11-21T08:40:07`. Zones differ by whole minutes. */
export const localSecondOf = (instant: string | number, timeZone: string): string =>
  `${localTimeOf(instant, timeZone)}:${String(new Date(instant).getUTCSeconds()).padStart(2, '0')}`;

/**
 * The moment that a clock of this zone shows so; null for what is no date. Where clocks were set back and it comes twice the
 * earlier one is meant, and where they were set forward and it never comes the one an hour later.
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
  // The zone's distance from UTC is that of a moment nearby; on the day of a change there are two to try.
  const candidates = [asIfUtc - 24 * hour, asIfUtc + 24 * hour].map((near) => asIfUtc - (shownAt(near) - near));
  const exact = candidates.filter((candidate) => shownAt(candidate) === asIfUtc);
  const [before = asIfUtc] = candidates;
  return new Date(exact.length > 0 ? Math.min(...exact) : before).toISOString();
};
