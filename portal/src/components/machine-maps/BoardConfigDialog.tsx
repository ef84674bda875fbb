import { getBoardConfig } from '@roastery/contract/machine-maps';
import { useApi } from '../../api/use-api.ts';
import { t } from '../../language/t.ts';
import { Dialog, DialogBody } from '../../ui/Dialog.tsx';
import { Unread } from '../ErrorState.tsx';
import { BoardConfigForm } from './BoardConfigForm.tsx';

interface BoardConfigDialogProps {
  /** `null` while it is closed. */
  machine: { id: string; display_name: string } | null;
  onClose: () => void;
}

const pollIntervalMs = 3000;

/** The map and the settings of a machine's board, and whether the board uses them. */
export const BoardConfigDialog = ({ machine, onClose }: BoardConfigDialogProps) => (
  <Dialog
    open={machine !== null}
    onClose={onClose}
    title={t`Map and settings`}
    description={machine?.display_name}
    width="md"
  >
    {machine !== null && <Loaded key={machine.id} machineId={machine.id} onClose={onClose} />}
  </Dialog>
);

const Loaded = ({ machineId, onClose }: { machineId: string; onClose: () => void }) => {
  const { data, error, mutate } = useApi(
    getBoardConfig,
    { params: { id: machineId } },
    { refreshInterval: pollIntervalMs },
  );
  if (data !== undefined) return <BoardConfigForm machineId={machineId} config={data} onClose={onClose} />;
  return (
    <DialogBody>
      <Unread
        skeleton="h-64 w-full"
        title={t`The settings could not be loaded`}
        error={error}
        onRetry={() => void mutate()}
      />
    </DialogBody>
  );
};
