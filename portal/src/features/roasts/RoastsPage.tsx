import { deleteRoast, listRoasts, roastSortFields, type RoastRow } from '@roastery/contract/roasts';
import { Flame, GitCompareArrows, ListFilter, Plus, Search, Trash2 } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useNavigate } from 'react-router-dom';
import { call } from '../../api/call.ts';
import { logError } from '../../api/error-log.ts';
import { refresh, useApi } from '../../api/use-api.ts';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { Page, PageHeader } from '../../components/PageHeader.tsx';
import { usePageActions } from '../../components/page-actions.tsx';
import { paths } from '../../components/paths.ts';
import { RoastTabs } from '../../components/RoastTabs.tsx';
import { useDates } from '../../format/preferences.ts';
import { ColumnsMenu } from '../../components/table/ColumnsMenu.tsx';
import { DataTable } from '../../components/table/DataTable.tsx';
import { useColumns } from '../../components/table/use-columns.ts';
import { useSelection } from '../../components/table/use-selection.ts';
import { oneOf, useUrlState } from '../../components/url-state.ts';
import { useTyped } from '../../components/use-typed.ts';
import { Button, ButtonLink } from '../../ui/Button.tsx';
import { IconButton } from '../../ui/IconButton.tsx';
import { TextField } from '../../ui/TextField.tsx';
import { toast } from '../../ui/toast.ts';
import { ExportRoastsMenu } from './ExportRoastsMenu.tsx';
import { RoastFilterPanel } from './RoastFilterPanel.tsx';
import { roastColumns } from './roast-columns.tsx';
import { useRoastFilters } from './roast-filters.ts';
import { roastNumber } from './roast-texts.ts';

const pageSizes = [25, 50, 100] as const;
const sorts = roastSortFields.flatMap((field) => [field, `-${field}`] as const);
const newestFirst = '-start_time';
const roastId = (roast: RoastRow): string => roast.id;
/** Maximum of the compare page. */
const mostCompared = 5;

/** /roasts: every visible roast; the server searches, sorts and pages, the address holds the state. */
export default function RoastsPage() {
  const dates = useDates();
  const { read, change } = useUrlState();
  const q = read('q') ?? '';
  const sort = oneOf(sorts, read('sort'), newestFirst);
  const pageSize = Number(oneOf(pageSizes.map(String), read('rows'), '100'));
  const page = Math.max(1, Math.floor(Number(read('page') ?? 1)) || 1);
  const [typed, setTyped] = useTyped(q, (text) => change({ q: text }));
  const filters = useRoastFilters();
  const [isFiltering, setFiltering] = useState(filters.count > 0);
  const wanted = { sort, ...filters.query, ...(q === '' ? {} : { q }) };
  const { data, error, isValidating, mutate } = useApi(
    listRoasts,
    { query: { limit: pageSize, offset: (page - 1) * pageSize, ...wanted } },
    { keepPreviousData: true },
  );
  const selection = useSelection(data?.roasts, roastId);
  const [deleting, setDeleting] = useState<readonly RoastRow[] | null>(null);
  const columns = useColumns(
    'roasts',
    useMemo(() => roastColumns(dates), [dates]),
  );

  const navigate = useNavigate();
  usePageActions(
    useMemo(
      () => [{ id: 'add-roast', label: 'Add roast', key: 'n', run: () => void navigate(paths.newRoast) }],
      [navigate],
    ),
  );

  const remove = async (roasts: readonly RoastRow[]) => {
    const results = await Promise.allSettled(roasts.map((roast) => call(deleteRoast, { params: { id: roast.id } })));
    const failed = results.filter((result) => result.status === 'rejected');
    for (const { reason } of failed) logError('Failed to delete roast', reason);
    await refresh(listRoasts);
    selection.keep(roasts.filter((_, i) => results[i]?.status === 'rejected'));
    if (failed.length > 0) toast('Failed to delete roast. Please try again.', { tone: 'danger' });
    else toast(roasts.length === 1 ? 'Roast deleted' : `${roasts.length} roasts deleted`);
  };

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
        <TextField
          label="Search roasts"
          hideLabel
          size="sm"
          type="search"
          icon={<Search aria-hidden />}
          placeholder="Search coffee, origin, machine, profile…"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          className="w-full sm:w-80"
        />
        <div className="flex-1 max-sm:hidden" />
        <Button
          icon={<ListFilter aria-hidden />}
          aria-expanded={isFiltering}
          onClick={() => setFiltering((open) => !open)}
        >
          Filters{filters.count > 0 && ` (${filters.count})`}
        </Button>
        <ColumnsMenu columns={columns} />
        <ExportRoastsMenu query={wanted} total={data?.total} />
      </div>
      {isFiltering && <RoastFilterPanel filters={filters} />}
      <DataTable
        label="Roasts"
        columns={columns.visible}
        rows={data?.roasts}
        rowId={roastId}
        rowLabel={(roast) => `Roast ${roastNumber(roast)}`}
        rowLink={(roast) => paths.roast(roast.id)}
        rowActions={(roast) => (
          <IconButton
            label={`Delete roast ${roastNumber(roast)}`}
            tone="danger"
            icon={<Trash2 aria-hidden />}
            onClick={() => setDeleting([roast])}
          />
        )}
        sort={sort}
        onSort={(next) => change({ sort: next === newestFirst ? undefined : next })}
        selection={{
          selected: selection.ids,
          onChange: selection.onChange,
          actions: (ids) => (
            <>
              {ids.size > 1 && ids.size <= mostCompared && (
                <ButtonLink to={paths.compare([...ids])} icon={<GitCompareArrows aria-hidden />}>
                  Compare ({ids.size})
                </ButtonLink>
              )}
              <Button icon={<Trash2 aria-hidden />} onClick={() => setDeleting(selection.rows)}>
                Delete ({ids.size})
              </Button>
            </>
          ),
        }}
        error={error}
        onRetry={() => void mutate()}
        isRefreshing={isValidating && data !== undefined}
        empty={
          q === '' && filters.count === 0 ? (
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
            <EmptyState
              icon={<Search aria-hidden />}
              title={q === '' ? 'No roasts match your filters' : 'No roasts match your search'}
              action={
                <div className="flex gap-2">
                  {q !== '' && <Button onClick={() => change({ q: undefined })}>Clear search</Button>}
                  {filters.count > 0 && <Button onClick={filters.reset}>Reset filters ({filters.count})</Button>}
                </div>
              }
            >
              {q === '' ? 'Try other filters.' : `Nothing was found for “${q}”.`}
            </EmptyState>
          )
        }
        paging={{
          page,
          pageSize,
          total: data?.total,
          onPage: (next) => change({ page: next === 1 ? undefined : String(next) }),
          pageSizes,
          onPageSize: (size) => change({ rows: size === 100 ? undefined : String(size) }),
        }}
      />
      <ConfirmDialog
        thing={deleting}
        onClose={() => setDeleting(null)}
        title={(roasts) =>
          roasts.length === 1 && roasts[0] ? `Delete ${roastNumber(roasts[0])}` : `Delete ${roasts.length} roasts`
        }
        question={(roasts) => (
          <>
            <p>
              Are you sure you want to delete {roasts.length === 1 ? 'this roast' : 'these roasts'}? This cannot be
              undone.
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
        )}
        confirmLabel="Delete"
        onConfirm={remove}
      />
    </Page>
  );
}
