import { listMachines } from '@roastery/contract/machines';
import type { MemberRole } from '@roastery/contract/members';
import { useApi } from '../../api/use-api.ts';
import { memberRoleChoices } from '../../components/people/roles.ts';
import { t } from '../../language/t.ts';
import { Select } from '../../ui/Select.tsx';

export interface MachineRoleChoice {
  machine_id: string;
  role: MemberRole;
}

interface MachineRolesProps {
  value: readonly MachineRoleChoice[];
  onChange: (value: MachineRoleChoice[]) => void;
}

/** The role of a new user on each machine. */
export const MachineRoles = ({ value, onChange }: MachineRolesProps) => {
  const { data = [] } = useApi(listMachines, { query: { sort: 'name' } });
  if (data.length === 0) return null;
  const choices = [
    { value: 'none', label: t`No access` },
    ...memberRoleChoices.map((choice) => ({ value: choice.value, label: choice.label })),
  ] as const;
  const roleOn = ({ id }: { id: string }) => value.find((one) => one.machine_id === id)?.role ?? 'none';
  const [first, ...others] = new Set(data.map(roleOn));
  const roleOnAll = others.length === 0 ? (first ?? 'none') : null;
  return (
    <fieldset className="flex flex-col gap-1.5">
      <legend className="mb-1.5 text-sm font-medium text-content">{t`Machines`}</legend>
      <ul className="max-h-56 divide-y divide-stroke overflow-y-auto rounded-md border border-stroke px-3">
        {data.length > 1 && (
          <li className="flex min-h-12 items-center gap-3 py-1">
            <span className="min-w-0 flex-1 truncate text-base font-medium text-strong">{t`All machines`}</span>
            <Select
              label={t`Role on all machines`}
              hideLabel
              size="sm"
              className="w-32"
              placeholder={t`Various`}
              choices={choices}
              value={roleOnAll}
              onChange={(role) => onChange(role === 'none' ? [] : data.map(({ id }) => ({ machine_id: id, role })))}
            />
          </li>
        )}
        {data.map((machine) => (
          <li key={machine.id} className="flex min-h-12 items-center gap-3 py-1">
            <span className="min-w-0 flex-1 truncate text-base text-strong">{machine.display_name}</span>
            <Select
              label={t`Role on ${machine.display_name}`}
              hideLabel
              size="sm"
              className="w-32"
              choices={choices}
              value={roleOn(machine)}
              onChange={(role) => {
                const others = value.filter((one) => one.machine_id !== machine.id);
                onChange(role === 'none' ? others : [...others, { machine_id: machine.id, role }]);
              }}
            />
          </li>
        ))}
      </ul>
    </fieldset>
  );
};
