import type { ReactNode } from 'react';
import type { Column } from './columns.ts';

export interface Selection {
  selected: ReadonlySet<string>;
  onChange: (selected: ReadonlySet<string>) => void;
  /** Buttons of the bulk bar. */
  actions: (selected: ReadonlySet<string>) => ReactNode;
}

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
  selection?: Selection;
}
