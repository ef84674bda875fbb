import { useEffect, useState } from 'react';
import { useLocation } from 'react-router-dom';

/** The selected rows. They are stored whole, so that they stay selected and can be named across pages and filters. */
export interface Selection<Row> {
  readonly rows: readonly Row[];
  has: (row: Row) => boolean;
  select: (rows: readonly Row[]) => void;
  toggle: (row: Row) => void;
  /** Selects every row of a page, or clears them when all are selected. */
  togglePage: (page: readonly Row[]) => void;
  /** State of the box that stands for a whole page of rows. */
  stateOf: (page: readonly Row[]) => { checked: boolean; indeterminate: boolean };
}

type ById<Row> = ReadonlyMap<string, Row>;

export const selectionOf = <Row>(
  selected: ById<Row>,
  rowId: (row: Row) => string,
  onChange: (selected: ById<Row>) => void,
): Selection<Row> => {
  const has = (row: Row): boolean => selected.has(rowId(row));
  const byId = (rows: readonly Row[]): ById<Row> => new Map(rows.map((row) => [rowId(row), row]));
  const rows = [...selected.values()];
  const without = (gone: readonly Row[]): ById<Row> => {
    const ids = byId(gone);
    return byId(rows.filter((row) => !ids.has(rowId(row))));
  };
  const isFull = (page: readonly Row[]): boolean => page.length > 0 && page.every(has);
  return {
    rows,
    has,
    select: (next) => onChange(byId(next)),
    toggle: (row) => onChange(has(row) ? without([row]) : byId([...rows, row])),
    togglePage: (page) => onChange(isFull(page) ? without(page) : byId([...rows, ...page])),
    stateOf: (page) => ({ checked: isFull(page), indeterminate: !isFull(page) && page.some(has) }),
  };
};

const entryKey = 'selected';

/** The selection of the list `name` in the current entry of the history. */
const keptRows = (name: string): readonly unknown[] => {
  const state = history.state as { [entryKey]?: Record<string, readonly unknown[]> } | null;
  return state?.[entryKey]?.[name] ?? [];
};

/** The rows stay selected on return from one of them: they are kept in the entry of the history. */
export const useSelection = <Row>(name: string, rowId: (row: Row) => string): Selection<Row> => {
  const [selected, setSelected] = useState<ById<Row>>(
    () => new Map((keptRows(name) as readonly Row[]).map((row) => [rowId(row), row])),
  );
  const { key } = useLocation();
  useEffect(() => {
    const state = history.state as object | null;
    if (selected.size === 0 && keptRows(name).length === 0) return;
    history.replaceState({ ...state, [entryKey]: { [name]: [...selected.values()] } }, '');
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- a change of the address, by a filter for example, replaces the entry
  }, [selected, name, key]);
  return selectionOf(selected, rowId, setSelected);
};
