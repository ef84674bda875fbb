import type { Machine } from '@roastery/contract/machines';
import {
  listMachineMembers,
  listMemberCandidates,
  type MachineMember,
  type MemberRole,
  putMachineMember,
  removeMachineMember,
} from '@roastery/contract/members';
import { UserMinus, UserPlus } from 'lucide-react';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { useApi, useInOrder, type InOrder } from '../../api/use-api.ts';
import { Unread } from '../../components/ErrorState.tsx';
import { attempt } from '../../components/attempt.ts';
import { useAction } from '../../components/use-action.ts';
import { memberRoleChoices, mayManage } from '../../components/people/roles.ts';
import { SavedChoice } from '../../components/saved-fields.tsx';
import { t } from '../../language/t.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Button } from '../../ui/Button.tsx';
import { Combobox } from '../../ui/Combobox.tsx';
import { Dialog, DialogBody } from '../../ui/Dialog.tsx';
import { IconButton } from '../../ui/IconButton.tsx';
import { Select } from '../../ui/Select.tsx';
import { toast } from '../../ui/toast.ts';

interface PeopleDialogProps {
  machine: Machine | null;
  onClose: () => void;
}

/** The people of a machine. Its owner and admins add and remove members and change their roles. */
export const PeopleDialog = ({ machine, onClose }: PeopleDialogProps) => {
  const [shown, setShown] = useState(machine);
  if (machine !== null && machine !== shown) setShown(machine);
  return (
    <Dialog open={machine !== null} onClose={onClose} title={t`People`} description={shown?.display_name} width="md">
      {shown !== null && <People key={shown.id} machine={shown} />}
    </Dialog>
  );
};

const shown = [listMachineMembers, listMemberCandidates];

const roleFailed = t`The role could not be saved`;
const setRole = (machineId: string, userId: string, role: MemberRole) =>
  call(putMachineMember, { params: { id: machineId, user_id: userId }, body: { role } });

const People = ({ machine }: { machine: Machine }) => {
  const { data, error, mutate } = useApi(listMachineMembers, { params: { id: machine.id } });
  const { inOrder } = useInOrder();
  const manages = mayManage(machine.role);
  return (
    <DialogBody>
      <p className="text-sm text-muted">
        {t`Roasters see the machine, plan, mark and edit its roasts. Viewers only see it. Administrators see every machine.`}
      </p>
      {data?.all_users === true && (
        <p className="rounded-md bg-sunken px-3 py-2 text-sm text-strong">
          {t`A roastery setting makes all users roasters of all machines.`}
        </p>
      )}
      {data === undefined ? (
        <Unread
          skeleton="h-24 w-full"
          isLine
          title={t`The people could not be loaded`}
          error={error}
          onRetry={() => void mutate()}
        />
      ) : (
        <ul aria-label={t`People of ${machine.display_name}`} className="divide-y divide-stroke">
          {data.members.map((member) => (
            <MemberRow key={member.user_id} member={member} machine={machine} manages={manages} inOrder={inOrder} />
          ))}
        </ul>
      )}
      {manages && <AddMember machine={machine} />}
    </DialogBody>
  );
};

interface MemberRowProps {
  member: MachineMember;
  machine: Machine;
  manages: boolean;
  inOrder: InOrder;
}

const roleName = (role: MachineMember['role']): string =>
  role === 'owner' ? t`Owner` : role === 'roaster' ? t`Roaster` : t`Viewer`;

const MemberRow = ({ member, machine, manages, inOrder }: MemberRowProps) => {
  const { role } = member;
  const save = (next: MemberRole) => attempt(() => setRole(machine.id, member.user_id, next), roleFailed, shown);
  const remove = () =>
    attempt(
      async () => {
        const params = { id: machine.id, user_id: member.user_id };
        const { message } = await call(removeMachineMember, { params });
        const undo = role === 'owner' ? undefined : () => save(role);
        toast(message, {
          ...(undo !== undefined && { action: { label: t`Undo`, run: () => void inOrder(undo) } }),
          stays: 10_000,
        });
      },
      t`The person could not be removed`,
      shown,
    );
  return (
    <li className="flex min-h-14 items-center gap-3 py-2">
      <div className="min-w-0 flex-1">
        <p className="flex items-center gap-2 truncate text-base font-medium text-strong">
          <span className="truncate">{member.full_name}</span>
          {!member.is_active && <Badge>{t`Inactive`}</Badge>}
        </p>
        {member.email !== null && <p className="truncate text-sm text-muted">{member.email}</p>}
      </div>
      {manages && role !== 'owner' ? (
        <>
          <SavedChoice stored={role} onChosen={(next) => inOrder(() => save(next))}>
            {(shown, choose) => (
              <Select
                label={t`Role of ${member.full_name}`}
                hideLabel
                size="sm"
                className="w-32"
                choices={memberRoleChoices.map(({ value, label }) => ({ value, label }))}
                value={shown}
                onChange={choose}
              />
            )}
          </SavedChoice>
          <IconButton
            label={t`Remove ${member.full_name}`}
            tone="danger"
            icon={<UserMinus aria-hidden />}
            onClick={() => void inOrder(remove)}
          />
        </>
      ) : (
        <Badge tone={role === 'owner' ? 'accent' : 'neutral'}>{roleName(role)}</Badge>
      )}
    </li>
  );
};

const AddMember = ({ machine }: { machine: Machine }) => {
  const { data, isLoading } = useApi(listMemberCandidates, { params: { id: machine.id }, query: {} });
  const [userId, setUserId] = useState<string | null>(null);
  const [role, setNewRole] = useState<MemberRole>('roaster');
  const { run, isBusy } = useAction({ after: shown });
  const add = async () => {
    if (userId === null) return;
    await setRole(machine.id, userId, role);
    setUserId(null);
  };
  return (
    <div className="grid items-end gap-3 border-t border-stroke pt-4 sm:grid-cols-[minmax(0,1fr)_10rem_auto]">
      <Combobox
        label={t`Add a person`}
        placeholder={t`Name or email`}
        emptyText={t`No other active user`}
        isLoading={isLoading}
        choices={(data?.users ?? []).map((user) => ({
          value: user.user_id,
          label: user.full_name,
          hint: user.email,
        }))}
        value={userId}
        onChange={setUserId}
      />
      <Select label={t`Role`} choices={memberRoleChoices} value={role} onChange={setNewRole} />
      <Button
        kind="primary"
        size="md"
        icon={<UserPlus aria-hidden />}
        busy={isBusy}
        disabled={userId === null}
        onClick={() => void run(add, roleFailed)}
      >
        {t`Add`}
      </Button>
    </div>
  );
};
