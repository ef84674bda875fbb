import { useCallback, useEffect, useSyncExternalStore, type ReactNode } from 'react';
import { t } from '../../language/t.ts';
import { Card } from '../../ui/Card.tsx';
import { ErrorLine } from '../ErrorState.tsx';
import { useGrowing } from '../use-growing.ts';
import type { RowProps } from './columns.ts';
import { Rows } from './Rows.tsx';
import { StackedRows } from './StackedRows.tsx';
import { lastPage, TableFooter, type Paging } from './TableFooter.tsx';

interface DataTableProps<Row> extends Omit<RowProps<Row>, 'drawn'> {
  error?: unknown;
  onRetry?: () => void;
  /** Shown without rows, and below the error when no rows could be loaded. */
  empty: ReactNode;
  paging?: Paging;
  /** Buttons beside the number of selected rows. */
  bulkActions?: (rows: readonly Row[]) => ReactNode;
  /** The next page is loading: the old one stays, dimmed. */
  isRefreshing?: boolean;
  isLoading?: boolean;
}

/** The table of the portal; its state comes from `useListPage`. On a phone every row is a card. */
export const DataTable = <Row,>(props: DataTableProps<Row>) => {
  const { error, onRetry, empty, paging, bulkActions, isRefreshing = false, isLoading = false, ...given } = props;
  const phone = usePhone();
  const failed = error !== undefined && error !== null;
  const isLeaving = useReturnToLastPage(paging, given.rows?.length === 0 && !failed);
  const drawn = useGrowing(given.rows?.length ?? 0, { first: 12, step: 16, isReady: given.rows !== undefined });
  const rows = isLeaving ? { ...given, rows: undefined } : given;
  const nothing = rows.rows?.length === 0 || (failed && rows.rows === undefined);
  return (
    <div className="flex flex-col gap-3">
      {failed && (
        <ErrorLine
          title={t`${rows.label} could not be loaded`}
          error={error}
          {...(onRetry === undefined ? {} : { onRetry })}
        />
      )}
      <Card className="overflow-clip" aria-busy={rows.rows === undefined || isRefreshing}>
        {nothing ? (
          empty
        ) : (
          <div className={isRefreshing ? 'opacity-60 transition-opacity delay-150' : 'transition-opacity'}>
            {phone ? <StackedRows {...rows} drawn={drawn} /> : <Rows {...rows} drawn={drawn} />}
          </div>
        )}
        {!nothing && (paging !== undefined || rows.selection !== undefined) && (
          <TableFooter {...{ paging, bulkActions, isLoading }} selection={rows.selection} />
        )}
      </Card>
    </div>
  );
};

/**
 * Goes to the last page when the page in the address does not exist: its rows were deleted, or the address is an old
 * one. True until that page is shown.
 */
const useReturnToLastPage = (paging: Paging | undefined, isEmpty: boolean): boolean => {
  const last = lastPage(paging);
  const isBeyond = isEmpty && paging !== undefined && last !== undefined && last > 0 && paging.page > last;
  useEffect(() => {
    if (isBeyond && last !== undefined) paging?.onPage(last);
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- pages pass a new function on every render
  }, [isBeyond, last]);
  return isBeyond;
};

export const useNarrowerThan = (pixels: number): boolean => {
  const query = `(max-width: ${pixels - 0.02}px)`;
  const subscribe = useCallback(
    (listener: () => void) => {
      const list = matchMedia(query);
      list.addEventListener('change', listener);
      return () => list.removeEventListener('change', listener);
    },
    [query],
  );
  return useSyncExternalStore(subscribe, () => matchMedia(query).matches);
};

/** True on the width of a phone, where tables become cards: below Tailwind's `sm`. */
const usePhone = (): boolean => useNarrowerThan(640);
