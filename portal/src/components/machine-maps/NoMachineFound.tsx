import {
  importArtisanSettings,
  listMachineMaps,
  type MapDetail,
  type MapSummary,
} from '@roastery/contract/machine-maps';
import { Upload } from 'lucide-react';
import { useRef, type ReactNode } from 'react';
import { call } from '../../api/call.ts';
import { refresh, useApi } from '../../api/use-api.ts';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';
import { useAction } from '../use-action.ts';
import { FormError } from '../form/FormError.tsx';
import { closestMaps } from './closest-maps.ts';
import { mapName } from './map-labels.tsx';

interface ArtisanImportProps {
  onMap: (map: MapDetail, remarks: readonly string[]) => void;
}

/** Creates an own map from a settings file of Artisan. */
export const ArtisanImport = ({ onMap }: ArtisanImportProps) => {
  const chooser = useRef<HTMLInputElement>(null);
  const { run, isBusy, failure } = useAction({ beside: true });
  const send = (file: File) =>
    void run(
      async () => {
        const query = { file_name: file.name.slice(-200) };
        const { map, remarks } = await call(importArtisanSettings, { query, file });
        await refresh(listMachineMaps);
        onMap(map, remarks);
      },
      t`Failed to read the Artisan settings`,
    );
  return (
    <>
      <input
        ref={chooser}
        type="file"
        accept=".aset"
        aria-label={t`Artisan settings file`}
        className="sr-only"
        tabIndex={-1}
        onChange={(event) => {
          const [file] = event.target.files ?? [];
          event.target.value = '';
          if (file !== undefined) send(file);
        }}
      />
      <Button icon={<Upload aria-hidden />} busy={isBusy} onClick={() => chooser.current?.click()}>
        {t`Import from Artisan settings`}
      </Button>
      <FormError text={failure} />
    </>
  );
};

interface NoMachineFoundProps {
  typed: string;
  onChoose: (map: MapSummary) => void;
  onImported: ArtisanImportProps['onMap'];
  /** Reads the registers of a machine that has a board; without one, it explains how. */
  probe: ReactNode;
}

/** The actions after a search without a result. */
export const NoMachineFound = ({ typed, onChoose, onImported, probe }: NoMachineFoundProps) => {
  const { data } = useApi(listMachineMaps, { query: { limit: 500 } });
  const close = closestMaps(data?.maps ?? [], typed);
  return (
    <section
      aria-label={t`No machine found`}
      className="flex flex-col gap-3 rounded-md border border-stroke bg-sunken px-3 py-2.5 text-sm"
    >
      <p className="text-strong">{t`The catalogue has no machine “${typed}”.`}</p>
      {close.length > 0 && (
        <div className="flex flex-wrap items-center gap-2">
          <span className="text-muted">{t`Closest:`}</span>
          {close.map((map) => (
            <Button key={map.id} onClick={() => onChoose(map)}>
              {mapName(map)}
            </Button>
          ))}
        </div>
      )}
      <div className="flex flex-wrap items-center gap-2">
        <ArtisanImport onMap={onImported} />
        {probe}
      </div>
    </section>
  );
};
