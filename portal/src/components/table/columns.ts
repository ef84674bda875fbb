import { memo, type ReactNode } from 'react';
import type { Selection } from './selection.ts';

export interface Column<Row> {
  id: string;
  label: string;
  /** The head is for screen readers only: a column of stars needs no visible label. */
  hideLabel?: boolean;
  cell: (row: Row) => ReactNode;
  /** Name of the server's sort field; without one the column can't be sorted. */
  sort?: string;
  /** For numbers. */
  align?: 'right';
  /** Tailwind classes for its width, e.g. `w-28`. */
  width?: string;
  /** The column with the name of the row: it has the link and can't be hidden. Exactly one per table. */
  isName?: boolean;
  /** Hidden at first; the person can show it. */
  hiddenAtFirst?: boolean;
  /** Share of the table's width, %: its text takes more lines where that is narrow. */
  share?: number;
  /** Its text takes more lines where the table is narrow, without a share of its own. */
  wraps?: boolean;
  /** Only from 1280 px on: below, another column holds its value. */
  isWide?: boolean;
  /**
   * On a phone: on the first line of a row at the left, at its right end, or on the second line. A table without such
   * columns has a card for each row, its name on top and a line for each column except those with `none`.
   */
  phone?: 'title' | 'side' | 'detail' | 'none';
}

/** The data of a table, for the grid or the cards. */
export interface RowProps<Row> {
  /** Names the table: `Roasts`. */
  label: string;
  columns: readonly Column<Row>[];
  /** `undefined` while the first answer is loading. */
  rows: readonly Row[] | undefined;
  /** Number of rows to draw now; the others follow at once. */
  drawn: number;
  rowId: (row: Row) => string;
  /** Names a row for its checkbox and buttons: `Roast PR-0193`. */
  rowLabel: (row: Row) => string;
  /** The address of a click on the row, or of Enter on its name. */
  rowLink?: (row: Row) => string;
  /** Buttons at the end of a row. */
  rowActions?: (row: Row) => ReactNode;
  /** The same on a phone, where one menu has room. */
  phoneActions?: (row: Row) => ReactNode;
  sort?: string;
  onSort?: (sort: string) => void;
  selection?: Selection<Row>;
}

/** State of an address that a row of a list leads to. */
export const fromList = 'from-list';

/** A row that is rendered again only when one of these changes. */
export interface OneRowProps<Row> extends Pick<RowProps<Row>, 'columns' | 'rowLabel'> {
  row: Row;
  rowLink: RowProps<Row>['rowLink'];
  rowActions: RowProps<Row>['rowActions'];
  selection: RowProps<Row>['selection'];
}
type OneRow = <Row>(props: OneRowProps<Row>) => ReactNode;

/** `memo`, with the type parameter that it loses. */
export const memoRow = (row: OneRow): OneRow => memo(row) as OneRow;

/** `start_time` ascending, `-start_time` descending. */
export const sortField = (sort: string): string => sort.replace(/^-/, '');
export const isDescending = (sort: string): boolean => sort.startsWith('-');

/** The sort after a click on the head of a column: ascending first, then descending. */
export const nextSort = (current: string, field: string): string =>
  sortField(current) === field && !isDescending(current) ? `-${field}` : field;
