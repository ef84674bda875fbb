import { exportRoastsCsv, exportRoastsXlsx } from '@roastery/contract/exports';
import type { QueryOf } from '@roastery/contract/endpoint';
import { Download } from 'lucide-react';
import { callForFile } from '../../api/call.ts';
import { useAction } from '../../components/use-action.ts';
import { saveFile } from '../../components/save-file.ts';
import { formatRoasts } from '../../format/numbers.ts';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';
import { Menu, MenuItem } from '../../ui/Menu.tsx';

interface ExportRoastsMenuProps {
  /** Search, filters and sorting of the list. */
  query: NonNullable<QueryOf<typeof exportRoastsXlsx>>;
  total: number | undefined;
}

/** Downloads every roast that matches, on whatever page it is. */
export const ExportRoastsMenu = ({ query, total }: ExportRoastsMenuProps) => {
  const { run, isBusy } = useAction();
  const save = (endpoint: typeof exportRoastsXlsx) =>
    void run(async () => saveFile(await callForFile(endpoint, { query })), t`The roasts could not be exported`);
  return (
    <Menu
      trigger={
        <Button icon={<Download aria-hidden />} disabled={total === 0} busy={isBusy}>
          {t`Export`}
        </Button>
      }
    >
      <p className="label-mono px-2 pt-1.5 pb-1">{total === undefined ? t`All roasts` : formatRoasts(total)}</p>
      <MenuItem onSelect={() => save(exportRoastsXlsx)}>{t`Excel (XLSX)`}</MenuItem>
      <MenuItem onSelect={() => save(exportRoastsCsv)}>CSV</MenuItem>
    </Menu>
  );
};
