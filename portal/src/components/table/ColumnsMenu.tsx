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
  const [chosen, setChosen] = useState(() => chosenFrom(localStorage.getItem(key) ?? ''));
  const visible = useMemo(
    () => all.filter(({ id, isName, hiddenAtFirst }) => isName || (chosen.get(id) ?? !hiddenAtFirst)),
    [all, chosen],
  );
  const isVisible = (id: string) => visible.some((column) => column.id === id);
  const toggle = (id: string) => {
    const next = new Map(chosen).set(id, !isVisible(id));
    localStorage.setItem(key, Array.from(next, ([column, isShown]) => (isShown ? `+${column}` : column)).join());
    setChosen(next);
  };
  return { visible, all, isVisible, toggle };
};

/** `variety,+farm`: hidden and shown ones. A column that was not chosen is as it is for everybody. */
const chosenFrom = (stored: string): ReadonlyMap<string, boolean> =>
  new Map(
    stored
      .split(',')
      .filter((id) => id !== '')
      .map((id) => (id.startsWith('+') ? [id.slice(1), true] : [id, false])),
  );

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
