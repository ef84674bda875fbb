import { exportSummaryPdf, exportSummaryXlsx } from '@roastery/contract/analytics';
import { Download } from 'lucide-react';
import { callForFile } from '../../api/call.ts';
import { useAction } from '../../components/use-action.ts';
import { saveFile } from '../../components/save-file.ts';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';
import { Menu, MenuItem } from '../../ui/Menu.tsx';
import type { AnalyticsFilter } from './use-analytics-filter.ts';

/** Downloads the summary of the chosen days, on one page. */
export const ExportSummaryMenu = ({ filter }: { filter: AnalyticsFilter }) => {
  const { run, isBusy } = useAction();
  const save = (endpoint: typeof exportSummaryPdf) =>
    void run(
      async () => saveFile(await callForFile(endpoint, { query: filter })),
      t`The summary could not be exported`,
    );
  return (
    <Menu
      trigger={
        <Button icon={<Download aria-hidden />} busy={isBusy}>
          {t`Export`}
        </Button>
      }
    >
      <p className="label-mono px-2 pt-1.5 pb-1">{t`Summary of these days`}</p>
      <MenuItem onSelect={() => save(exportSummaryPdf)}>{t`One page (PDF)`}</MenuItem>
      <MenuItem onSelect={() => save(exportSummaryXlsx)}>{t`Excel (XLSX)`}</MenuItem>
    </Menu>
  );
};
