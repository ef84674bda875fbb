import { exportSummaryPdf, exportSummaryXlsx } from '@roastery/contract/analytics';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { sentenceFor } from '../../api/api-error.ts';
import { callForFile } from '../../api/call.ts';
import { logError } from '../../api/error-log.ts';
import { saveFile } from '../../components/save-file.ts';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';
import { Menu, MenuItem } from '../../ui/Menu.tsx';
import { toast } from '../../ui/toast.ts';
import type { AnalyticsFilter } from './use-analytics-filter.ts';

/** Downloads the summary of the chosen days, on one page. */
export const ExportSummaryMenu = ({ filter }: { filter: AnalyticsFilter }) => {
  const [busy, setBusy] = useState(false);
  const save = async (endpoint: typeof exportSummaryPdf) => {
    setBusy(true);
    try {
      const { name, content } = await callForFile(endpoint, { query: filter });
      saveFile(name, content);
    } catch (error) {
      logError('The summary could not be exported', error);
      toast(sentenceFor(error, t`The summary could not be exported`), { tone: 'danger' });
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
      <p className="label-mono px-2 pt-1.5 pb-1">{t`Summary of these days`}</p>
      <MenuItem onSelect={() => void save(exportSummaryPdf)}>{t`One page (PDF)`}</MenuItem>
      <MenuItem onSelect={() => void save(exportSummaryXlsx)}>{t`Excel (XLSX)`}</MenuItem>
    </Menu>
  );
};
