import { deleteLot, inventorySummary, listLots, lotSortFields, type Lot } from '@roastery/contract/inventory';
import { Package, Plus, Search, Trash2, Upload } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useNavigate } from 'react-router-dom';
import { call } from '../../api/call.ts';
import { logError } from '../../api/error-log.ts';
import { useApi } from '../../api/use-api.ts';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { usePageActions } from '../../components/page-actions.tsx';
import { Page, PageHeader } from '../../components/PageHeader.tsx';
import { paths } from '../../components/paths.ts';
import { formatCount } from '../../format/numbers.ts';
import { useDates } from '../../format/preferences.ts';
import { ColumnsMenu } from '../../components/table/ColumnsMenu.tsx';
import { DataTable } from '../../components/table/DataTable.tsx';
import { useColumns } from '../../components/table/use-columns.ts';
import { useSelection } from '../../components/table/use-selection.ts';
import { oneOf, useUrlState } from '../../components/url-state.ts';
import { Button, ButtonLink } from '../../ui/Button.tsx';
import { toast } from '../../ui/toast.ts';
import { ExportLotsButton } from './ExportLotsButton.tsx';
import { ImportLotsDialog } from './ImportLotsDialog.tsx';
import { InventoryStats } from './InventoryStats.tsx';
import { lotColumns } from './lot-columns.tsx';
import { useLotFilters, type LotFilters } from './lot-filters.ts';
import { refreshLots } from './lot-refresh.ts';
import { lotName } from './lot-texts.ts';
import { LotFilterBar } from './LotFilterBar.tsx';

const pageSizes = [25, 50, 100] as const;
const sorts = lotSortFields.flatMap((field) => [field, `-${field}`] as const);
const newestFirst = '-registration_date';
const lotId = (lot: Lot): string => lot.id;

/** /inventory and /inventory/lots: every lot of green coffee; the server filters, sorts and pages. */
export default function InventoryPage() {
  const dates = useDates();
  const navigate = useNavigate();
  const { read, change } = useUrlState();
  const filters = useLotFilters();
  const sort = oneOf(sorts, read('sort'), newestFirst);
  const pageSize = Number(oneOf(pageSizes.map(String), read('rows'), '100'));
  const page = Math.max(1, Math.floor(Number(read('page') ?? 1)) || 1);
  const { data, error, isValidating, mutate } = useApi(
    listLots,
    { query: { limit: pageSize, offset: (page - 1) * pageSize, sort, ...filters.query } },
    { keepPreviousData: true },
  );
  const selection = useSelection(data?.lots, lotId);
  const [deleting, setDeleting] = useState<readonly Lot[] | null>(null);
  const [importing, setImporting] = useState(false);
  const columns = useColumns(
    'lots',
    useMemo(() => lotColumns(dates), [dates]),
  );
  usePageActions(
    useMemo(
      () => [
        { id: 'add-lot', label: 'Add lot', key: 'n', run: () => void navigate(paths.newLot) },
        { id: 'import-lots', label: 'Import lots from CSV', run: () => setImporting(true) },
      ],
      [navigate],
    ),
  );

  const remove = async (lots: readonly Lot[]) => {
    const results = await Promise.allSettled(lots.map((lot) => call(deleteLot, { params: { id: lot.id } })));
    for (const result of results) if (result.status === 'rejected') logError('Failed to delete lot', result.reason);
    const done = results.filter((result) => result.status === 'fulfilled').map(({ value }) => value);
    const archived = done.filter((answer) => answer.archived).length;
    await refreshLots();
    selection.keep(lots.filter((_, i) => results[i]?.status === 'rejected'));
    if (done.length < lots.length) toast('Failed to delete some lots. Please try again.', { tone: 'danger' });
    else {
      toast(`Successfully deleted ${done.length} lot(s)`, {
        detail: archived > 0 ? `${archived} of them had roasts or adjustments and keep their history.` : undefined,
      });
    }
  };

  return (
    <Page wide>
      <PageHeader
        title="Inventory"
        heading="Green inventory"
        crumbs={[{ label: 'Home', to: paths.dashboard }, { label: 'Inventory' }, { label: 'Lots' }]}
        actions={
          <>
            <Button icon={<Upload aria-hidden />} onClick={() => setImporting(true)}>
              Import
            </Button>
            <ExportLotsButton query={{ ...filters.query, sort }} total={data?.total} />
            <ButtonLink to={paths.newLot} kind="primary" icon={<Plus aria-hidden />}>
              Add lot
            </ButtonLink>
          </>
        }
      />
      <div className="pb-4">
        <InventoryStats />
      </div>
      <LotFilterBar filters={filters}>
        <ColumnsMenu columns={columns} />
      </LotFilterBar>
      <DataTable
        label="Lots"
        columns={columns.visible}
        rows={data?.lots}
        rowId={lotId}
        rowLabel={(lot) => `lot ${lotName(lot)}`}
        rowLink={(lot) => paths.editLot(lot.id)}
        sort={sort}
        onSort={(next) => change({ sort: next === newestFirst ? undefined : next })}
        selection={{
          selected: selection.ids,
          onChange: selection.onChange,
          actions: (ids) => (
            <Button icon={<Trash2 aria-hidden />} onClick={() => setDeleting(selection.rows)}>
              Delete ({ids.size})
            </Button>
          ),
        }}
        error={error}
        onRetry={() => void mutate()}
        isRefreshing={isValidating && data !== undefined}
        empty={<NoLots filters={filters} isUnknown={error !== undefined} />}
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
        title={(lots) => (lots.length === 1 ? 'Delete this lot?' : `Delete ${lots.length} lots?`)}
        question={(lots) => (
          <>
            <ul className="flex flex-col gap-1">
              {lots.map((lot) => (
                <li key={lot.id} className="flex items-baseline gap-2">
                  <span className="font-mono text-sm text-strong">{lot.lot_number}</span>
                  <span className="min-w-0 truncate">{lot.coffee_name}</span>
                </li>
              ))}
            </ul>
            <p className="mt-3 text-sm text-muted">
              A lot with roasts or adjustments keeps its history; it only leaves the inventory.
            </p>
          </>
        )}
        confirmLabel="Delete"
        onConfirm={remove}
      />
      <ImportLotsDialog open={importing} onClose={() => setImporting(false)} />
    </Page>
  );
}

/** Nothing taken in yet, nothing that fits the filters, or nothing known because the list could not be read. */
const NoLots = ({ filters, isUnknown }: { filters: LotFilters; isUnknown: boolean }) => {
  const { data } = useApi(inventorySummary, {});
  const total = data?.total_lots ?? 0;
  if (isUnknown) return <EmptyState icon={<Package aria-hidden />} title="No inventory lots found" />;
  if (total === 0) {
    return (
      <EmptyState
        icon={<Package aria-hidden />}
        title="No inventory lots found"
        action={
          <ButtonLink to={paths.newLot} kind="primary">
            Add First Lot
          </ButtonLink>
        }
      >
        Take in the first sacks, and every roast draws its green weight from them.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={<Search aria-hidden />}
      title="No inventory lots found"
      action={
        filters.count > 0 ? (
          <Button onClick={filters.reset}>Reset filters ({filters.count})</Button>
        ) : (
          <Button onClick={() => filters.choose({ status: 'all' })}>Show all statuses</Button>
        )
      }
    >
      {total === 1 ? 'There is 1 lot, but it does' : `There are ${formatCount(total)} lots, but they do`} not fit what
      is chosen above.
    </EmptyState>
  );
};
