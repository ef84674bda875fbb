import type { PeriodKind, WeekStart } from '@roastery/contract/analytics';
import type { Sql, Statement } from '../../db/sql.ts';

/** Calendar days, both included, `yyyy-mm-dd`. */
export interface Days {
  readonly from: string;
  readonly to: string;
}

const dayMs = 86_400_000;
/** More bars than this are unreadable. */
const maxPeriods = 400;

/** The time of a roast, in SQL, limited to the contract's years: the clock of a board may have been wrong. */
export const withinCalendar = (sql: Sql, moment: Statement) => {
  const [first, last] = [sql`'1900-01-01T00:00:00Z'::timestamptz`, sql`'2200-12-31T00:00:00Z'::timestamptz`];
  return sql`CASE WHEN ${moment} < ${first} THEN ${first} WHEN ${moment} > ${last} THEN ${last} ELSE ${moment} END`;
};

/** A day as whole days since 1970. Calendar days have no clock: UTC serves as a calendar without summer time. */
const dayNumber = (day: string): number => Math.round(Date.parse(`${day}T00:00:00Z`) / dayMs);
const dayText = (number: number): string => new Date(number * dayMs).toISOString().slice(0, 10);

export const daysIn = ({ from, to }: Days): number => dayNumber(to) - dayNumber(from) + 1;

const lastOfMonth = (year: number, month: number): string =>
  new Date(Date.UTC(year, month, 0)).toISOString().slice(0, 10);

/** A month or year to date is compared with the same days of the one before, whole months with as many before. */
const sameDaysBefore = ({ from, to }: Days): Days | undefined => {
  const [year = 0, month = 1, day = 1] = from.split('-').map(Number);
  const [toYear = 0, toMonth = 1, toDay = 1] = to.split('-').map(Number);
  const isWhole = to === lastOfMonth(toYear, toMonth);
  const isYearToDate = month === 1 && year === toYear;
  if (day !== 1 || !(isWhole || isYearToDate || from.slice(0, 7) === to.slice(0, 7))) return undefined;
  const months = isYearToDate && toMonth > 1 ? 12 : isWhole ? (toYear - year) * 12 + toMonth - month + 1 : 1;
  const ofMonth = lastOfMonth(toYear, toMonth - months);
  return {
    from: dayText(dayNumber(lastOfMonth(year, month - months - 1)) + 1),
    to: isWhole ? ofMonth : dayText(Math.min(dayNumber(ofMonth), dayNumber(`${ofMonth.slice(0, 8)}01`) + toDay - 1)),
  };
};

/**
 * The days to compare a span with: those of the month or year before where it is one, else the same number of days just
 * before; undefined before the year 1.
 */
export const daysBefore = (span: Days): Days | undefined => {
  const length = daysIn(span);
  const first = dayNumber(span.from) - length;
  if (length < 1 || first < dayNumber('0001-01-01')) return undefined;
  return sameDaysBefore(span) ?? { from: dayText(first), to: dayText(first + length - 1) };
};

/** First day of the period that a day lies in, both as numbers. */
const startNumber = (day: number, kind: PeriodKind, weekStart: WeekStart): number => {
  if (kind === 'day') return day;
  if (kind === 'month') return day - new Date(day * dayMs).getUTCDate() + 1;
  // 1 January 1970 was a Thursday: day -3 was a Monday.
  const since = day + 3 + { monday: 0, sunday: 1, saturday: 2 }[weekStart];
  return day - (((since % 7) + 7) % 7);
};

const numberAfter = (start: number, kind: PeriodKind): number => {
  if (kind === 'day') return start + 1;
  return kind === 'week' ? start + 7 : startNumber(start + 31, 'month', 'monday');
};

/** The period that begins on `start`, cut to the span. */
export const periodWithin = (start: string, kind: PeriodKind, span: Days): Days => {
  const last = numberAfter(dayNumber(start), kind) - 1;
  return {
    from: dayText(Math.max(dayNumber(start), dayNumber(span.from))),
    to: dayText(Math.min(last, dayNumber(span.to))),
  };
};

/** Days for up to six weeks, weeks for up to half a year, months beyond: some 6 to 45 periods. */
const fitting = (days: number): PeriodKind => (days <= 45 ? 'day' : days <= 190 ? 'week' : 'month');
const roughDays = { day: 1, week: 7, month: 28 } as const;

/** The wanted kind of period, or one that fits; coarser when there would be too many. */
export const choosePeriod = (span: Days, wanted: PeriodKind | undefined): PeriodKind => {
  const days = daysIn(span);
  const kinds: readonly PeriodKind[] = ['day', 'week', 'month'];
  const first = kinds.indexOf(wanted ?? fitting(days));
  return kinds.slice(first).find((kind) => days / roughDays[kind] <= maxPeriods) ?? 'month';
};

/** First days of all periods of a span in their order; none for a span that is too long even in months. */
export const periodStarts = (span: Days, kind: PeriodKind, weekStart: WeekStart = 'monday'): string[] => {
  if (daysIn(span) / roughDays[kind] > maxPeriods) return [];
  const last = dayNumber(span.to);
  const starts: string[] = [];
  // Numbers always rise, so this ends: a text such as "+010000-01-01" sorts before all others.
  for (let day = startNumber(dayNumber(span.from), kind, weekStart); day <= last; day = numberAfter(day, kind)) {
    starts.push(dayText(day));
  }
  return starts;
};

/**
 * First day of the period in which `roasts r` began, by the roastery's calendar. The periods are computed once and each
 * roast is assigned to one: computing the calendar for each of 50,000 roasts takes three times as long.
 */
export const periodOfRoast = (sql: Sql, span: Days, kind: PeriodKind, zone: string, weekStart: WeekStart) => {
  const starts = periodStarts(span, kind, weekStart);
  // A span of centuries has too many periods: a board's clock was wrong.
  if (starts.length === 0)
    return sql`date_trunc(${kind}::text, (${withinCalendar(sql, sql`r.start_time`)}) AT TIME ZONE ${zone}::text)::date`;
  // Both lists are one subquery, evaluated once. A roast that arrives between two queries and is older than the first
  // period belongs to the first.
  const days = sql`SELECT day FROM unnest(${starts}::text[]::date[]) AS day ORDER BY 1`;
  return sql`
    (ARRAY(${days}))[greatest(1, width_bucket(r.start_time, ARRAY(
      SELECT day::timestamp AT TIME ZONE ${zone}::text FROM (${days}) AS days)))]`;
};
