import { zodResolver } from '@hookform/resolvers/zod';
import { batchPrefixShape } from '@roastery/contract/batch-numbers';
import { editMachineShape, getMachine, listMachines, updateMachine, type Machine } from '@roastery/contract/machines';
import { useState } from 'react';
import { z } from 'zod';
import { sentenceFor } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { refresh } from '../../api/use-api.ts';
import { FormField, ModalForm } from '../../components/form/RecordForm.tsx';
import { keysOf } from '../../components/form/three-way.ts';
import { useRecordForm } from '../../components/form/use-record-form.ts';
import { t } from '../../language/t.ts';
import { Dialog } from '../../ui/Dialog.tsx';
import { Select } from '../../ui/Select.tsx';
import { WeightField } from '../../components/number-fields.tsx';
import { TextField } from '../../ui/TextField.tsx';
import { toast } from '../../ui/toast.ts';
import { useMachineTypes } from './machine-types.ts';

const formShape = editMachineShape.extend({
  // Empty: the machine counts with the roastery.
  batch_prefix: z
    .literal('')
    .transform(() => null)
    .or(batchPrefixShape),
});
const resolver = zodResolver<z.input<typeof formShape>, unknown, z.output<typeof formShape>>(formShape);

const valuesOf = ({ display_name, machine_type, max_capacity_kg, batch_prefix }: Machine) => ({
  display_name,
  machine_type,
  max_capacity_kg,
  batch_prefix: batch_prefix ?? '',
});
const labels = {
  display_name: t`Display Name`,
  machine_type: t`Machine Type`,
  max_capacity_kg: t`Max Capacity`,
  batch_prefix: t`Batch number prefix`,
};

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
        <WeightField
          label={t`Max Capacity`}
          required
          step={0.1}
          min={0.1}
          {...form.field('max_capacity_kg', { valueAsNumber: true })}
        />
      </div>
      <TextField
        label={t`Batch number prefix`}
        autoComplete="off"
        maxLength={6}
        hint={t`With prefix A its batches are A-1, A-2. Without one they share the roastery’s numbers.`}
        {...form.field('batch_prefix')}
      />
    </ModalForm>
  );
};
