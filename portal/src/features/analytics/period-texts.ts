import type { PeriodKind } from '@roastery/contract/analytics';
import { useMemo } from 'react';
import { dateTexts } from '../../format/dates.ts';
import { usePreferences } from '../../format/preferences.ts';
import type { ChartColumn } from '../../components/columns/ColumnsChart.tsx';
import { t } from '../../language/t.ts';

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

/** Texts of periods, as a person's region writes dates. Days are calendar days: they have no time zone. */
export const periodTexts = (region: string) => {
  const { day, dayOfYear, month, monthName } = dateTexts('UTC', region);
  return {
    /** `Nov 16 – Nov 21, 2026`; a whole month by its name. */
    range: (days: Days): string => {
      const [from, to] = [noonOf(days.from), noonOf(days.to)];
      if (days.from === days.to) return day(from);
      if (isWholeMonth(days)) return month(from);
      return `${yearOf(days.from) === yearOf(days.to) ? dayOfYear(from) : day(from)} – ${day(to)}`;
    },
    /** Under one of `count` columns: the first day, or the month; over years with its year. */
    label: (days: Days, kind: PeriodKind, count: number): string => {
      const from = noonOf(days.from);
      if (kind !== 'month') return dayOfYear(from);
      if (count > 12) return `${monthName(from)} ${yearOf(days.from).slice(2)}`;
      return days.from.slice(5, 7) === '01' ? yearOf(days.from) : monthName(from);
    },
  };
};

/** Room that the label of a column needs. */
export const columnLabelPixels = (kind: PeriodKind | undefined, count: number): number =>
  kind === 'month' && count <= 12 ? 40 : 66;

export const usePeriodTexts = () => {
  const { date_language: region } = usePreferences();
  return useMemo(() => periodTexts(region), [region]);
};
export type PeriodTexts = ReturnType<typeof periodTexts>;

/** A chart's columns as the rows of its table. */
export const periodTable = (columns: readonly ChartColumn[]) => ({
  heads: [t`Period`, ...(columns[0]?.lines.map(([name]) => name) ?? [])],
  rows: columns.map(({ key, title, link, lines }) => ({
    key,
    name: title,
    link,
    values: lines.map(([, value]) => value),
  })),
});
