import { useMemo } from 'react';
import { useUser } from '../../api/session.tsx';
import { oneOf, useUrlState } from '../../components/url-state.ts';
import { todayIn } from '../../format/zoned-time.ts';
import { chosenDays, daysOf, usualSpanNames, type UsualSpan } from './span.ts';

/** The keys that the api and the list of roasts understand. */
export interface AnalyticsFilter {
  from?: string;
  to?: string;
  machine_id?: string;
  profile_id?: string;
  coffee_name?: string;
  roasted_by?: string;
}

export const chosenKeys = ['machine_id', 'profile_id', 'coffee_name', 'roasted_by'] as const;
export type ChosenKey = (typeof chosenKeys)[number];

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** A truncated id finds nothing and must not break the page. */
const isUsable = (key: ChosenKey, value: string): boolean => !key.endsWith('_id') || uuid.test(value);

/** Span and filters of the page, kept in its address. */
export const useAnalyticsFilter = () => {
  const { roastery_time_zone: timeZone } = useUser();
  const { read, change } = useUrlState();
  const from = read('from');
  const to = read('to');
  const span = read('span');
  const chosen = chosenKeys.map((key) => read(key)).join('\n');

  return useMemo(() => {
    const own = chosenDays(from, to);
    const usual: UsualSpan | null = own === undefined ? oneOf(usualSpanNames, span, '90d') : null;
    const values = chosen.split('\n');
    const given = chosenKeys.flatMap((key, index) => {
      const value = values[index] ?? '';
      return value !== '' && isUsable(key, value) ? [[key, value] as const] : [];
    });
    const today = todayIn(timeZone);
    const filter: AnalyticsFilter = {
      ...(own ?? daysOf(usual ?? '90d', today)),
      ...Object.fromEntries(given),
    };
    return {
      filter,
      /** `null` when days were chosen. */
      usual,
      today,
      /** Filters beside the span. */
      count: given.length,
      change,
      takeSpan: (next: UsualSpan) =>
        change({ span: next === '90d' ? undefined : next, from: undefined, to: undefined }),
      reset: () => change(Object.fromEntries(chosenKeys.map((key) => [key, undefined]))),
    };
  }, [from, to, span, chosen, timeZone, change]);
};
