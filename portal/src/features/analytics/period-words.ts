import type { PeriodKind } from '@roastery/contract/analytics';
import { useMemo } from 'react';
import { dateTexts } from '../../components/dates.ts';
import { usePreferences } from '../../components/preferences.ts';

interface Days {
  from: string;
  to: string;
}

const noonOf = (day: string): string => `${day}T12:00:00Z`;
const yearOf = (day: string): string => day.slice(0, 4);

const lastDayOfMonth = (day: string): number => {
  const [year = 0, month = 1] = day.split('-').map(Number);
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
};

const isWholeMonth = ({ from, to }: Days): boolean =>
  from.endsWith('-01') && from.slice(0, 7) === to.slice(0, 7) && Number(to.slice(8)) === lastDayOfMonth(to);

/** Texts of periods, in the language a person reads dates in. Days are calendar days: they have no time zone. */
export const periodTexts = (language: string) => {
  const { day } = dateTexts('UTC', language);
  const monthOf = (date: string) =>
    day(noonOf(date))
      .slice(0, -4)
      .replace(/\s*\d+,\s*$/, '')
      .trim();
  const dayOf = (date: string) => day(noonOf(date)).replace(/,\s*\d+$/, '');
  return {
    /** `Nov 16 – Nov 21, 2026`; a whole month by its name. */
    range: (days: Days): string => {
      if (days.from === days.to) return day(noonOf(days.from));
      if (isWholeMonth(days)) return `${monthOf(days.from)} ${yearOf(days.from)}`;
      const sameYear = yearOf(days.from) === yearOf(days.to);
      return `${sameYear ? dayOf(days.from) : day(noonOf(days.from))} – ${day(noonOf(days.to))}`;
    },
    /** Under one of `count` columns: the first day, or the month; over years with its year. */
    label: (days: Days, kind: PeriodKind, count: number): string => {
      if (kind !== 'month') return dayOf(days.from);
      if (count > 12) return `${monthOf(days.from)} ${yearOf(days.from).slice(2)}`;
      return days.from.slice(5, 7) === '01' ? yearOf(days.from) : monthOf(days.from);
    },
  };
};

/** Room that the label of a column needs. */
export const columnLabelPixels = (kind: PeriodKind | undefined, count: number): number =>
  kind === 'month' && count <= 12 ? 40 : 66;

export const usePeriodTexts = () => {
  const { date_language: language } = usePreferences();
  return useMemo(() => periodTexts(language), [language]);
};
export type PeriodTexts = ReturnType<typeof periodTexts>;
