import { exportRoastAlog, exportRoastCsv, exportRoastPdf, exportRoastXlsx } from '@roastery/contract/exports';
import type { Roast } from '@roastery/contract/roasts';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { sentenceFor } from '../../api/api-error.ts';
import { callForFile } from '../../api/call.ts';
import { logError } from '../../api/error-log.ts';
import { usePreferences } from '../../format/preferences.ts';
import { saveFile } from '../../components/save-file.ts';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../ui/Menu.tsx';
import { toast } from '../../ui/toast.ts';

interface ExportRoastMenuProps {
  roast: Roast;
  onExportPng: () => void;
}

/** The roast as a file: for a spreadsheet, for a customer, as a picture, and for other roasting programs. */
export const ExportRoastMenu = ({ roast, onExportPng }: ExportRoastMenuProps) => {
  const { temperature_unit: unit } = usePreferences();
  const [busy, setBusy] = useState(false);
  const params = { id: roast.id };
  const save = async (fetched: Promise<{ name: string; content: Blob }>) => {
    setBusy(true);
    try {
      const { name, content } = await fetched;
      saveFile(name, content);
    } catch (error) {
      logError('The roast could not be exported', error);
      toast(sentenceFor(error, t`The roast could not be exported`), { tone: 'danger' });
    } finally {
      setBusy(false);
    }
  };
  return (
    <Menu
      trigger={
        <Button icon={<Download aria-hidden />} busy={busy}>
          {t`Export`}
        </Button>
      }
    >
      <MenuItem onSelect={() => void save(callForFile(exportRoastXlsx, { params }))}>{t`Excel (XLSX)`}</MenuItem>
      <MenuItem onSelect={() => void save(callForFile(exportRoastPdf, { params, query: { temperature_unit: unit } }))}>
        {t`PDF report`}
      </MenuItem>
      <MenuItem onSelect={onExportPng}>{t`Chart PNG`}</MenuItem>
      <MenuSeparator />
      <MenuItem onSelect={() => void save(callForFile(exportRoastAlog, { params }))}>{t`Artisan (.alog)`}</MenuItem>
      <MenuItem onSelect={() => void save(callForFile(exportRoastCsv, { params }))}>{t`Curve as CSV`}</MenuItem>
    </Menu>
  );
};
