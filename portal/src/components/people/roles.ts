import { getMachine, listMachines, type MachineRole } from '@roastery/contract/machines';
import type { MemberRole } from '@roastery/contract/members';
import { useApi } from '../../api/use-api.ts';
import { t } from '../../language/t.ts';

export const memberRoleChoices: readonly { value: MemberRole; label: string; hint: string }[] = [
  { value: 'roaster', label: t`Roaster`, hint: t`plans, marks, edits` },
  { value: 'viewer', label: t`Viewer`, hint: t`sees only` },
];

export const mayManage = (role: MachineRole): boolean => role === 'owner' || role === 'admin';
export const mayRoast = (role: MachineRole): boolean => role !== 'viewer';

/** Whether the user may change roasts of this machine; true until the machine is read, and for a roast without one. */
export const useMayRoast = (machineId: string | null): boolean => {
  const { data } = useApi(getMachine, machineId === null ? null : { params: { id: machineId } });
  return data === undefined || mayRoast(data.role);
};

/** Machines that the user may only see. */
export const useWatchedMachines = (): ReadonlySet<string | null> => {
  const { data = [] } = useApi(listMachines, { query: { include_archived: 'true' } });
  return new Set(data.filter(({ role }) => !mayRoast(role)).map(({ id }) => id));
};
