import type { User } from '@roastery/contract/auth';
import { listUsers, updateUser } from '@roastery/contract/users';
import { useState } from 'react';
import { sentenceFor } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { refresh } from '../../api/use-api.ts';
import { FormError } from '../../components/forms.tsx';
import { UnsavedChanges } from '../../components/UnsavedChanges.tsx';
import { personName } from '../../components/person-name.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog, DialogBody, DialogCancel, DialogFooter } from '../../ui/Dialog.tsx';
import { TextField } from '../../ui/TextField.tsx';
import { toast } from '../../ui/toast.ts';

interface RenameUserDialogProps {
  user: User | null;
  onClose: () => void;
}

export const RenameUserDialog = ({ user, onClose }: RenameUserDialogProps) => (
  <Dialog open={user !== null} onClose={onClose} title="Rename user" description={user?.email}>
    {user !== null && <RenameForm user={user} onClose={onClose} />}
  </Dialog>
);

const RenameForm = ({ user, onClose }: { user: User; onClose: () => void }) => {
  const [name, setName] = useState(user.full_name ?? '');
  const [tried, setTried] = useState(false);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);

  const save = async () => {
    setTried(true);
    if (name.trim() === '') return;
    setBusy(true);
    setFailure(null);
    try {
      const changed = await call(updateUser, { params: { id: user.id }, body: { full_name: name } });
      await refresh(listUsers);
      toast(`Now named ${personName(changed)}`);
      onClose();
    } catch (error) {
      setFailure(sentenceFor(error, 'Failed to rename the user'));
    } finally {
      setBusy(false);
    }
  };

  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
      className="flex min-h-0 flex-1 flex-col"
    >
      <UnsavedChanges dirty={name !== (user.full_name ?? '')} />
      <DialogBody>
        <TextField
          label="Full Name"
          required
          autoComplete="off"
          maxLength={120}
          value={name}
          onChange={(event) => setName(event.target.value)}
          error={tried && name.trim() === '' ? 'Full name is required' : undefined}
        />
        <FormError text={failure} />
      </DialogBody>
      <DialogFooter>
        <DialogCancel />
        <Button type="submit" kind="primary" busy={busy}>
          Rename
        </Button>
      </DialogFooter>
    </form>
  );
};
