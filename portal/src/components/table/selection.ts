import { useEffect, useState } from 'react';
import { useLocation } from 'react-router-dom';
import { useUser } from '../../api/session.tsx';

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

/** Of each person, by list and entry of the history. In memory: nothing of it outlives the session. */
const kept = new WeakMap<object, Map<string, ById<unknown>>>();

const keptOf = (person: object): Map<string, ById<unknown>> => {
  const own = kept.get(person) ?? new Map<string, ById<unknown>>();
  kept.set(person, own);
  return own;
};

/** The rows of the list `name`. They stay selected on return from one of them. */
export const useSelection = <Row>(name: string, rowId: (row: Row) => string): Selection<Row> => {
  const person = useUser();
  const entry = `${name} ${useLocation().key}`;
  const [selected, setSelected] = useState<ById<Row>>(
    () => (keptOf(person).get(entry) as ById<Row> | undefined) ?? new Map<string, Row>(),
  );
  useEffect(() => {
    keptOf(person).set(entry, selected);
  }, [person, entry, selected]);
  return selectionOf(selected, rowId, setSelected);
};
