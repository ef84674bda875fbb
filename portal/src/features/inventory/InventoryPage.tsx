import { formatCount } from '../../format/numbers.ts';
import {
  deleteLot,
  exportLots,
  inventorySummary,
  listLots,
  lotSortFields,
  type Lot,
} from '@roastery/contract/inventory';
import type { QueryOf, ResponseOf } from '@roastery/contract/endpoint';
import { Download, Package, Plus, Search, Upload } from 'lucide-react';
import { useMemo } from 'react';
import { useNavigate } from 'react-router-dom';
import { addressOf, call } from '../../api/call.ts';
import { useApi } from '../../api/use-api.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { usePageActions } from '../../components/page-actions.tsx';
import { Page, PageHeader } from '../../components/PageHeader.tsx';
import { paths } from '../../components/paths.ts';
import { useDates } from '../../format/preferences.ts';
import { isDescending, sortField, type Column } from '../../components/table/columns.ts';
import { ColumnsMenu, useColumns } from '../../components/table/ColumnsMenu.tsx';
import { DataTable } from '../../components/table/DataTable.tsx';
import { bothWays, useListPage } from '../../components/table/use-list-page.tsx';
import type { Deletion } from '../../components/use-deletion.tsx';
import { t } from '../../language/t.ts';
import { Button, buttonClass, ButtonLink } from '../../ui/Button.tsx';
import { Select, type Choice } from '../../ui/Select.tsx';
import { InventoryStats } from './InventoryStats.tsx';
import { lotColumns } from './lot-columns.tsx';
import { everyStatus, useLotFilters, type LotFilters } from './lot-filters.ts';
import { lotName, refreshLots } from './lots.ts';
import { LotFilterBar } from './LotFilterBar.tsx';

const pageSizes = [25, 50, 100] as const;
const sorts = bothWays(lotSortFields);
const newestFirst = '-registration_date';
/** Rows on a phone have no heads to sort by. */
const phoneSorts = [
  { value: newestFirst, label: t`Newest first` },
  { value: 'estimated_runout_days', label: t`Runs out first` },
  { value: 'coffee_name', label: t`Name` },
  { value: 'current_weight', label: t`Least left` },
  { value: '-current_weight', label: t`Most left` },
];

/** Also the order of a head that was clicked on a wider screen. */
const phoneSortsWith = (sort: string | undefined, columns: readonly Column<Lot>[]): readonly Choice[] => {
  const column = columns.find((one) => one.sort === sortField(sort ?? newestFirst));
  if (sort === undefined || column === undefined || phoneSorts.some(({ value }) => value === sort)) return phoneSorts;
  const { label } = column;
  return [...phoneSorts, { value: sort, label: isDescending(sort) ? t`${label}, descending` : t`${label}, ascending` }];
};

const deletion: Deletion<Lot, ResponseOf<typeof deleteLot>> = {
  remove: (lot) => call(deleteLot, { params: { id: lot.id } }),
  refresh: refreshLots,
  title: ({ length }) => (length === 1 ? t`Delete this lot?` : t`Delete ${length} lots?`),
  question: (lots) => (
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
        {t`A lot with roasts or adjustments keeps its history; it only leaves the inventory.`}
      </p>
    </>
  ),
  done: (_lots, answers) => {
    const archived = answers.filter((answer) => answer.archived).length;
    return {
      text: t`Successfully deleted ${answers.length} lot(s)`,
      detail: archived > 0 ? t`${archived} of them had roasts or adjustments and keep their history.` : undefined,
    };
  },
  failed: () => ({ text: t`Failed to delete some lots. Please try again.` }),
};

/** /inventory and /inventory/lots: every lot of green coffee. */
export default function InventoryPage() {
  const dates = useDates();
  const navigate = useNavigate();
  const filters = useLotFilters();
  const list = useListPage(listLots, {
    input: (page) => ({ query: { ...page, ...filters.query } }),
    rows: ({ lots }) => lots,
    total: ({ total }) => total,
    rowId: ({ id }) => id,
    sorts,
    initialSort: newestFirst,
    pageSize: 100,
    pageSizes,
    deletion,
  });
  const columns = useColumns(
    'lots',
    useMemo(() => lotColumns(dates), [dates]),
  );
  usePageActions(
    useMemo(
      () => [
        { id: 'add-lot', label: t`Add lot`, key: 'n', run: () => void navigate(paths.newLot) },
        { id: 'import-lots', label: t`Import lots`, run: () => void navigate(paths.importLots) },
      ],
      [navigate],
    ),
  );

  return (
    <Page wide>
      <PageHeader
        title={t`Inventory`}
        heading={t`Green inventory`}
        crumbs={[{ label: t`Inventory` }, { label: t`Lots` }]}
        actions={
          <>
            <ButtonLink to={paths.importLots} icon={<Upload aria-hidden />}>
              {t`Import`}
            </ButtonLink>
            <ExportLotsButton query={{ ...filters.query, ...list.asked }} total={list.total} />
            <ButtonLink to={paths.newLot} kind="primary" icon={<Plus aria-hidden />}>
              {t`Add lot`}
            </ButtonLink>
          </>
        }
      />
      <div className="pb-4">
        <InventoryStats />
      </div>
      <LotFilterBar filters={filters} search={list.search}>
        <Select
          label={t`Sort lots`}
          hideLabel
          size="sm"
          className="min-w-40 flex-1 sm:hidden"
          choices={phoneSortsWith(list.sort, columns.all)}
          value={list.sort ?? newestFirst}
          onChange={list.sortBy}
        />
        {/* Beside the search on a phone, where it would have a row of its own. */}
        <ColumnsMenu columns={columns} className="max-sm:-order-1" />
      </LotFilterBar>
      <DataTable
        {...list.table}
        label={t`Lots`}
        columns={columns.visible}
        rowLabel={(lot) => t`lot ${lotName(lot)}`}
        rowLink={(lot) => paths.editLot(lot.id)}
        empty={<NoLots filters={filters} isUnknown={list.error !== undefined} />}
      />
      {list.dialog}
    </Page>
  );
}

/** No lots at all, none that match the filters, or the list could not be read. */
const NoLots = ({ filters, isUnknown }: { filters: LotFilters; isUnknown: boolean }) => {
  const { data } = useApi(inventorySummary, {});
  const total = data?.total_lots ?? 0;
  if (isUnknown) return <EmptyState icon={<Package aria-hidden />} title={t`No inventory lots found`} />;
  if (total === 0) {
    return (
      <EmptyState
        icon={<Package aria-hidden />}
        title={t`No inventory lots found`}
        action={
          <ButtonLink to={paths.newLot} kind="primary">
            {t`Add First Lot`}
          </ButtonLink>
        }
      >
        {t`Add a lot. Each roast linked to it deducts its green weight.`}
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={<Search aria-hidden />}
      title={t`No inventory lots found`}
      action={
        filters.count > 0 ? (
          <Button onClick={filters.reset}>{t`Reset filters (${filters.count})`}</Button>
        ) : (
          <Button onClick={() => filters.choose({ status: everyStatus })}>{t`Show all statuses`}</Button>
        )
      }
    >
      {total === 1
        ? t`The only lot does not match the filters.`
        : t`None of the ${formatCount(total)} lots match the filters.`}
    </EmptyState>
  );
};

interface ExportLotsButtonProps {
  /** The filters of the list: every lot that matches is exported, on whatever page it is. */
  query: Omit<NonNullable<QueryOf<typeof listLots>>, 'limit' | 'offset'>;
  total: number | undefined;
}

/** Downloads the lots that the filters show as CSV. */
export const ExportLotsButton = ({ query, total }: ExportLotsButtonProps) => (
  <a
    href={addressOf(exportLots, undefined, query)}
    download
    className={buttonClass()}
    title={total === undefined ? t`Export as CSV` : t`Export ${formatCount(total)} lots as CSV`}
  >
    <Download aria-hidden />
    {t`Export`}
  </a>
);
