import { listMachines, type MachineRole } from '@roastery/contract/machines';
import type { MemberRole } from '@roastery/contract/members';
import { useApi } from '../../api/use-api.ts';
import { t } from '../../language/t.ts';

export const memberRoleChoices: readonly { value: MemberRole; label: string; hint: string }[] = [
  { value: 'roaster', label: t`Roaster`, hint: t`plans, marks, edits` },
  { value: 'viewer', label: t`Viewer`, hint: t`view only` },
];

export const mayManage = (role: MachineRole): boolean => role === 'owner' || role === 'admin';
export const mayRoast = (role: MachineRole): boolean => role !== 'viewer';

/** The list that every page reads for its layout. It has no archived machines. */
const useMachines = () => useApi(listMachines, { query: { sort: 'name' } }).data ?? [];

/** Whether the user may change roasts of this machine; true until the machines are read, and for a roast without one. */
export const useMayRoast = (machineId: string | null): boolean =>
  useMachines().every(({ id, role }) => id !== machineId || mayRoast(role));

/** Machines that the user may only view. */
export const useWatchedMachines = (): ReadonlySet<string | null> =>
  new Set(
    useMachines()
      .filter(({ role }) => !mayRoast(role))
      .map(({ id }) => id),
  );
