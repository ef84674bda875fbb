import type { User } from '@roastery/contract/auth';
import { listUsers, updateUser } from '@roastery/contract/users';
import type { Resolver } from 'react-hook-form';
import { sentenceFor } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { refresh } from '../../api/use-api.ts';
import { ModalForm } from '../../components/form/RecordForm.tsx';
import { useRecordForm } from '../../components/form/use-record-form.ts';
import { personName } from '../../components/person-name.ts';
import { t } from '../../language/t.ts';
import { Dialog } from '../../ui/Dialog.tsx';
import { TextField } from '../../ui/TextField.tsx';
import { toast } from '../../ui/toast.ts';

interface Values {
  full_name: string;
}

const resolver: Resolver<Values, unknown, Values> = (values) =>
  values.full_name.trim() === ''
    ? { values: {}, errors: { full_name: { type: 'required', message: t`Full name is required` } } }
    : { values, errors: {} };

interface RenameUserDialogProps {
  user: User | null;
  onClose: () => void;
}

export const RenameUserDialog = ({ user, onClose }: RenameUserDialogProps) => (
  <Dialog open={user !== null} onClose={onClose} title={t`Rename user`} description={user?.email}>
    {user !== null && <RenameForm user={user} onClose={onClose} />}
  </Dialog>
);

const RenameForm = ({ user, onClose }: { user: User; onClose: () => void }) => {
  const form = useRecordForm({
    values: { full_name: user.full_name ?? '' },
    resolver,
    fields: [],
    failure: (error) => sentenceFor(error, t`Failed to rename the user`),
    save: (body) => call(updateUser, { params: { id: user.id }, body }),
    saved: async (renamed) => {
      await refresh(listUsers);
      toast(t`Renamed to ${personName(renamed)}`);
      onClose();
    },
  });
  return (
    <ModalForm of={form} submit={t`Rename`}>
      <TextField label={t`Full Name`} required autoComplete="off" maxLength={120} {...form.field('full_name')} />
    </ModalForm>
  );
};
