import { Fragment } from 'react';
import { Link } from 'react-router-dom';
import { t } from '../../language/t.ts';
import { Checkbox } from '../../ui/Checkbox.tsx';
import { classes } from '../../ui/classes.ts';
import { Skeleton } from '../../ui/Card.tsx';
import { fromList, memoRow, type Column, type OneRowProps, type RowProps } from './columns.ts';

/** The rows of a table for a phone: two lines each if its columns define them, else cards. */
export const StackedRows = <Row,>(props: RowProps<Row>) =>
  props.columns.some(({ phone }) => phone === 'title') ? <TwoLineRows {...props} /> : <Cards {...props} />;

const skeletonRows = 8;
/** A row of 64 to 88 px. Until it is near the screen its content is assumed to have 44 px, besides the padding. */
const rowClass =
  'relative flex min-h-16 items-center gap-2 px-4 py-2.5 [contain-intrinsic-size:auto_2.75rem] [content-visibility:auto]';

interface SelectRowProps<Row> extends Required<Pick<RowProps<Row>, 'rowLabel' | 'selection'>> {
  row: Row;
  className: string;
}

/** Above the link that covers the row. */
const SelectRow = <Row,>({ row, rowLabel, selection, className }: SelectRowProps<Row>) => (
  <Checkbox
    label={t`Select ${rowLabel(row)}`}
    hideLabel
    checked={selection.has(row)}
    onChange={() => selection.toggle(row)}
    className={classes('relative z-1 -ml-2', className)}
  />
);

/** The subject of the row on the first line; time, place and person on the second. */
const TwoLineRows = <Row,>(props: RowProps<Row>) => {
  const { label, columns, rows, drawn, rowId, rowLabel, rowLink, rowActions, selection } = props;
  return (
    <ul aria-label={label} className="divide-y divide-stroke">
      {rows === undefined &&
        Array.from({ length: skeletonRows }, (_, i) => (
          <li key={i} className={classes(rowClass, 'flex-col items-start justify-center')}>
            <Skeleton className="h-4 w-1/2" />
            <Skeleton className="h-3.5 w-3/4" />
          </li>
        ))}
      {rows?.slice(0, drawn).map((row) => (
        <TwoLineRow
          key={rowId(row)}
          {...{ row, columns, rowLabel, rowLink, selection }}
          rowActions={props.phoneActions ?? rowActions}
        />
      ))}
    </ul>
  );
};

const TwoLineRow = memoRow(<Row,>({ row, columns, rowLabel, rowLink, rowActions, selection }: OneRowProps<Row>) => {
  const at = (place: Column<Row>['phone']) => columns.filter(({ phone }) => phone === place);
  const details = at('detail');
  // Texts give way to figures; among texts the first one has the most room.
  const isFirm = (column: Column<Row>, place: number): boolean =>
    details.some(({ share }) => share !== undefined) ? column.share === undefined : place === 0 && details.length > 1;
  // The usual name comes before the id of the row, and a long one is cut in favour of the following text, a batch number
  // for example.
  const title = at('title')
    .toSorted((one, other) => Number(one.isName ?? false) - Number(other.isName ?? false))
    .map((column, place) => (
      <span key={column.id} className={classes('truncate', place > 0 && 'max-w-3/5 shrink-0')}>
        {column.cell(row)}
      </span>
    ));
  return (
    <li className={classes(rowClass, selection?.has(row) && 'bg-selected')}>
      {selection !== undefined && <SelectRow {...{ row, rowLabel, selection }} className="px-2" />}
      <div className="min-w-0 flex-1">
        <div className="flex min-w-0 items-baseline justify-between gap-3">
          {rowLink === undefined ? (
            <span className="flex min-w-0 flex-1 items-baseline gap-2 font-medium text-strong">{title}</span>
          ) : (
            <Link
              to={rowLink(row)}
              state={fromList}
              className="flex min-w-0 flex-1 items-baseline gap-2 font-medium text-strong after:absolute after:inset-0"
            >
              {title}
            </Link>
          )}
          <span className="figures shrink-0">{at('side').map((column) => column.cell(row))}</span>
        </div>
        <div className="figures mt-0.5 flex min-w-0 items-center text-sm text-muted">
          {details.map((column, place) => (
            <Fragment key={column.id}>
              {place > 0 && (
                <span aria-hidden className="px-1">
                  ·
                </span>
              )}
              <span className={classes('truncate', isFirm(column, place) && 'max-w-2/3 shrink-0')}>
                {column.cell(row)}
              </span>
            </Fragment>
          ))}
        </div>
      </div>
      {rowActions !== undefined && <span className="relative z-1 -mr-2 flex">{rowActions(row)}</span>}
    </li>
  );
});

/** The name on top, then one line for each column. */
const Cards = <Row,>({
  label,
  columns,
  rows,
  drawn,
  rowId,
  rowLabel,
  rowLink,
  rowActions,
  selection,
}: RowProps<Row>) => (
  <ul aria-label={label} className="divide-y divide-stroke">
    {rows === undefined &&
      Array.from({ length: 5 }, (_, i) => (
        <li key={i} className="flex flex-col gap-3 p-4">
          <Skeleton className="h-4 w-1/2" />
          <Skeleton className="h-3.5 w-3/4" />
          <Skeleton className="h-3.5 w-2/3" />
        </li>
      ))}
    {rows?.slice(0, drawn).map((row) => (
      <RowCard key={rowId(row)} {...{ row, columns, rowLabel, rowLink, rowActions, selection }} />
    ))}
  </ul>
);

const RowCard = memoRow(<Row,>({ row, columns, rowLabel, rowLink, rowActions, selection }: OneRowProps<Row>) => {
  const name = columns.find((column) => column.isName);
  const lines = columns.filter((column) => !column.isName && column.phone !== 'none');
  return (
    <li className={classes('relative flex gap-2 p-4', selection?.has(row) && 'bg-selected')}>
      {selection !== undefined && <SelectRow {...{ row, rowLabel, selection }} className="-mt-2.5 self-start px-2" />}
      <div className="min-w-0 flex-1">
        <div className="flex min-h-6 items-start justify-between gap-3">
          {rowLink !== undefined ? (
            <Link
              to={rowLink(row)}
              state={fromList}
              className="min-w-0 font-medium text-strong after:absolute after:inset-0"
            >
              {name?.cell(row)}
            </Link>
          ) : (
            <span className="min-w-0 font-medium text-strong">{name?.cell(row)}</span>
          )}
          {rowActions !== undefined && <span className="relative z-1 -my-2 -mr-2 flex gap-1">{rowActions(row)}</span>}
        </div>
        <dl className="mt-1.5 grid grid-cols-2 gap-x-4 gap-y-1.5 text-sm">
          {lines.map((column) => (
            <div key={column.id} className="min-w-0 last:odd:col-span-2">
              <dt className="label-mono text-2xs">{column.label}</dt>
              <dd className="figures wrap-anywhere">{column.cell(row)}</dd>
            </div>
          ))}
        </dl>
      </div>
    </li>
  );
});
