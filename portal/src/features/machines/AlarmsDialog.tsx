import type { Machine } from '@roastery/contract/machines';
import { useState } from 'react';
import { AlarmRules } from '../../components/alarms/AlarmRules.tsx';
import { mayRoast } from '../../components/people/roles.ts';
import { t } from '../../language/t.ts';
import { Dialog, DialogBody } from '../../ui/Dialog.tsx';

interface AlarmsDialogProps {
  machine: Machine | null;
  onClose: () => void;
}

/** The alarm rules of a machine: its roasters change them, its viewers see them. */
export const AlarmsDialog = ({ machine, onClose }: AlarmsDialogProps) => {
  const [shown, setShown] = useState(machine);
  if (machine !== null && machine !== shown) setShown(machine);
  return (
    <Dialog open={machine !== null} onClose={onClose} title={t`Alarms`} description={shown?.display_name} width="md">
      <DialogBody>
        <p className="text-sm text-muted">
          {t`They apply to every roast on this machine. A frozen probe and a silent board raise an alarm without a rule.`}
        </p>
        {shown !== null && !mayRoast(shown.role) && (
          <p className="text-sm text-muted">{t`Roasters of this machine can change them.`}</p>
        )}
        {shown !== null && (
          <AlarmRules key={shown.id} holder={{ kind: 'machine', id: shown.id }} mayEdit={mayRoast(shown.role)} />
        )}
      </DialogBody>
    </Dialog>
  );
};
