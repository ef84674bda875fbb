import { ArrowDown, ArrowUp, ChevronsUpDown } from 'lucide-react';
import { memo } from 'react';
import { Link } from 'react-router-dom';
import { t } from '../../language/t.ts';
import { Checkbox } from '../../ui/Checkbox.tsx';
import { classes } from '../../ui/classes.ts';
import { Skeleton } from '../../ui/Card.tsx';
import {
  fromList,
  isDescending,
  memoRow,
  nextSort,
  sortField,
  type Column,
  type OneRowProps,
  type RowProps,
} from './columns.ts';

const cellClass =
  'h-11 border-b border-stroke px-1.5 whitespace-nowrap max-xl:px-1 first:pl-4 last:pr-4 max-xl:first:pl-1 max-xl:last:pr-1 2xl:px-2';
/** Stays visible while the row scrolls below it; the covered text fades out. */
const actionsClass =
  "sticky right-0 bg-inherit before:absolute before:inset-y-0 before:right-full before:w-6 before:bg-inherit before:content-[''] before:[mask-image:linear-gradient(to_left,black,transparent)]";
/** What fades is room beside the last column, not its text. */
const fadeRoom = '[&_td:nth-last-child(2)]:pr-6 [&_th:nth-last-child(2)]:pr-6';
/** Text, unlike a checkbox, has no room of its own beside the edge. */
const edgeRoom = '[&_td:first-child]:pl-4 [&_th:first-child]:pl-4';
const skeletonRows = 10;

/** Beside each other they need more than a tablet has: the table then scrolls sideways. */
const manyColumns = 9;

/** Rows of 44 px or more, from 1280 px on under a sticky head; the page scrolls, not the table. The whole row is a link; its buttons work on their own. */
export const Rows = <Row,>(props: RowProps<Row>) => {
  const { label, columns, rows, drawn, rowId, rowLabel, rowLink, rowActions, sort = '', onSort, selection } = props;
  const isLong = columns.length >= manyColumns && !columns.some(({ isWide }) => isWide);
  return (
    <div className="overflow-x-auto xl:overflow-x-visible">
      <table
        aria-label={label}
        className={classes(
          'w-full border-separate border-spacing-0 text-sm',
          isLong && 'min-w-260',
          rowActions !== undefined && fadeRoom,
          selection === undefined && edgeRoom,
        )}
      >
        <thead className="z-10 bg-surface xl:sticky xl:top-13.5">
          <tr className="bg-inherit">
            {selection !== undefined && (
              <th scope="col" className={classes(cellClass, 'w-10')}>
                <Checkbox
                  label={t`Select all ${label.toLowerCase()} on this page`}
                  hideLabel
                  {...selection.stateOf(rows ?? [])}
                  onChange={() => selection.togglePage(rows ?? [])}
                />
              </th>
            )}
            {columns.map((column) => (
              <Head key={column.id} column={column} sort={sort} onSort={onSort} />
            ))}
            {rowActions !== undefined && (
              <th scope="col" className={classes(cellClass, actionsClass, 'w-12')}>
                <span className="sr-only">{t`Actions`}</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {rows === undefined && (
            <SkeletonRows
              columns={columns}
              isSelectable={selection !== undefined}
              hasActions={rowActions !== undefined}
            />
          )}
          {rows?.slice(0, drawn).map((row) => (
            <GridRow key={rowId(row)} {...{ row, columns, rowLabel, rowLink, rowActions, selection }} />
          ))}
        </tbody>
      </table>
    </div>
  );
};

interface SkeletonRowsProps {
  columns: readonly Pick<Column<never>, 'id' | 'align' | 'isWide'>[];
  isSelectable: boolean;
  hasActions: boolean;
}

/** A page renders several times while its answers arrive, and these are as many parts as its rows. */
const SkeletonRows = memo(({ columns, isSelectable, hasActions }: SkeletonRowsProps) =>
  Array.from({ length: skeletonRows }, (_, i) => (
    <tr key={i}>
      {isSelectable && <td aria-hidden className={cellClass} />}
      {columns.map((column) => (
        <td key={column.id} className={classes(cellClass, column.isWide && 'max-xl:hidden')}>
          <Skeleton className={classes('h-3.5', column.align === 'right' ? 'ml-auto w-12' : 'w-3/4 min-w-12')} />
        </td>
      ))}
      {hasActions && <td aria-hidden className={cellClass} />}
    </tr>
  )),
);

/** Rows that are drawn already are not drawn again with the next ones. */
const GridRow = memoRow(<Row,>({ row, columns, rowLabel, rowLink, rowActions, selection }: OneRowProps<Row>) => {
  const isSelected = selection?.has(row) ?? false;
  return (
    <tr className={classes('group relative', isSelected ? 'bg-selected' : 'bg-surface hover:bg-hover')}>
      {selection !== undefined && (
        <td className={cellClass}>
          <Checkbox
            label={t`Select ${rowLabel(row)}`}
            hideLabel
            checked={isSelected}
            onChange={() => selection.toggle(row)}
            className="relative z-1"
          />
        </td>
      )}
      {columns.map((column) => (
        <td
          key={column.id}
          className={classes(
            cellClass,
            column.share === undefined && column.wraps !== true
              ? 'max-w-52 truncate'
              : 'py-1.5 leading-tight wrap-break-word whitespace-normal!',
            column.isWide && 'max-xl:hidden',
            column.align === 'right' && 'figures text-right',
          )}
        >
          {column.isName && rowLink !== undefined ? (
            <Link
              to={rowLink(row)}
              state={fromList}
              className="font-medium text-strong after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-focus"
            >
              {column.cell(row)}
            </Link>
          ) : (
            column.cell(row)
          )}
        </td>
      ))}
      {rowActions !== undefined && (
        <td className={classes(cellClass, actionsClass, 'text-right')}>
          <span className="relative z-1 inline-flex gap-1">{rowActions(row)}</span>
        </td>
      )}
    </tr>
  );
});

interface HeadProps<Row> {
  column: Column<Row>;
  sort: string;
  onSort: ((sort: string) => void) | undefined;
}

const Head = <Row,>({ column, sort, onSort }: HeadProps<Row>) => {
  const field = column.sort;
  const isSorted = field !== undefined && sortField(sort) === field;
  const SortIcon = !isSorted ? ChevronsUpDown : isDescending(sort) ? ArrowDown : ArrowUp;
  return (
    <th
      scope="col"
      aria-sort={isSorted ? (isDescending(sort) ? 'descending' : 'ascending') : undefined}
      className={classes(
        cellClass,
        'label-mono h-10 font-medium',
        column.align === 'right' ? 'text-right' : 'text-left',
        column.width,
        column.isWide && 'max-xl:hidden',
      )}
      {...(column.share !== undefined && { style: { width: `${column.share}%` } })}
    >
      {field === undefined || onSort === undefined ? (
        <span className={column.hideLabel ? 'sr-only' : undefined}>{column.label}</span>
      ) : (
        <button
          type="button"
          onClick={() => onSort(nextSort(sort, field))}
          className={classes(
            'group/sort relative inline-flex items-center gap-1 rounded-sm uppercase hover:text-strong',
            isSorted && 'text-strong',
          )}
        >
          {column.label}
          <SortIcon
            aria-hidden
            className={classes(
              'size-3',
              // Needs no space while it is invisible.
              !isSorted &&
                'absolute left-full ml-0.5 opacity-0 group-hover/sort:opacity-100 group-focus-visible/sort:opacity-100',
            )}
          />
        </button>
      )}
    </th>
  );
};
