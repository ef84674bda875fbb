import { addDays, addMonths } from '../../format/calendar.ts';
import { isGivenDay } from '../../format/zoned-time.ts';
import { t } from '../../language/t.ts';

/** The date range: a month or year of the calendar, one of the usual spans that end today, or chosen days. */
export const calendarSpans = [
  { value: 'month', label: t`This month` },
  { value: 'last-month', label: t`Last month` },
  { value: 'year', label: t`Year to date` },
] as const;
export const rollingSpans = [
  { value: '30d', label: t`30 days` },
  { value: '90d', label: t`90 days` },
  { value: '12m', label: t`12 months` },
  { value: 'all', label: t`All` },
] as const;
const usualSpans = [...calendarSpans, ...rollingSpans] as const;
export type UsualSpan = (typeof usualSpans)[number]['value'];
export const usualSpanNames: readonly UsualSpan[] = usualSpans.map(({ value }) => value);

/** Calendar days `yyyy-mm-dd`, both included; absent: without an end. */
export interface DaySpan {
  from?: string;
  to?: string;
}

/** Twelve months are whole ones, this one included. */
export const daysOf = (span: UsualSpan, today: string): DaySpan => {
  if (span === 'all') return {};
  if (span === '30d') return { from: addDays(today, -29) };
  if (span === '90d') return { from: addDays(today, -89) };
  const firstOfMonth = `${today.slice(0, 8)}01`;
  if (span === 'month') return { from: firstOfMonth };
  if (span === 'last-month') return { from: addMonths(firstOfMonth, -1), to: addDays(firstOfMonth, -1) };
  if (span === 'year') return { from: `${today.slice(0, 5)}01-01` };
  return { from: addMonths(firstOfMonth, -11) };
};

/** Days from an address, as far as they are days. */
export const chosenDays = (from: string | undefined, to: string | undefined): DaySpan | undefined => {
  const span: DaySpan = { ...(isGivenDay(from) ? { from } : {}), ...(isGivenDay(to) ? { to } : {}) };
  if (span.from === undefined && span.to === undefined) return undefined;
  // Swapped ends are put in order.
  if (span.from !== undefined && span.to !== undefined && span.from > span.to) return { from: span.to, to: span.from };
  return span;
};
