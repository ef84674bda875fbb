import { zodResolver } from '@hookform/resolvers/zod';
import { editMachineShape, getMachine, listMachines, updateMachine, type Machine } from '@roastery/contract/machines';
import { useState } from 'react';
import type { z } from 'zod';
import { sentenceFor } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { refresh } from '../../api/use-api.ts';
import { FormField, ModalForm } from '../../components/form/RecordForm.tsx';
import { keysOf } from '../../components/form/three-way.ts';
import { useRecordForm } from '../../components/form/use-record-form.ts';
import { t } from '../../language/t.ts';
import { Dialog } from '../../ui/Dialog.tsx';
import { Select } from '../../ui/Select.tsx';
import { NumberField, TextField } from '../../ui/TextField.tsx';
import { toast } from '../../ui/toast.ts';
import { useMachineTypes } from './machine-types.ts';

type Values = z.infer<typeof editMachineShape>;
const resolver = zodResolver(editMachineShape);

const valuesOf = ({ display_name, machine_type, max_capacity_kg }: Machine): Values => ({
  display_name,
  machine_type,
  max_capacity_kg,
});
const labels = { display_name: t`Display Name`, machine_type: t`Machine Type`, max_capacity_kg: t`Max Capacity` };

interface EditMachineDialogProps {
  machine: Machine | null;
  onClose: () => void;
}

export const EditMachineDialog = ({ machine, onClose }: EditMachineDialogProps) => {
  // Keeps the machine on screen while the modal fades out.
  const [shown, setShown] = useState(machine);
  if (machine !== null && machine !== shown) setShown(machine);
  return (
    <Dialog open={machine !== null} onClose={onClose} title={t`Edit Machine`} sticky>
      {shown !== null && <EditForm key={shown.id} machine={shown} onClose={onClose} />}
    </Dialog>
  );
};

const EditForm = ({ machine, onClose }: { machine: Machine; onClose: () => void }) => {
  const types = useMachineTypes(machine.machine_type);
  const form = useRecordForm({
    values: valuesOf(machine),
    resolver,
    fields: keysOf(labels),
    failure: (error) => sentenceFor(error, t`Failed to update machine`),
    edited: {
      noun: 'machine',
      record: machine,
      valuesOf,
      labels,
      read: () => call(getMachine, { params: { id: machine.id } }),
    },
    save: (values, { revision }) => call(updateMachine, { params: { id: machine.id }, body: { ...values, revision } }),
    saved: async () => {
      await refresh(listMachines);
      toast(t`Machine updated successfully!`);
      onClose();
    },
  });
  return (
    <ModalForm of={form} submit={t`Save Changes`} submitting={t`Saving…`} size="md">
      <TextField
        label={t`Serial Number`}
        value={machine.serial_number}
        readOnly
        mono
        hint={t`The serial number cannot be changed.`}
      />
      <TextField label={t`Display Name`} required autoComplete="off" {...form.field('display_name')} />
      <div className="grid gap-4 sm:grid-cols-2">
        <FormField of={form} name="machine_type">
          {(field) => <Select label={t`Machine Type`} required choices={types} {...field} />}
        </FormField>
        <NumberField
          label={t`Max Capacity`}
          required
          unit="kg"
          step={0.1}
          min={0.1}
          {...form.field('max_capacity_kg', { valueAsNumber: true })}
        />
      </div>
    </ModalForm>
  );
};
