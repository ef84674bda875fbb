import { exportRoastAlog, exportRoastCsv, exportRoastPdf, exportRoastXlsx } from '@roastery/contract/exports';
import { downloadOriginal, readOriginalAgain } from '@roastery/contract/imports';
import type { Roast } from '@roastery/contract/roasts';
import { Download } from 'lucide-react';
import { useNavigate } from 'react-router-dom';
import { call, callForFile } from '../../api/call.ts';
import { useAction } from '../../components/use-action.ts';
import { useShownCurves } from '../../components/chart/use-shown-curves.ts';
import { useReference } from '../../components/live/use-reference.ts';
import { useDates, usePreferences } from '../../format/preferences.ts';
import { paths } from '../../components/paths.ts';
import { saveFile } from '../../components/save-file.ts';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../ui/Menu.tsx';

interface ExportRoastMenuProps {
  roast: Roast;
  /** The person may import: the original can be read again. */
  mayRead: boolean;
}

/** The roast as a file: for a spreadsheet, for a customer, as a picture, and for other roasting programs. */
export const ExportRoastMenu = ({ roast, mayRead }: ExportRoastMenuProps) => {
  const units = usePreferences();
  const dates = useDates();
  const { reference } = useReference(roast);
  const [shown] = useShownCurves();
  const { run, isBusy } = useAction();
  const navigate = useNavigate();
  const params = { id: roast.id };
  const save = (fetched: () => ReturnType<typeof callForFile>) =>
    void run(async () => saveFile(await fetched()), t`The roast could not be exported`);
  const savePng = () =>
    run(
      async () => {
        const { saveChartPng } = await import('./chart-png.ts');
        await saveChartPng({ roast, reference, shown, units, charged: dates.dayAndTime(roast.start_time) });
      },
      () => t`The chart could not be saved as a picture`,
    );
  const readAgain = () =>
    run(
      async () => {
        const { id } = await call(readOriginalAgain, { params });
        await navigate(paths.originalRead(id));
      },
      t`The original could not be read`,
    );
  return (
    <Menu
      trigger={
        <Button icon={<Download aria-hidden />} busy={isBusy}>
          {t`Export`}
        </Button>
      }
    >
      <MenuItem onSelect={() => save(() => callForFile(exportRoastXlsx, { params }))}>{t`Excel (XLSX)`}</MenuItem>
      <MenuItem
        onSelect={() =>
          save(() => callForFile(exportRoastPdf, { params, query: { temperature_unit: units.temperature_unit } }))
        }
      >
        {t`PDF report`}
      </MenuItem>
      <MenuItem onSelect={() => void savePng()}>{t`Chart PNG`}</MenuItem>
      <MenuSeparator />
      <MenuItem onSelect={() => save(() => callForFile(exportRoastAlog, { params }))}>{t`Artisan (.alog)`}</MenuItem>
      <MenuItem onSelect={() => save(() => callForFile(exportRoastCsv, { params }))}>{t`Curve as CSV`}</MenuItem>
      {roast.original_file !== null && (
        <>
          <MenuSeparator />
          <MenuItem onSelect={() => save(() => callForFile(downloadOriginal, { params }))}>{t`Original file`}</MenuItem>
          {mayRead && <MenuItem onSelect={() => void readAgain()}>{t`Read the original again`}</MenuItem>}
        </>
      )}
    </Menu>
  );
};
