import {
  analyticsGroups,
  groupKinds,
  type GroupFigures,
  type GroupKind,
  type groupSorts,
} from '@roastery/contract/analytics';
import { ChartNoAxesCombined } from 'lucide-react';
import { useMemo } from 'react';
import { useApi } from '../../api/use-api.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { DataTable } from '../../components/table/DataTable.tsx';
import { useUrlState } from '../../components/url-state.ts';
import { Tabs } from '../../ui/Tabs.tsx';
import { groupColumns, missingNames } from './group-columns.tsx';
import type { AnalyticsFilter } from './use-analytics-filter.ts';

type Sort = (typeof groupSorts)[number];

const tabs = [
  { value: 'machine', label: 'Machines' },
  { value: 'coffee', label: 'Coffees' },
  { value: 'recipe', label: 'Recipes' },
  { value: 'person', label: 'People' },
] as const;
const sorts: readonly Sort[] = [
  'name',
  '-name',
  'roasts',
  '-roasts',
  'kg',
  '-kg',
  'mean_duration_seconds',
  '-mean_duration_seconds',
  'development_ratio_mean',
  '-development_ratio_mean',
];
const pageSize = 25;

const rowId = (group: GroupFigures): string => group.id ?? group.name ?? 'none';

/** The same figures by group; each row links to its roasts. */
export const GroupsPanel = ({ filter }: { filter: AnalyticsFilter }) => {
  const { read, change } = useUrlState();
  const by: GroupKind = groupKinds.find((kind) => kind === read('by')) ?? 'machine';
  const sort: Sort = sorts.find((one) => one === read('sort')) ?? '-kg';
  const page = Math.max(1, Math.floor(Number(read('page') ?? 1)) || 1);
  const { data, error, isValidating, mutate } = useApi(
    analyticsGroups,
    { params: { by }, query: { ...filter, limit: pageSize, offset: (page - 1) * pageSize, sort } },
    { keepPreviousData: true },
  );
  const columns = useMemo(() => groupColumns(by, data?.groups ?? [], filter), [by, data, filter]);

  return (
    <section aria-label="By group" className="flex flex-col gap-3">
      <Tabs
        label="Group by"
        tabs={tabs}
        value={by}
        onChange={(next) => change({ by: next === 'machine' ? undefined : next, sort: undefined })}
      />
      <DataTable
        label={tabs.find(({ value }) => value === by)?.label ?? ''}
        columns={columns}
        rows={data?.groups}
        rowId={rowId}
        rowLabel={(group) => group.name ?? missingNames[by]}
        sort={sort}
        onSort={(next) => change({ sort: next === '-kg' ? undefined : next })}
        error={error}
        onRetry={() => void mutate()}
        isRefreshing={isValidating && data !== undefined}
        empty={
          <EmptyState icon={<ChartNoAxesCombined aria-hidden />} title="No roasts in this period">
            Choose a longer period or fewer filters.
          </EmptyState>
        }
        {...((data?.total ?? 0) > pageSize || page > 1
          ? {
              paging: {
                page,
                pageSize,
                total: data?.total,
                onPage: (next: number) => change({ page: next === 1 ? undefined : String(next) }),
              },
            }
          : {})}
      />
    </section>
  );
};
