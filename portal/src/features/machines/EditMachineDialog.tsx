import { zodResolver } from '@hookform/resolvers/zod';
import { editMachineShape, getMachine, listMachines, updateMachine, type Machine } from '@roastery/contract/machines';
import { useState } from 'react';
import { Controller, useForm } from 'react-hook-form';
import type { z } from 'zod';
import { sentenceFor } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { refresh } from '../../api/use-api.ts';
import { FormError, showFieldErrors } from '../../components/forms.tsx';
import { UnsavedChanges } from '../../components/UnsavedChanges.tsx';
import { useMeanwhile } from '../../components/use-meanwhile.tsx';
import { Button } from '../../ui/Button.tsx';
import { Dialog, DialogBody, DialogCancel, DialogFooter } from '../../ui/Dialog.tsx';
import { Select } from '../../ui/Select.tsx';
import { NumberField, TextField } from '../../ui/TextField.tsx';
import { toast } from '../../ui/toast.ts';
import { useMachineTypes } from './machine-types.ts';

type Values = z.infer<typeof editMachineShape>;
const fields = ['display_name', 'machine_type', 'max_capacity_kg'] as const;

const valuesOf = ({ display_name, machine_type, max_capacity_kg }: Machine): Values => ({
  display_name,
  machine_type,
  max_capacity_kg,
});
const labels = { display_name: 'Display Name', machine_type: 'Machine Type', max_capacity_kg: 'Max Capacity' };

interface EditMachineDialogProps {
  machine: Machine | null;
  onClose: () => void;
}

export const EditMachineDialog = ({ machine, onClose }: EditMachineDialogProps) => {
  // What is being edited stays while the modal fades out.
  const [shown, setShown] = useState(machine);
  if (machine !== null && machine !== shown) setShown(machine);
  return (
    <Dialog open={machine !== null} onClose={onClose} title="Edit Machine" sticky>
      {shown !== null && <EditForm key={shown.id} machine={shown} onClose={onClose} />}
    </Dialog>
  );
};

const EditForm = ({ machine, onClose }: { machine: Machine; onClose: () => void }) => {
  const [failure, setFailure] = useState<string | null>(null);
  const form = useForm<Values>({ resolver: zodResolver(editMachineShape), defaultValues: valuesOf(machine) });
  const { register, control, handleSubmit, setError, formState } = form;
  const meanwhile = useMeanwhile({
    form,
    thing: 'machine',
    record: machine,
    valuesOf,
    labels,
    read: () => call(getMachine, { params: { id: machine.id } }),
  });
  const { errors, isSubmitting, isDirty } = formState;
  const types = useMachineTypes(machine.machine_type);

  const submit = handleSubmit(async (values) => {
    setFailure(null);
    try {
      await call(updateMachine, {
        params: { id: machine.id },
        body: { ...values, revision: meanwhile.revision },
      });
      await refresh(listMachines);
      toast('Machine updated successfully!');
      onClose();
    } catch (error) {
      if (await meanwhile.explains(error).catch(() => false)) return;
      showFieldErrors(error, fields, setError);
      setFailure(sentenceFor(error, 'Failed to update machine'));
    }
  });

  return (
    <form noValidate onSubmit={(event) => void submit(event)} className="contents">
      <UnsavedChanges dirty={isDirty} />
      <DialogBody>
        <TextField
          label="Serial Number"
          value={machine.serial_number}
          readOnly
          mono
          hint="The serial number cannot be changed."
        />
        <TextField
          label="Display Name"
          required
          autoComplete="off"
          error={errors.display_name?.message}
          {...register('display_name')}
        />
        <div className="grid gap-4 sm:grid-cols-2">
          <Controller
            control={control}
            name="machine_type"
            render={({ field }) => (
              <Select
                label="Machine Type"
                required
                choices={types}
                value={field.value}
                onChange={field.onChange}
                onBlur={field.onBlur}
                error={errors.machine_type?.message}
                ref={field.ref}
              />
            )}
          />
          <NumberField
            label="Max Capacity"
            required
            unit="kg"
            step={0.1}
            min={0.1}
            error={errors.max_capacity_kg?.message}
            {...register('max_capacity_kg', { valueAsNumber: true })}
          />
        </div>
        {meanwhile.notice}
        <FormError text={failure} />
      </DialogBody>
      <DialogFooter>
        <DialogCancel size="md" />
        <Button type="submit" kind="primary" size="md" busy={isSubmitting}>
          {isSubmitting ? 'Saving…' : 'Save Changes'}
        </Button>
      </DialogFooter>
    </form>
  );
};
