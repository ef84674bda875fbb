import { deleteRoast, listRoasts, roastSortFields, type RoastRow } from '@roastery/contract/roasts';
import { Flame, GitCompareArrows, ListFilter, Plus } from 'lucide-react';
import { useMemo, useState } from 'react';
import { call } from '../../api/call.ts';
import { refresh } from '../../api/use-api.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { useAddAction } from '../../components/page-actions.tsx';
import { Page, PageHeader } from '../../components/PageHeader.tsx';
import { paths } from '../../components/paths.ts';
import { useDates } from '../../format/preferences.ts';
import { RoastTabs } from '../../components/RoastTabs.tsx';
import { ColumnsMenu, useColumns } from '../../components/table/ColumnsMenu.tsx';
import { DataTable } from '../../components/table/DataTable.tsx';
import { DeleteButton, ListSearch, NoMatch } from '../../components/table/ListControls.tsx';
import { bothWays, useListPage } from '../../components/table/use-list-page.tsx';
import type { Deletion } from '../../components/use-deletion.tsx';
import { Button, ButtonLink } from '../../ui/Button.tsx';
import { ExportRoastsMenu } from './ExportRoastsMenu.tsx';
import { roastColumns } from './roast-columns.tsx';
import { useRoastFilters } from './roast-filters.ts';
import { roastNumber } from './roast-texts.ts';
import { RoastFilterPanel } from './RoastFilterPanel.tsx';

const pageSizes = [25, 50, 100] as const;
const sorts = bothWays(roastSortFields);
/** The comparison shows at most this many. */
const maxCompared = 5;

const deletion: Deletion<RoastRow> = {
  remove: (roast) => call(deleteRoast, { params: { id: roast.id } }),
  refresh: () => refresh(listRoasts),
  title: (roasts) => (roasts.length === 1 ? `Delete ${roastNumber(roasts[0])}` : `Delete ${roasts.length} roasts`),
  question: (roasts) => (
    <>
      <p>
        Are you sure you want to delete {roasts.length === 1 ? 'this roast' : 'these roasts'}? This cannot be undone.
      </p>
      {roasts.length > 1 && (
        <ul className="mt-2 max-h-48 list-disc overflow-y-auto pl-5">
          {roasts.map((roast) => (
            <li key={roast.id}>
              {roastNumber(roast)} {roast.coffee_name}
            </li>
          ))}
        </ul>
      )}
    </>
  ),
  done: ({ length }) => ({ text: length === 1 ? 'Roast deleted' : `${length} roasts deleted` }),
  failed: () => ({ text: 'Failed to delete roast. Please try again.' }),
};

/** /roasts: every roast that this person may see. */
export default function RoastsPage() {
  const dates = useDates();
  const filters = useRoastFilters();
  const [isFiltering, setFiltering] = useState(filters.count > 0);
  const list = useListPage(listRoasts, {
    input: (page) => ({ query: { ...page, ...filters.query } }),
    rows: ({ roasts }) => roasts,
    total: ({ total }) => total,
    rowId: ({ id }) => id,
    sorts,
    initialSort: '-start_time',
    pageSize: 100,
    pageSizes,
    deletion,
  });
  const columns = useColumns(
    'roasts',
    useMemo(() => roastColumns(dates), [dates]),
  );
  useAddAction('Add roast', paths.newRoast);

  return (
    <Page wide>
      <PageHeader
        title="Roasts"
        crumbs={[
          { label: 'Home', to: paths.dashboard },
          { label: 'Roast' },
          { label: 'Overview' },
          { label: 'Roasts' },
        ]}
        actions={
          <ButtonLink to={paths.newRoast} kind="primary" icon={<Plus aria-hidden />}>
            Add roast
          </ButtonLink>
        }
      />
      <RoastTabs value="roasts" />
      <div className="flex flex-wrap items-center gap-2 pb-3">
        <ListSearch search={list.search} label="Search roasts" placeholder="Search coffee, origin, machine, profile…" />
        <div className="flex-1 max-sm:hidden" />
        <Button
          icon={<ListFilter aria-hidden />}
          aria-expanded={isFiltering}
          onClick={() => setFiltering((open) => !open)}
        >
          Filters{filters.count > 0 && ` (${filters.count})`}
        </Button>
        <ColumnsMenu columns={columns} />
        <ExportRoastsMenu query={{ ...filters.query, ...list.asked }} total={list.total} />
      </div>
      {isFiltering && <RoastFilterPanel filters={filters} />}
      <DataTable
        {...list.table}
        label="Roasts"
        columns={columns.visible}
        rowLabel={(roast) => `Roast ${roastNumber(roast)}`}
        rowLink={(roast) => paths.roast(roast.id)}
        rowActions={(roast) => (
          <DeleteButton label={`Delete roast ${roastNumber(roast)}`} onClick={() => list.delete([roast])} />
        )}
        bulkActions={(roasts) => (
          <>
            {roasts.length > 1 && roasts.length <= maxCompared && (
              <ButtonLink to={paths.compare(roasts.map(({ id }) => id))} icon={<GitCompareArrows aria-hidden />}>
                Compare ({roasts.length})
              </ButtonLink>
            )}
            {list.bulkActions(roasts)}
          </>
        )}
        empty={
          list.search.q === '' && filters.count === 0 ? (
            <EmptyState
              icon={<Flame aria-hidden />}
              title="No roasts yet"
              action={
                <ButtonLink to={paths.machines} kind="primary">
                  Get Started
                </ButtonLink>
              }
            >
              Connect a machine. Its roasts appear here automatically.
            </EmptyState>
          ) : (
            <NoMatch
              title={list.search.q === '' ? 'No roasts match your filters' : 'No roasts match your search'}
              search={list.search}
              filters={filters}
            />
          )
        }
      />
      {list.dialog}
    </Page>
  );
}
