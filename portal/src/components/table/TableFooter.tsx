import { formatCount } from '../../format/numbers.ts';
import { ChevronLeft, ChevronRight, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { t } from '../../language/t.ts';
import { classes } from '../../ui/classes.ts';
import { IconButton } from '../../ui/IconButton.tsx';
import { Select } from '../../ui/Select.tsx';
import type { Selection } from './selection.ts';

export interface Paging {
  /** 1 for the first. */
  page: number;
  pageSize: number;
  /** All rows that match, on every page; `undefined` until known. */
  total: number | undefined;
  onPage: (page: number) => void;
  pageSizes?: readonly number[];
  onPageSize?: (pageSize: number) => void;
}

/** Number of the last page: 0 without rows, undefined until known. */
export const lastPage = (paging: Paging | undefined): number | undefined =>
  paging?.total === undefined ? undefined : Math.ceil(paging.total / paging.pageSize);

interface TableFooterProps<Row> {
  paging: Paging | undefined;
  selection: Selection<Row> | undefined;
  bulkActions: ((rows: readonly Row[]) => ReactNode) | undefined;
  /** The requested page is not here yet. */
  isLoading: boolean;
}

/** The selection with its actions at the left, paging at the right. With a selection it stays at the end of the window. */
export const TableFooter = <Row,>({ paging, selection, bulkActions, isLoading }: TableFooterProps<Row>) => {
  const count = selection?.rows.length ?? 0;
  return (
    <footer
      className={classes(
        'flex min-h-12 flex-wrap items-center justify-between gap-x-4 gap-y-2 border-t border-stroke bg-surface px-4 py-2 -mt-px text-sm',
        count > 0 && 'sticky bottom-0 z-10 max-lg:bottom-[calc(3.5rem+env(safe-area-inset-bottom))]',
      )}
    >
      <div className="flex min-h-8 flex-wrap items-center gap-2">
        {selection !== undefined && count > 0 && (
          <>
            <span aria-live="polite" className="figures font-medium text-strong">
              {t`${count} selected`}
            </span>
            {bulkActions?.(selection.rows)}
            <IconButton label={t`Clear selection`} icon={<X aria-hidden />} onClick={() => selection.select([])} />
          </>
        )}
        {/* Announced at once, shown if it takes longer. */}
        <output className="text-muted">
          {isLoading && <span className="transition-opacity delay-300 starting:opacity-0">{t`Loading the list`}</span>}
        </output>
      </div>
      {paging !== undefined && <Pages {...paging} />}
    </footer>
  );
};

const Pages = (paging: Paging) => {
  const { page, pageSize, total, onPage, pageSizes, onPageSize } = paging;
  const last = Math.max(1, lastPage(paging) ?? page);
  const first = total === 0 ? 0 : (page - 1) * pageSize + 1;
  return (
    <nav aria-label={t`Pages`} className="flex items-center gap-3">
      {pageSizes !== undefined && onPageSize !== undefined && (
        <div className="flex items-center gap-2">
          <span aria-hidden className="text-muted max-sm:hidden">
            {t`Rows`}
          </span>
          <Select
            label={t`Rows per page`}
            hideLabel
            size="sm"
            className="w-20"
            choices={pageSizes.map((size) => ({ value: String(size), label: String(size) }))}
            value={String(pageSize)}
            onChange={(size) => onPageSize(Number(size))}
          />
        </div>
      )}
      <span className="figures text-muted">
        {total === undefined
          ? '…'
          : t`${formatCount(first)}–${formatCount(Math.min(page * pageSize, total))} of ${formatCount(total)}`}
      </span>
      <div className="flex">
        <IconButton
          label={t`Previous page`}
          icon={<ChevronLeft aria-hidden />}
          disabled={page <= 1}
          onClick={() => onPage(page - 1)}
        />
        <IconButton
          label={t`Next page`}
          icon={<ChevronRight aria-hidden />}
          disabled={page >= last}
          onClick={() => onPage(page + 1)}
        />
      </div>
    </nav>
  );
};
