import { exportRoastsCsv, exportRoastsXlsx } from '@roastery/contract/exports';
import type { QueryOf } from '@roastery/contract/endpoint';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { sentenceFor } from '../../api/api-error.ts';
import { callForFile } from '../../api/call.ts';
import { logError } from '../../api/error-log.ts';
import { saveFile } from '../../components/save-file.ts';
import { formatRoasts } from '../../format/numbers.ts';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';
import { Menu, MenuItem } from '../../ui/Menu.tsx';
import { toast } from '../../ui/toast.ts';

interface ExportRoastsMenuProps {
  /** Search, filters and sorting of the list. */
  query: NonNullable<QueryOf<typeof exportRoastsXlsx>>;
  total: number | undefined;
}

/** Downloads every roast that matches, on whatever page it is. */
export const ExportRoastsMenu = ({ query, total }: ExportRoastsMenuProps) => {
  const [busy, setBusy] = useState(false);
  const save = async (endpoint: typeof exportRoastsXlsx) => {
    setBusy(true);
    try {
      const { name, content } = await callForFile(endpoint, { query });
      saveFile(name, content);
    } catch (error) {
      logError('The roasts could not be exported', error);
      toast(sentenceFor(error, t`The roasts could not be exported`), { tone: 'danger' });
    } finally {
      setBusy(false);
    }
  };
  return (
    <Menu
      trigger={
        <Button icon={<Download aria-hidden />} disabled={total === 0} busy={busy}>
          {t`Export`}
        </Button>
      }
    >
      <p className="label-mono px-2 pt-1.5 pb-1">{total === undefined ? t`All roasts` : formatRoasts(total)}</p>
      <MenuItem onSelect={() => void save(exportRoastsXlsx)}>{t`Excel (XLSX)`}</MenuItem>
      <MenuItem onSelect={() => void save(exportRoastsCsv)}>CSV</MenuItem>
    </Menu>
  );
};
