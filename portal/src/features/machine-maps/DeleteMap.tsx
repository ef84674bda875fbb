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
import { Button } from '../../ui/Button.tsx';

interface DeleteMapProps {
  map: MapDetail;
  /** Says why a map stays: which machines are read by it. */
  onRefused: (sentence: string | null) => void;
}

const inUse = (machines: MapDetail['machines']): string =>
  `${machines.map(({ display_name: name }) => `“${name}”`).join(', ')} ${machines.length === 1 ? 'is' : 'are'} read by this map. Choose another map there first, under Map and settings.`;

/** Deletes an own map, asked for once more; not one that a machine is read by. */
export const DeleteMap = ({ map, onRefused }: DeleteMapProps) => {
  const navigate = useNavigate();
  const [asked, setAsked] = useState<MapDetail | null>(null);
  const remove = async ({ id }: MapDetail) => {
    try {
      await call(deleteMachineMap, { params: { id } });
      await navigate(paths.machineMaps);
      await refresh(listMachineMaps);
    } catch (error) {
      onRefused(sentenceFor(error, 'Failed to delete the map'));
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
        Delete
      </Button>
      <ConfirmDialog
        thing={asked}
        onClose={() => setAsked(null)}
        title={() => 'Delete map'}
        question={(one) =>
          `Delete ${mapName(one)} with its ${one.rev === 1 ? 'one revision' : `${one.rev} revisions`}? Roasts that were read by it keep their curves.`
        }
        confirmLabel="Delete"
        onConfirm={remove}
      />
    </>
  );
};
