import { Columns3 } from 'lucide-react';
import { Button } from '../../ui/Button.tsx';
import { Menu, MenuToggle } from '../../ui/Menu.tsx';
import type { ColumnChoice } from './use-columns.ts';

/** The `Customize` button of a table. */
export const ColumnsMenu = <Row,>({ columns }: { columns: ColumnChoice<Row> }) => (
  <Menu trigger={<Button icon={<Columns3 aria-hidden />}>Customize</Button>}>
    {columns.all
      .filter((column) => !column.isName)
      .map((column) => (
        <MenuToggle key={column.id} checked={columns.isVisible(column.id)} onChange={() => columns.toggle(column.id)}>
          {column.label}
        </MenuToggle>
      ))}
  </Menu>
);
