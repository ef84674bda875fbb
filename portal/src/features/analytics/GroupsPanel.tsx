import {
  analyticsGroups,
  groupKinds,
  type GroupFigures,
  type GroupKind,
  type groupSorts,
} from '@roastery/contract/analytics';
import { ChartNoAxesCombined } from 'lucide-react';
import { useMemo } from 'react';
import { EmptyState } from '../../components/EmptyState.tsx';
import { DataTable } from '../../components/table/DataTable.tsx';
import { useListPage } from '../../components/table/use-list-page.tsx';
import { useUrlState } from '../../components/url-state.ts';
import { t } from '../../language/t.ts';
import { Tabs } from '../../ui/Tabs.tsx';
import { groupColumns, missingNames } from './group-columns.tsx';
import type { AnalyticsFilter } from './use-analytics-filter.ts';

type Sort = (typeof groupSorts)[number];

const tabs = [
  { value: 'machine', label: t`Machines` },
  { value: 'coffee', label: t`Coffees` },
  { value: 'recipe', label: t`Recipes` },
  { value: 'person', label: t`People` },
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

const rowId = (group: GroupFigures): string => group.id ?? group.name ?? 'none';

/** The same figures by group; each row links to its roasts. */
export const GroupsPanel = ({ filter }: { filter: AnalyticsFilter }) => {
  const { read, change } = useUrlState();
  const by: GroupKind = groupKinds.find((kind) => kind === read('by')) ?? 'machine';
  const { data, table } = useListPage(analyticsGroups, {
    input: ({ limit, offset, sort }) => ({ params: { by }, query: { ...filter, limit, offset, sort } }),
    rows: ({ groups }) => groups,
    total: ({ total }) => total,
    rowId,
    sorts,
    initialSort: '-kg',
    pageSize: 25,
    hidesSinglePage: true,
  });
  const columns = useMemo(() => groupColumns(by, data?.groups ?? [], filter), [by, data, filter]);

  return (
    <section aria-label={t`By group`} className="flex flex-col gap-3">
      <Tabs
        label={t`Group by`}
        tabs={tabs}
        value={by}
        onChange={(next) => change({ by: next === 'machine' ? undefined : next, sort: undefined })}
      />
      <DataTable
        {...table}
        label={tabs.find(({ value }) => value === by)?.label ?? ''}
        columns={columns}
        rowLabel={(group) => group.name ?? missingNames[by]}
        empty={
          <EmptyState icon={<ChartNoAxesCombined aria-hidden />} title={t`No roasts in this period`}>
            {t`Choose a longer period or fewer filters.`}
          </EmptyState>
        }
      />
    </section>
  );
};
