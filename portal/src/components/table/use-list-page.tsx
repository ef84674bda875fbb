import type { ResponseOf } from '@roastery/contract/endpoint';
import { Trash2 } from 'lucide-react';
import { useCallback, type ReactNode } from 'react';
import type { AnyEndpoint, ReadInput } from '../../api/call.ts';
import { useApi } from '../../api/use-api.ts';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';
import { oneOf, useUrlState } from '../url-state.ts';
import { useDeletion, type Deletion } from '../use-deletion.tsx';
import { useSelection } from './selection.ts';

/** The request of the list, besides the filters of the page. */
interface PageQuery<Sort extends string> {
  limit: number;
  offset: number;
  q?: string;
  sort?: Sort;
}

interface ListPageOptions<E extends AnyEndpoint, Row, Sort extends string, Answer> {
  /** The request for a page. Filters of the page are added here. */
  input: (page: PageQuery<Sort>) => ReadInput<E>;
  rows: (answer: ResponseOf<E>) => readonly Row[];
  /** All rows that match, on every page; without it the list has no pages. */
  total?: (answer: ResponseOf<E>) => number;
  rowId: (row: Row) => string;
  /** Every sort that the server accepts, and the default one. */
  sorts?: readonly Sort[];
  initialSort?: NoInfer<Sort>;
  pageSize: number;
  /** The person chooses among these; the choice is in the address. */
  pageSizes?: readonly number[];
  /** Shows no paging while one page holds all rows. */
  hidesSinglePage?: boolean;
  refreshInterval?: number;
  /** Makes rows selectable and deletable together; `deletion.ask` deletes single rows. */
  deletion?: Deletion<Row, Answer>;
  /** Rows can only be deleted one by one. */
  isSelectable?: boolean;
}

/** `name` and `-name` for each field that the server sorts by. */
export const bothWays = <Field extends string>(fields: readonly Field[]): readonly (Field | `-${Field}`)[] =>
  fields.flatMap((field): (Field | `-${Field}`)[] => [field, `-${field}`]);

/**
 * State of a page with a list: search, sort, page and page size are kept in the address, the server applies them. Selected rows
 * and bulk deletion belong to it as well. `table` goes to `DataTable`, `search` to `ListSearch`, `dialog` anywhere on the page.
 */
export const useListPage = <E extends AnyEndpoint, Row, Sort extends string = never, Answer = unknown>(
  endpoint: E,
  options: ListPageOptions<E, Row, Sort, Answer>,
) => {
  const { input, rows, total, rowId, sorts = [], initialSort, pageSize: usualSize, pageSizes } = options;
  const { refreshInterval, isSelectable = true, hidesSinglePage = false } = options;
  const { read, change } = useUrlState();
  const q = read('q') ?? '';
  const sort = initialSort === undefined ? undefined : oneOf(sorts, read('sort'), initialSort);
  const page = Math.max(1, Math.floor(Number(read('page') ?? 1)) || 1);
  const pageSize = Number(oneOf((pageSizes ?? []).map(String), read('rows'), String(usualSize)));
  const asked = { ...(q === '' ? {} : { q }), ...(sort === undefined ? {} : { sort }) };
  const { data, error, isValidating, isLoading, mutate } = useApi(
    endpoint,
    input({ limit: pageSize, offset: (page - 1) * pageSize, ...asked }),
    { keepPreviousData: true, ...(refreshInterval !== undefined && { refreshInterval }) },
  );
  const searchFor = useCallback((text: string) => change({ q: text.trim() }), [change]);
  const selection = useSelection(endpoint.name, rowId);
  const deletion = useDeletion(options.deletion, selection.select);
  const shown = data === undefined ? undefined : rows(data);
  const count = data === undefined ? undefined : total?.(data);
  const sortBy = (next: string) => change({ sort: next === initialSort ? undefined : next });
  const bulkActions = (selected: readonly Row[]): ReactNode => (
    <Button icon={<Trash2 aria-hidden />} onClick={() => deletion.ask(selected)}>
      {t`Delete (${selected.length})`}
    </Button>
  );
  const sizes = pageSizes && {
    pageSizes,
    onPageSize: (size: number) => change({ rows: size === usualSize ? undefined : String(size) }),
  };
  const hasPages = total !== undefined && !(hidesSinglePage && page === 1 && (count ?? 0) <= pageSize);
  const onPage = (next: number) => change({ page: next === 1 ? undefined : String(next) });
  return {
    data,
    error,
    total: count,
    /** Search and sort as the server takes them, e.g. for an export of the whole list. */
    asked,
    sort,
    sortBy,
    search: { q, searchFor, clear: () => change({ q: undefined }) },
    delete: deletion.ask,
    dialog: deletion.dialog,
    bulkActions,
    table: {
      rows: shown,
      rowId,
      error,
      onRetry: () => void mutate(),
      isLoading,
      isRefreshing: isValidating && data !== undefined && refreshInterval === undefined,
      ...(sort !== undefined && { sort, onSort: sortBy }),
      ...(options.deletion !== undefined && isSelectable && { selection, bulkActions }),
      ...(hasPages && { paging: { page, pageSize, total: count, onPage, ...sizes } }),
    },
  };
};
