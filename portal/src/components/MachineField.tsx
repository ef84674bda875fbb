import { listMachines, type Machine } from '@roastery/contract/machines';
import type { Ref } from 'react';
import { useApi } from '../api/use-api.ts';
import { t } from '../language/t.ts';
import { Combobox } from '../ui/Combobox.tsx';
import { mayRoast } from './people/roles.ts';

interface MachineFieldProps {
  value: string | null;
  onChange: (machineId: string | null) => void;
  onMachine?: ((machine: Machine | null) => void) | undefined;
  onBlur?: (() => void) | undefined;
  /** `Machine`, unless a page has several such fields. */
  label?: string;
  hideLabel?: boolean;
  size?: 'sm' | 'md';
  error?: string | undefined;
  hint?: string | undefined;
  required?: boolean;
  placeholder?: string;
  ref?: Ref<HTMLInputElement> | undefined;
}

/** One of the machines on which the person may roast, found by name or serial number. */
export const MachineField = ({ value, onChange, onMachine, ...field }: MachineFieldProps) => {
  const { data, isLoading } = useApi(listMachines, { query: { sort: 'name' } });
  const machines = (data ?? []).filter(({ role }) => mayRoast(role));
  return (
    <Combobox
      label={t`Machine`}
      placeholder={t`Choose a machine`}
      emptyText={t`No machine found`}
      isLoading={isLoading}
      unknown={t`Chosen machine`}
      choices={machines.map((machine) => ({
        value: machine.id,
        label: machine.display_name,
        hint: machine.serial_number,
      }))}
      value={value}
      onChange={(id) => {
        onChange(id);
        onMachine?.(machines.find((machine) => machine.id === id) ?? null);
      }}
      {...field}
    />
  );
};
