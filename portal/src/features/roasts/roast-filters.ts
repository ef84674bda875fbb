import type { listRoasts, RoastPart, RoastStatus } from '@roastery/contract/roasts';
import type { QueryOf } from '@roastery/contract/endpoint';
import { useMemo } from 'react';
import { isGivenDay } from '../../format/zoned-time.ts';
import { useUrlState } from '../../components/url-state.ts';
import { t } from '../../language/t.ts';

type ListQuery = NonNullable<QueryOf<typeof listRoasts>>;

/** Every filter of the list of roasts; the address uses the names of the api, so that other pages can link here. */
export const roastFilterKeys = [
  'ids',
  'status',
  'machine_id',
  'profile_id',
  'lot_id',
  'coffee_name',
  'origin',
  'roasted_by',
  'level',
  'favorites_only',
  'with',
  'without',
  'former_recipe',
  'from',
  'to',
] as const;
export type RoastFilterKey = (typeof roastFilterKeys)[number];
export type RoastFilterValues = Readonly<Partial<Record<RoastFilterKey, string>>>;
export type RoastFilterQuery = Pick<ListQuery, RoastFilterKey>;

export const statuses: readonly { value: RoastStatus; label: string }[] = [
  { value: 'completed', label: t`Completed` },
  { value: 'in_progress', label: t`In progress` },
  { value: 'aborted', label: t`Aborted` },
];

/** Choices of the Data filter; the key is the one in the address. */
export const parts: readonly { key: 'with' | 'without'; part: RoastPart; label: string }[] = [
  { key: 'without', part: 'machine', label: t`No machine` },
  { key: 'without', part: 'coffee', label: t`No coffee named` },
  { key: 'without', part: 'recipe', label: t`No recipe` },
  { key: 'without', part: 'lot', label: t`No lot` },
  { key: 'with', part: 'green', label: t`Used green coffee from a lot` },
  { key: 'without', part: 'green', label: t`Used no green coffee from a lot` },
  { key: 'without', part: 'weight', label: t`Not weighed yet` },
  { key: 'with', part: 'weight', label: t`Weighed` },
  { key: 'with', part: 'development', label: t`With a first crack` },
  { key: 'without', part: 'development', label: t`No first crack` },
];

const longest: Partial<Record<RoastFilterKey, number>> = { coffee_name: 200, former_recipe: 200, level: 40 };
/** As many as the api takes. */
const maxPicked = 100;
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The roasts that an address lists by id. */
export const idsOf = (value: string): string[] => value.split(',');

/** Whether the api accepts it: a truncated address shows the list, not an error. */
const isUsable = (key: RoastFilterKey, value: string): boolean => {
  if (key === 'ids') return idsOf(value).length <= maxPicked && idsOf(value).every((id) => uuid.test(id));
  if (key.endsWith('_id')) return uuid.test(value);
  if (key === 'from' || key === 'to') return isGivenDay(value);
  if (key === 'status') return statuses.some((status) => status.value === value);
  if (key === 'favorites_only') return value === 'true';
  if (key === 'with' || key === 'without') return parts.some((one) => one.part === value);
  return value !== '' && value.length <= (longest[key] ?? 120);
};

/** The valid filters of an address. */
export const usableFilters = (read: (key: string) => string | undefined): RoastFilterValues =>
  Object.fromEntries(
    roastFilterKeys.flatMap((key) => {
      const value = read(key);
      return value !== undefined && isUsable(key, value) ? [[key, value]] : [];
    }),
  );

export interface RoastFilters {
  readonly values: RoastFilterValues;
  /** In the form of the api. */
  readonly query: RoastFilterQuery;
  readonly count: number;
  choose: (change: Partial<Record<RoastFilterKey, string | undefined>>) => void;
  reset: () => void;
}

/** The filters of the list, kept in its address. */
export const useRoastFilters = (): RoastFilters => {
  const { read, change } = useUrlState();
  const words = roastFilterKeys.map((key) => read(key) ?? '').join('\n');
  const values = useMemo(() => {
    const given = words.split('\n');
    const byKey = new Map<string, string | undefined>(roastFilterKeys.map((key, at) => [key, given[at]]));
    return usableFilters((key) => byKey.get(key) || undefined);
  }, [words]);
  return {
    values,
    query: values as RoastFilterQuery,
    count: Object.keys(values).length,
    choose: change,
    reset: () => change(Object.fromEntries(roastFilterKeys.map((key) => [key, undefined]))),
  };
};
