import {
  deleteLotImport,
  listLotImportRows,
  listLotImports,
  lotImportRowSorts,
  lotRowProblems,
  startLotImport,
  undoLotImport,
  type LotImport,
} from '@roastery/contract/lot-imports';
import { FileSearch } from 'lucide-react';
import { useEffect, useMemo } from 'react';
import { call } from '../../../api/call.ts';
import { refresh, useInOrder, type InOrder } from '../../../api/use-api.ts';
import { EmptyState } from '../../../components/EmptyState.tsx';
import { ImportProgress } from '../../../components/ImportProgress.tsx';
import { paths } from '../../../components/paths.ts';
import { DataTable } from '../../../components/table/DataTable.tsx';
import { ListSearch, NoMatch } from '../../../components/table/ListControls.tsx';
import { useListPage } from '../../../components/table/use-list-page.tsx';
import { oneOf, useUrlState } from '../../../components/url-state.ts';
import { formatCount } from '../../../format/numbers.ts';
import { t } from '../../../language/t.ts';
import { ButtonLink } from '../../../ui/Button.tsx';
import { Select } from '../../../ui/Select.tsx';
import { weightText } from '../../../format/weights.ts';
import { refreshLots } from '../lots.ts';
import { ColumnsPanel } from './ColumnsPanel.tsx';
import { problemLabels, rowColumns } from './row-columns.tsx';

const headlineOf = (one: LotImport): string => {
  if (one.state === 'open') {
    return t`${formatCount(one.ready)} of ${formatCount(one.rows)} lots can be imported, ${weightText(one.ready_kg)}`;
  }
  if (one.state === 'importing')
    return t`Importing: ${formatCount(one.imported)} done, ${formatCount(one.ready)} to go`;
  if (one.state === 'done')
    return one.imported === 1 ? t`1 lot imported` : t`${formatCount(one.imported)} lots imported`;
  if (one.state === 'undoing') return t`Deleting: ${formatCount(one.imported)} to go`;
  return t`Undone: ${formatCount(one.undone)} lots deleted`;
};

const shareOf = (one: LotImport): number | undefined => {
  if (one.state === 'importing') return one.imported / Math.max(1, one.imported + one.ready);
  if (one.state === 'undoing') return one.undone / Math.max(1, one.undone + one.imported);
  return undefined;
};

interface LotImportReviewProps {
  import: LotImport;
  isAtWork: boolean;
  /** With nothing, the import is read again. */
  onChanged: (next?: LotImport) => void;
  onLeave: () => void;
}

/** An import of lots: its columns, the problems of its rows, and the next step. */
export const LotImportReview = ({ import: one, isAtWork, onChanged, onLeave }: LotImportReviewProps) => {
  const params = { id: one.id };
  const { inOrder, isSaving } = useInOrder();
  const show = async (next: LotImport) => {
    onChanged(next);
    await refresh(listLotImports, listLotImportRows);
  };
  useEffect(() => {
    // The import added or deleted lots.
    if (!isAtWork && one.state !== 'open') void refreshLots();
  }, [isAtWork, one.state]);
  return (
    <div className="flex flex-col gap-4">
      <ImportProgress
        import={one}
        headline={headlineOf(one)}
        share={shareOf(one)}
        startLabel={one.ready === 1 ? t`Import 1 lot` : t`Import ${formatCount(one.ready)} lots`}
        // The last choice for a column or a row is applied first.
        canStart={!isSaving}
        onStart={async () => show(await call(startLotImport, { params }))}
        undoQuestion={t`Delete the ${formatCount(one.imported)} lots of this import? Lots in use are kept.`}
        undoLabel={t`Delete lots`}
        onUndo={async () => show(await call(undoLotImport, { params }))}
        onDelete={async () => {
          await call(deleteLotImport, { params });
          await refresh(listLotImports);
          onLeave();
        }}
        onLeave={onLeave}
        result={<ButtonLink kind="primary" to={paths.lots}>{t`Show lots`}</ButtonLink>}
      />
      {one.state === 'open' && <ColumnsPanel import={one} inOrder={inOrder} isSaving={isSaving} onChanged={show} />}
      <RowsTable import={one} isAtWork={isAtWork} inOrder={inOrder} onChanged={onChanged} />
    </div>
  );
};

const filters = ['all', 'any', 'none', ...lotRowProblems] as const;

interface RowsTableProps extends Omit<LotImportReviewProps, 'onLeave'> {
  inOrder: InOrder;
}

const RowsTable = ({ import: one, isAtWork, inOrder, onChanged }: RowsTableProps) => {
  const { read, change } = useUrlState();
  const problem = oneOf(filters, read('problem'), 'all');
  const list = useListPage(listLotImportRows, {
    input: (page) => ({ params: { id: one.id }, query: { ...page, ...(problem === 'all' ? {} : { problem }) } }),
    rows: ({ rows }) => rows,
    total: ({ total }) => total,
    rowId: ({ line }) => String(line),
    sorts: lotImportRowSorts,
    initialSort: 'line',
    pageSize: 50,
    pageSizes: [50, 200, 500],
    ...(isAtWork ? { refreshInterval: 2000 } : {}),
  });
  // The last lots were added or deleted after the list was last read.
  useEffect(() => {
    if (!isAtWork) void refresh(listLotImportRows);
  }, [isAtWork]);
  const columns = useMemo(
    () =>
      rowColumns(one.state === 'open', {
        importId: one.id,
        inOrder,
        onChanged: () => {
          void refresh(listLotImportRows);
          onChanged();
        },
      }),
    [one.id, one.state, inOrder, onChanged],
  );
  const withAny = one.problems.reduce((sum, { rows }) => sum + rows, 0);
  const choices = [
    { value: 'all', label: t`All rows (${formatCount(one.rows)})` },
    { value: 'any', label: t`With a problem (${formatCount(withAny)})` },
    { value: 'none', label: t`Ready (${formatCount(one.ready)})` },
    ...one.problems.map(({ problem: kind, rows }) => ({
      value: kind,
      label: `${problemLabels[kind]} (${formatCount(rows)})`,
    })),
  ] as const;
  return (
    <section aria-label={t`Rows`} className="flex flex-col gap-3">
      <div className="flex flex-wrap items-end gap-3">
        <ListSearch search={list.search} label={t`Search rows`} placeholder={t`Search lot, coffee or origin…`} />
        <Select
          label={t`Status`}
          hideLabel
          size="sm"
          className="w-full sm:w-64"
          choices={choices}
          value={problem}
          onChange={(next) => change({ problem: next === 'all' ? undefined : next, page: undefined })}
        />
      </div>
      <DataTable
        {...list.table}
        label={t`Rows`}
        columns={columns}
        rowLabel={({ line }) => t`line ${line}`}
        empty={
          problem !== 'all' || list.search.q !== '' ? (
            <NoMatch
              title={t`No row matches`}
              search={list.search}
              filters={{ count: problem === 'all' ? 0 : 1, reset: () => change({ problem: undefined }) }}
            />
          ) : (
            <EmptyState icon={<FileSearch aria-hidden />} title={t`No rows`} />
          )
        }
      />
    </section>
  );
};
