import { zodResolver } from '@hookform/resolvers/zod';
import {
  listMachines,
  machineTotals,
  registerMachine,
  registerMachineShape,
  type RegisteredMachine,
} from '@roastery/contract/machines';
import type { MapSummary } from '@roastery/contract/machine-maps';
import { useState, type ReactNode } from 'react';
import { Controller, useForm, useWatch } from 'react-hook-form';
import type { z } from 'zod';
import { sentenceFor } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { refresh } from '../../api/use-api.ts';
import { FormError, showFieldErrors } from '../../components/forms.tsx';
import { MachineMapField } from '../../components/machine-maps/MachineMapField.tsx';
import { UnsavedChanges } from '../../components/UnsavedChanges.tsx';
import { Button } from '../../ui/Button.tsx';
import { Select } from '../../ui/Select.tsx';
import { NumberField, TextField } from '../../ui/TextField.tsx';
import { capacityOf, defaultType, hasOwnMap, useMachineTypes } from './machine-types.ts';

type Values = z.infer<typeof registerMachineShape>;
const fields = ['serial_number', 'display_name', 'machine_type', 'max_capacity_kg', 'map_id'] as const;

interface RegisterFormProps {
  onRegistered: (machine: RegisteredMachine) => void;
  /** Puts fields and buttons into the frame around: a modal's body and footer, or a card's. */
  children: (parts: { fields: ReactNode; submit: ReactNode }) => ReactNode;
}

/** The form of the modal and of the register page. */
export const RegisterForm = ({ onRegistered, children }: RegisterFormProps) => {
  const [failure, setFailure] = useState<string | null>(null);
  const { register, control, handleSubmit, setError, setValue, getFieldState, formState } = useForm<Values>({
    resolver: zodResolver(registerMachineShape),
    defaultValues: {
      serial_number: '',
      display_name: '',
      machine_type: defaultType,
      max_capacity_kg: capacityOf(defaultType) ?? 0,
      // None is chosen for anybody: a map that is sent to a board overrules the file that somebody put on it.
      map_id: null,
    },
  });
  const { errors, isSubmitting, isDirty } = formState;
  const types = useMachineTypes();
  const type = useWatch({ control, name: 'machine_type' });

  /** What the catalogue knows of the machine, where nobody has typed it. */
  const takeFromMap = (map: MapSummary | null) => {
    if (map === null) return;
    const known = types.find(({ value }) => value === map.model)?.value;
    if (known !== undefined) setValue('machine_type', known);
    if (map.capacity_kg !== null && !getFieldState('max_capacity_kg').isTouched) {
      setValue('max_capacity_kg', map.capacity_kg, { shouldValidate: formState.isSubmitted });
    }
  };

  const submit = handleSubmit(async (values) => {
    setFailure(null);
    try {
      const machine = await call(registerMachine, { body: values });
      void refresh(listMachines, machineTotals);
      onRegistered(machine);
    } catch (error) {
      showFieldErrors(error, fields, setError);
      setFailure(sentenceFor(error, 'Failed to register machine'));
    }
  });

  return (
    <form noValidate onSubmit={(event) => void submit(event)} className="contents">
      <UnsavedChanges dirty={isDirty} />
      {children({
        fields: (
          <>
            <TextField
              label="Serial Number"
              required
              mono
              autoComplete="off"
              spellCheck={false}
              hint="From the machine’s type plate. It cannot be changed later."
              error={errors.serial_number?.message}
              {...register('serial_number')}
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
                    onChange={(chosen) => {
                      field.onChange(chosen);
                      const kg = capacityOf(chosen);
                      // A capacity that somebody typed is not overwritten.
                      if (kg !== undefined && !getFieldState('max_capacity_kg').isTouched) {
                        setValue('max_capacity_kg', kg, { shouldValidate: formState.isSubmitted });
                      }
                    }}
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
            <Controller
              control={control}
              name="map_id"
              render={({ field }) => (
                <MachineMapField
                  label="Which machine is it?"
                  value={field.value ?? null}
                  onChange={(id) => setValue('map_id', id, { shouldTouch: true, shouldDirty: true })}
                  onMap={takeFromMap}
                  onBlur={field.onBlur}
                  hint={`Its map tells the board how to read it; it can be chosen later.${hasOwnMap(type) ? ` The ${type} has one of its own.` : ''}`}
                  error={errors.map_id?.message}
                  ref={field.ref}
                />
              )}
            />
            <FormError text={failure} />
          </>
        ),
        submit: (
          <Button type="submit" kind="primary" size="md" busy={isSubmitting}>
            {isSubmitting ? 'Registering…' : 'Register Machine'}
          </Button>
        ),
      })}
    </form>
  );
};
