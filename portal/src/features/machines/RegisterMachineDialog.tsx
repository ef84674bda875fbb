import type { RegisteredMachine } from '@roastery/contract/machines';
import { useState } from 'react';
import { ModalForm } from '../../components/form/RecordForm.tsx';
import { t } from '../../language/t.ts';
import { AlertDialog } from '../../ui/AlertDialog.tsx';
import { Button } from '../../ui/Button.tsx';
import { Dialog, DialogBody, DialogFooter } from '../../ui/Dialog.tsx';
import { RegisteredMachineView } from './RegisteredMachineView.tsx';
import { RegisterFields, registerTexts, useRegisterForm } from './RegisterForm.tsx';

const RegisterStep = ({ onRegistered }: { onRegistered: (machine: RegisteredMachine) => void }) => {
  const form = useRegisterForm(onRegistered);
  return (
    <ModalForm of={form} {...registerTexts} size="md">
      <RegisterFields of={form} />
    </ModalForm>
  );
};

/** The modal `Register New Machine`, then the success modal with the secrets that are shown once. */
export const RegisterMachineDialog = ({ open, onClose }: { open: boolean; onClose: () => void }) => {
  const [machine, setMachine] = useState<RegisteredMachine | null>(null);
  const [isAsking, setIsAsking] = useState(false);

  const finish = () => {
    setIsAsking(false);
    setMachine(null);
    onClose();
  };

  return (
    <>
      <Dialog open={open && machine === null} onClose={onClose} title={t`Register New Machine`} sticky>
        <RegisterStep onRegistered={setMachine} />
      </Dialog>
      <Dialog
        open={machine !== null}
        onClose={() => setIsAsking(true)}
        title={t`Machine Registered Successfully!`}
        description={machine?.display_name}
        width="md"
        sticky
      >
        <DialogBody>{machine !== null && <RegisteredMachineView machine={machine} />}</DialogBody>
        <DialogFooter>
          <Button kind="primary" size="md" onClick={finish}>
            {t`Done`}
          </Button>
        </DialogFooter>
      </Dialog>
      <AlertDialog
        open={isAsking}
        onCancel={() => setIsAsking(false)}
        onConfirm={finish}
        title={t`Close the credentials of ${machine?.display_name ?? t`the machine`}?`}
        confirmLabel={t`Close`}
        cancelLabel={t`Back`}
      >
        {t`The machine token and the pairing code will not be shown again.`}
      </AlertDialog>
    </>
  );
};
