import { Columns3 } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useSession } from '../../api/session.tsx';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';
import { Menu, MenuToggle } from '../../ui/Menu.tsx';
import type { Column } from './columns.ts';

interface ColumnChoice<Row> {
  /** In the order of the table, with the name column always there. */
  visible: readonly Column<Row>[];
  all: readonly Column<Row>[];
  isVisible: (id: string) => boolean;
  toggle: (id: string) => void;
}

/** The columns that this person wants to see, stored in this browser for each account. Memoise `all`. */
export const useColumns = <Row,>(table: string, all: readonly Column<Row>[]): ColumnChoice<Row> => {
  const { user } = useSession();
  const key = `columns:${table}:${user?.id ?? ''}`;
  const [hidden, setHidden] = useState<ReadonlySet<string>>(() => {
    const stored = localStorage.getItem(key);
    const ids = stored === null ? all.filter((column) => column.hiddenAtFirst).map(({ id }) => id) : stored.split(',');
    return new Set(ids);
  });
  const isVisible = (id: string) => !hidden.has(id);
  const toggle = (id: string) => {
    const next = hidden.has(id) ? new Set([...hidden].filter((other) => other !== id)) : new Set([...hidden, id]);
    localStorage.setItem(key, [...next].join(','));
    setHidden(next);
  };
  const visible = useMemo(() => all.filter(({ id, isName }) => isName || !hidden.has(id)), [all, hidden]);
  return { visible, all, isVisible, toggle };
};

interface ColumnsMenuProps<Row> {
  columns: ColumnChoice<Row>;
  className?: string;
}

/** The `Customize` button of a table. */
export const ColumnsMenu = <Row,>({ columns, className }: ColumnsMenuProps<Row>) => (
  <Menu trigger={<Button className={className} icon={<Columns3 aria-hidden />}>{t`Customize`}</Button>}>
    {columns.all
      .filter((column) => !column.isName)
      .map((column) => (
        <MenuToggle key={column.id} checked={columns.isVisible(column.id)} onChange={() => columns.toggle(column.id)}>
          {column.label}
        </MenuToggle>
      ))}
  </Menu>
);
