import { useState } from 'react';
import type { Selection } from './row-props.ts';

/** Rows stay selected while a person pages and filters, so they are kept, not only their ids. */
export const useSelection = <Row>(shown: readonly Row[] | undefined, rowId: (row: Row) => string) => {
  const [selected, setSelected] = useState<ReadonlyMap<string, Row>>(new Map());
  const onChange: Selection['onChange'] = (ids) => {
    const known = new Map([...selected.values(), ...(shown ?? [])].map((row) => [rowId(row), row]));
    setSelected(new Map([...known].filter(([id]) => ids.has(id))));
  };
  return {
    ids: new Set(selected.keys()) as ReadonlySet<string>,
    rows: [...selected.values()] as readonly Row[],
    onChange,
    keep: (rows: readonly Row[]) => setSelected(new Map(rows.map((row) => [rowId(row), row]))),
  };
};
