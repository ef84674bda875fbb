import {
  getPairing,
  listDevices,
  listPairingTickets,
  reissuePairingTicket,
  type IssuedTicket,
} from '@roastery/contract/fleet';
import { TicketPlus } from 'lucide-react';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { refresh } from '../../api/use-api.ts';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog, DialogBody, DialogFooter } from '../../ui/Dialog.tsx';
import { useAction } from '../use-action.ts';
import { PairingState } from './PairingState.tsx';
import { PairingTicketView } from './PairingTicketView.tsx';

interface PairMachineDialogProps {
  /** `null` while it is closed. */
  machine: { id: string; display_name: string } | null;
  onClose: () => void;
}

/** Whether the machine's board is paired, and a new pairing ticket. */
export const PairMachineDialog = ({ machine, onClose }: PairMachineDialogProps) => {
  const [issued, setIssued] = useState<IssuedTicket | null>(null);
  const { run, isBusy } = useAction();

  const close = () => {
    setIssued(null);
    onClose();
  };
  const issue = (id: string) =>
    void run(
      async () => {
        setIssued(await call(reissuePairingTicket, { params: { id } }));
        await refresh(getPairing, listDevices, listPairingTickets);
      },
      t`Failed to issue a ticket`,
    );

  return (
    <Dialog
      open={machine !== null}
      onClose={close}
      title={t`Pair the board`}
      description={machine?.display_name}
      width="md"
      sticky={issued !== null}
    >
      {machine !== null && (
        <>
          <DialogBody>
            {issued === null ? (
              <>
                <PairingState machineId={machine.id} />
                <p className="text-sm text-muted">
                  {t`A new ticket replaces one that is still open. A paired board stays paired until the new ticket is used.`}
                </p>
              </>
            ) : (
              <PairingTicketView ticket={issued} machineId={machine.id} />
            )}
          </DialogBody>
          <DialogFooter>
            {issued === null && (
              <Button
                kind="primary"
                size="md"
                icon={<TicketPlus aria-hidden />}
                busy={isBusy}
                onClick={() => issue(machine.id)}
              >
                {t`Issue a new ticket`}
              </Button>
            )}
            <Button size="md" onClick={close}>
              {issued === null ? t`Close` : t`Done`}
            </Button>
          </DialogFooter>
        </>
      )}
    </Dialog>
  );
};
