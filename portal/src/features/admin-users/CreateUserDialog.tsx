import { zodResolver } from '@hookform/resolvers/zod';
import { createUser, createUserShape, listUsers } from '@roastery/contract/users';
import { Dices } from 'lucide-react';
import type { z } from 'zod';
import { sentenceFor } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { refresh } from '../../api/use-api.ts';
import { FormField, ModalForm } from '../../components/form/RecordForm.tsx';
import { useRecordForm } from '../../components/form/use-record-form.ts';
import { personName } from '../../components/person-name.ts';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { TextField } from '../../ui/TextField.tsx';
import type { Credentials } from './CredentialsDialog.tsx';
import { MachineRoles } from './MachineRoles.tsx';
import { generatePassword } from './generate-password.ts';

const resolver = zodResolver<z.input<typeof createUserShape>, unknown, z.output<typeof createUserShape>>(
  createUserShape,
);

interface CreateUserDialogProps {
  open: boolean;
  onClose: () => void;
  onCreated: (credentials: Credentials) => void;
}

export const CreateUserDialog = ({ open, onClose, onCreated }: CreateUserDialogProps) => (
  <Dialog
    open={open}
    onClose={onClose}
    title={t`Create User`}
    description={t`The account has the role User. You can make it an administrator afterwards.`}
  >
    {open && <CreateUserForm onCreated={onCreated} />}
  </Dialog>
);

const CreateUserForm = ({ onCreated }: Pick<CreateUserDialogProps, 'onCreated'>) => {
  const form = useRecordForm({
    values: { full_name: '', email: '', password: '', machines: [] },
    resolver,
    fields: ['full_name', 'email', 'password'],
    failure: (error, isBesideFields) => (isBesideFields ? null : sentenceFor(error, t`Failed to create user`)),
    save: async (body) => ({ user: await call(createUser, { body }), password: body.password }),
    saved: ({ user, password }) => {
      void refresh(listUsers);
      onCreated({ title: t`User created`, full_name: personName(user), email: user.email, password });
    },
  });
  return (
    <ModalForm of={form} submit={t`Create User`} submitting={t`Creating…`}>
      <TextField label={t`Full Name`} required autoComplete="off" {...form.field('full_name')} />
      <TextField
        label={t`Email`}
        required
        type="email"
        inputMode="email"
        autoComplete="off"
        spellCheck={false}
        {...form.field('email')}
      />
      <div className="flex flex-col gap-2">
        <TextField
          label={t`Password`}
          required
          mono
          // Visible: it is shown once more after saving, to be handed over.
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          hint={t`At least 8 characters: uppercase, lowercase, number`}
          {...form.field('password')}
        />
        <Button
          icon={<Dices aria-hidden />}
          className="self-start"
          onClick={() =>
            form.hookForm.setValue('password', generatePassword(), { shouldValidate: true, shouldDirty: true })
          }
        >
          {t`Generate password`}
        </Button>
      </div>
      <FormField of={form} name="machines">
        {({ value, onChange }) => <MachineRoles value={value ?? []} onChange={onChange} />}
      </FormField>
    </ModalForm>
  );
};
