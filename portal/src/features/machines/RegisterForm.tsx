import { zodResolver } from '@hookform/resolvers/zod';
import { getMachineMap, type MapSummary } from '@roastery/contract/machine-maps';
import {
  listMachines,
  machineTotals,
  registerMachine,
  registerMachineShape,
  type RegisteredMachine,
} from '@roastery/contract/machines';
import { useState } from 'react';
import { useWatch } from 'react-hook-form';
import type { z } from 'zod';
import { sentenceFor } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { refresh, useApi } from '../../api/use-api.ts';
import { FormField } from '../../components/form/RecordForm.tsx';
import { useRecordForm, type RecordForm } from '../../components/form/use-record-form.ts';
import { AddressFields, numberOrNull, textOrNull } from '../../components/machine-maps/AddressFields.tsx';
import { MachineMapField } from '../../components/machine-maps/MachineMapField.tsx';
import { t } from '../../language/t.ts';
import { Select } from '../../ui/Select.tsx';
import { WeightField } from '../../components/number-fields.tsx';
import { TextField } from '../../ui/TextField.tsx';
import { capacityOf, defaultType, hasOwnMap, typeOfMap, useMachineTypes } from './machine-types.ts';

type Values = z.input<typeof registerMachineShape>;
type Body = z.output<typeof registerMachineShape>;
const resolver = zodResolver<Values, unknown, Body>(registerMachineShape);

/** Of a machine type, as the contract has it. */
const maxTypeLength = 60;

/** The form of the modal and of the register page. */
export const useRegisterForm = (onRegistered: (machine: RegisteredMachine) => void): RecordForm<Values, Body> =>
  useRecordForm({
    values: {
      serial_number: '',
      display_name: '',
      machine_type: defaultType,
      max_capacity_kg: capacityOf(defaultType) ?? 0,
      // No map is preselected: a map from the portal replaces the file on the board.
      map_id: null,
      host: null,
      port: null,
      path: null,
    },
    resolver,
    fields: ['serial_number', 'display_name', 'machine_type', 'max_capacity_kg', 'map_id', 'host', 'port', 'path'],
    failure: (error) => sentenceFor(error, t`Failed to register machine`),
    save: (body) => call(registerMachine, { body }),
    saved: (machine) => {
      void refresh(listMachines, machineTotals);
      onRegistered(machine);
    },
  });

export const registerTexts = { submit: t`Register Machine`, submitting: t`Registering…` };

export const RegisterFields = ({ of }: { of: RecordForm<Values, Body> }) => {
  const { field, hookForm: form } = of;
  const type = useWatch({ control: form.control, name: 'machine_type' });
  const types = useMachineTypes(type);
  const mapId = useWatch({ control: form.control, name: 'map_id' }) ?? null;
  const { data: chosen } = useApi(getMachineMap, mapId === null ? null : { params: { id: mapId } });

  // What a person has chosen stays; a field that was only passed by the keyboard still follows.
  const [isTypeChosen, setTypeChosen] = useState(false);
  const [isCapacityTyped, setCapacityTyped] = useState(false);
  const setCapacity = (kg: number | null | undefined) => {
    if (kg === null || kg === undefined || isCapacityTyped) return;
    form.setValue('max_capacity_kg', kg, { shouldValidate: form.formState.isSubmitted });
  };
  /** Fills in the fields that the catalogue has for the machine. */
  const takeFromMap = (map: MapSummary | null) => {
    if (map === null) return;
    if (!isTypeChosen) form.setValue('machine_type', typeOfMap(map).slice(0, maxTypeLength), { shouldDirty: true });
    setCapacity(map.capacity_kg);
  };

  return (
    <>
      <TextField
        label={t`Serial Number`}
        required
        mono
        autoComplete="off"
        spellCheck={false}
        hint={t`From the machine’s nameplate. It cannot be changed later.`}
        {...field('serial_number')}
      />
      <TextField label={t`Display Name`} required autoComplete="off" {...field('display_name')} />
      <div className="grid gap-4 sm:grid-cols-2">
        <FormField of={of} name="machine_type">
          {({ onChange, ...props }) => (
            <Select
              label={t`Machine Type`}
              required
              choices={types}
              {...props}
              onChange={(chosen) => {
                onChange(chosen);
                setTypeChosen(true);
                setCapacity(capacityOf(chosen));
              }}
            />
          )}
        </FormField>
        <WeightField
          label={t`Max Capacity`}
          required
          step={0.1}
          min={0.1}
          {...field('max_capacity_kg', { valueAsNumber: true })}
          onInput={() => setCapacityTyped(true)}
        />
      </div>
      <FormField of={of} name="map_id">
        {({ value, ...props }) => (
          <MachineMapField
            label={t`Make and model`}
            {...props}
            value={value ?? null}
            onChange={(id) => form.setValue('map_id', id, { shouldTouch: true, shouldDirty: true })}
            onMap={takeFromMap}
            hint={
              hasOwnMap(type)
                ? t`Selects the machine map that the board reads with. You can choose it later. There is a map for the ${type}.`
                : t`Selects the machine map that the board reads with. You can choose it later.`
            }
            probe={
              <span className="text-muted">
                {t`Or register it without a map and use Find registers once its board is paired.`}
              </span>
            }
          />
        )}
      </FormField>
      {chosen !== undefined && (
        <AddressFields
          link={chosen.map.link}
          host={field('host', { setValueAs: textOrNull })}
          port={field('port', { setValueAs: numberOrNull })}
          path={field('path', { setValueAs: textOrNull })}
        />
      )}
    </>
  );
};
