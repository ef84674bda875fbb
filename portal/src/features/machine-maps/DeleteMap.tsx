import { deleteMachineMap, listMachineMaps, type MapDetail } from '@roastery/contract/machine-maps';
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useNavigate } from 'react-router-dom';
import { sentenceFor } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { refresh } from '../../api/use-api.ts';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { mapName } from '../../components/machine-maps/map-labels.tsx';
import { paths } from '../../components/paths.ts';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';

interface DeleteMapProps {
  map: MapDetail;
  /** Why a map can't be deleted: the machines that use it. */
  onRefused: (sentence: string | null) => void;
}

const inUse = (machines: MapDetail['machines']): string =>
  machines.length === 1
    ? t`${machines.map(({ display_name: name }) => `“${name}”`).join(', ')} uses this map. First choose another map under Map and settings.`
    : t`${machines.map(({ display_name: name }) => `“${name}”`).join(', ')} use this map. First choose another map under Map and settings.`;

/** Deletes an own map after a confirmation. A map in use can't be deleted. */
export const DeleteMap = ({ map, onRefused }: DeleteMapProps) => {
  const navigate = useNavigate();
  const [asked, setAsked] = useState<MapDetail | null>(null);
  const remove = async ({ id }: MapDetail) => {
    try {
      await call(deleteMachineMap, { params: { id } });
      await navigate(paths.machineMaps);
      await refresh(listMachineMaps);
    } catch (error) {
      onRefused(sentenceFor(error, t`Failed to delete the map`));
    }
  };
  return (
    <>
      <Button
        size="md"
        icon={<Trash2 aria-hidden />}
        onClick={() => {
          const used = map.machines.length > 0;
          onRefused(used ? inUse(map.machines) : null);
          if (!used) setAsked(map);
        }}
      >
        {t`Delete`}
      </Button>
      <ConfirmDialog
        thing={asked}
        onClose={() => setAsked(null)}
        title={() => t`Delete map`}
        question={(one) =>
          one.rev === 1
            ? t`Delete ${mapName(one)} and its only revision? Roasts recorded with it keep their curves.`
            : t`Delete ${mapName(one)} and its ${one.rev} revisions? Roasts recorded with it keep their curves.`
        }
        confirmLabel={t`Delete`}
        onConfirm={remove}
      />
    </>
  );
};
