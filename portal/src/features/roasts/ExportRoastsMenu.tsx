import { exportRoastsCsv, exportRoastsXlsx } from '@roastery/contract/exports';
import { Download } from 'lucide-react';
import { addressOf } from '../../api/call.ts';
import { formatRoasts } from '../../format/numbers.ts';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';
import { Menu, MenuItem } from '../../ui/Menu.tsx';

interface ExportRoastsMenuProps {
  /** Search, filters and sorting of the list. */
  query: object;
  total: number | undefined;
}

/** A list can be long: the browser downloads it as a stream. */
const download = (address: string): void => {
  const link = document.createElement('a');
  link.href = address;
  link.download = '';
  link.click();
};

/** Downloads every roast that matches, on whatever page it is. */
export const ExportRoastsMenu = ({ query, total }: ExportRoastsMenuProps) => (
  <Menu
    trigger={
      <Button icon={<Download aria-hidden />} disabled={total === 0}>
        {t`Export`}
      </Button>
    }
  >
    <p className="label-mono px-2 pt-1.5 pb-1">{total === undefined ? t`All roasts` : formatRoasts(total)}</p>
    <MenuItem onSelect={() => download(addressOf(exportRoastsXlsx, undefined, query))}>{t`Excel (XLSX)`}</MenuItem>
    <MenuItem onSelect={() => download(addressOf(exportRoastsCsv, undefined, query))}>CSV</MenuItem>
  </Menu>
);
