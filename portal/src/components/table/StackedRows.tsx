import { Link } from 'react-router-dom';
import { t } from '../../language/t.ts';
import { Checkbox } from '../../ui/Checkbox.tsx';
import { classes } from '../../ui/classes.ts';
import { Skeleton } from '../../ui/Card.tsx';
import type { RowProps } from './columns.ts';

/** The rows of a table as cards, for a phone: the name on top, then one line for each column. */
export const StackedRows = <Row,>(props: RowProps<Row>) => {
  const { label, columns, rows, rowId, rowLabel, rowLink, rowActions, selection } = props;
  const name = columns.find((column) => column.isName);
  const lines = columns.filter((column) => !column.isName && column.phone !== 'none');
  return (
    <ul aria-label={label} className="divide-y divide-stroke">
      {rows === undefined &&
        Array.from({ length: 5 }, (_, i) => (
          <li key={i} className="flex flex-col gap-3 p-4">
            <Skeleton className="h-4 w-1/2" />
            <Skeleton className="h-3.5 w-3/4" />
            <Skeleton className="h-3.5 w-2/3" />
          </li>
        ))}
      {rows?.map((row) => {
        const id = rowId(row);
        const isSelected = selection?.has(row) ?? false;
        return (
          <li key={id} className={classes('relative flex gap-2 p-4', isSelected && 'bg-selected')}>
            {selection !== undefined && (
              <Checkbox
                label={t`Select ${rowLabel(row)}`}
                hideLabel
                checked={isSelected}
                onChange={() => selection.toggle(row)}
                className="relative z-1 -mt-2.5 -ml-2 self-start px-2"
              />
            )}
            <div className="min-w-0 flex-1">
              <div className="flex min-h-6 items-start justify-between gap-3">
                {rowLink !== undefined ? (
                  <Link to={rowLink(row)} className="min-w-0 font-medium text-strong after:absolute after:inset-0">
                    {name?.cell(row)}
                  </Link>
                ) : (
                  <span className="min-w-0 font-medium text-strong">{name?.cell(row)}</span>
                )}
                {rowActions !== undefined && (
                  <span className="relative z-1 -my-2 -mr-2 flex gap-1">{rowActions(row)}</span>
                )}
              </div>
              <dl className="mt-1.5 grid grid-cols-2 gap-x-4 gap-y-1.5 text-sm">
                {lines.map((column) => (
                  <div key={column.id} className="min-w-0 last:odd:col-span-2">
                    <dt className="label-mono text-2xs">{column.label}</dt>
                    <dd className="figures truncate">{column.cell(row)}</dd>
                  </div>
                ))}
              </dl>
            </div>
          </li>
        );
      })}
    </ul>
  );
};
