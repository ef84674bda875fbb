import { isGivenDay } from '../../format/zoned-time.ts';
import { t } from '../../language/t.ts';

/** The date range: one of the usual spans that end today, or chosen days. */
export const usualSpans = [
  { value: '30d', label: t`30 days` },
  { value: '90d', label: t`90 days` },
  { value: '12m', label: t`12 months` },
  { value: 'all', label: t`All` },
] as const;
export type UsualSpan = (typeof usualSpans)[number]['value'];
export const usualSpanNames = usualSpans.map(({ value }) => value);

/** Calendar days `yyyy-mm-dd`, both included; absent: without an end. */
export interface DaySpan {
  from?: string;
  to?: string;
}

const dayMs = 86_400_000;

const daysEarlier = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) - days * dayMs).toISOString().slice(0, 10);

/** Twelve months are whole ones, this one included. */
export const daysOf = (span: UsualSpan, today: string): DaySpan => {
  if (span === 'all') return {};
  if (span === '30d') return { from: daysEarlier(today, 29) };
  if (span === '90d') return { from: daysEarlier(today, 89) };
  const [year = 0, month = 1] = today.split('-').map(Number);
  const first = new Date(Date.UTC(year, month - 12, 1));
  return { from: first.toISOString().slice(0, 10) };
};

/** Days from an address, as far as they are days. */
export const chosenDays = (from: string | undefined, to: string | undefined): DaySpan | undefined => {
  const span: DaySpan = { ...(isGivenDay(from) ? { from } : {}), ...(isGivenDay(to) ? { to } : {}) };
  if (span.from === undefined && span.to === undefined) return undefined;
  // Swapped ends are put in order.
  if (span.from !== undefined && span.to !== undefined && span.from > span.to) return { from: span.to, to: span.from };
  return span;
};
