import { useState } from 'react';
import { useSession } from '../../api/session.tsx';
import type { Column } from './columns.ts';

export interface ColumnChoice<Row> {
  /** In the order of the table, with the name column always there. */
  visible: readonly Column<Row>[];
  all: readonly Column<Row>[];
  isVisible: (id: string) => boolean;
  toggle: (id: string) => void;
}

/** Which columns this person wants to see, remembered in this browser for each account. */
export const useColumns = <Row>(table: string, all: readonly Column<Row>[]): ColumnChoice<Row> => {
  const { user } = useSession();
  const key = `columns:${table}:${user?.id ?? ''}`;
  const [hidden, setHidden] = useState<ReadonlySet<string>>(() => {
    const stored = localStorage.getItem(key);
    const ids = stored === null ? all.filter((column) => column.hiddenAtFirst).map(({ id }) => id) : stored.split(',');
    return new Set(ids);
  });
  const isVisible = (id: string) => !hidden.has(id);
  const toggle = (id: string) => {
    const next = new Set(hidden);
    if (!next.delete(id)) next.add(id);
    localStorage.setItem(key, [...next].join(','));
    setHidden(next);
  };
  return { visible: all.filter((column) => column.isName || isVisible(column.id)), all, isVisible, toggle };
};
