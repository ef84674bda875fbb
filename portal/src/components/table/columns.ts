import type { ReactNode } from 'react';
import type { Selection } from './selection.ts';

export interface Column<Row> {
  id: string;
  label: string;
  /** The head is read aloud only: a column of stars needs no word above it. */
  hideLabel?: boolean;
  cell: (row: Row) => ReactNode;
  /** Name of the server's sort field; without one the column can't be sorted. */
  sort?: string;
  /** Figures are set at the right. */
  align?: 'right';
  /** Tailwind classes for its width, e.g. `w-28`. */
  width?: string;
  /** The column that names the row: it carries the link and can't be hidden. Exactly one a table. */
  isName?: boolean;
  /** Left out at first; the person can add it. */
  hiddenAtFirst?: boolean;
  /** On a phone a row is a card: its name on top, then these lines. `none` leaves a column out there. */
  phone?: 'line' | 'none';
}

/** What the rows of a table are drawn from, as a grid or as cards. */
export interface RowProps<Row> {
  /** Names the table: `Roasts`. */
  label: string;
  columns: readonly Column<Row>[];
  /** `undefined` while the first answer is on its way. */
  rows: readonly Row[] | undefined;
  rowId: (row: Row) => string;
  /** Names a row for its checkbox and buttons: `Roast PR-0193`. */
  rowLabel: (row: Row) => string;
  /** Where a click on the row, or Enter on its name, goes. */
  rowLink?: (row: Row) => string;
  /** Buttons at the end of a row. */
  rowActions?: (row: Row) => ReactNode;
  sort?: string;
  onSort?: (sort: string) => void;
  selection?: Selection<Row>;
}

/** `start_time` rising, `-start_time` falling. */
export const sortField = (sort: string): string => sort.replace(/^-/, '');
export const isFalling = (sort: string): boolean => sort.startsWith('-');

/** The sort after a click on a column's head: rising first, then the other way. */
export const nextSort = (current: string, field: string): string =>
  sortField(current) === field && !isFalling(current) ? `-${field}` : field;
