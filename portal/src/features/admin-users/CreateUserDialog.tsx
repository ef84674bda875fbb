import { zodResolver } from '@hookform/resolvers/zod';
import { createUser, createUserShape, listUsers } from '@roastery/contract/users';
import { Dices } from 'lucide-react';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import type { z } from 'zod';
import { sentenceFor } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { refresh } from '../../api/use-api.ts';
import { FormError, showFieldErrors } from '../../components/forms.tsx';
import { UnsavedChanges } from '../../components/UnsavedChanges.tsx';
import { personName } from '../../components/person-name.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog, DialogBody, DialogCancel, DialogFooter } from '../../ui/Dialog.tsx';
import { TextField } from '../../ui/TextField.tsx';
import type { Credentials } from './CredentialsDialog.tsx';
import { madeUpPassword } from './made-up-password.ts';

type Values = z.input<typeof createUserShape>;
const fields = ['full_name', 'email', 'password'] as const;
const resolver = zodResolver<Values, unknown, z.output<typeof createUserShape>>(createUserShape);

interface CreateUserDialogProps {
  open: boolean;
  onClose: () => void;
  onCreated: (credentials: Credentials) => void;
}

export const CreateUserDialog = ({ open, onClose, onCreated }: CreateUserDialogProps) => (
  <Dialog
    open={open}
    onClose={onClose}
    title="Create User"
    description="An ordinary user; promote them afterwards if they should administer."
  >
    {open && <CreateUserForm onCreated={onCreated} />}
  </Dialog>
);

const CreateUserForm = ({ onCreated }: Pick<CreateUserDialogProps, 'onCreated'>) => {
  const [failure, setFailure] = useState<string | null>(null);
  const { register, handleSubmit, setError, setValue, formState } = useForm<
    Values,
    unknown,
    z.output<typeof createUserShape>
  >({
    resolver,
    defaultValues: { full_name: '', email: '', password: '' },
  });
  const { errors, isSubmitting, isDirty } = formState;

  const submit = handleSubmit(async (values) => {
    setFailure(null);
    try {
      const user = await call(createUser, { body: values });
      void refresh(listUsers);
      onCreated({ title: 'User created', full_name: personName(user), email: user.email, password: values.password });
    } catch (error) {
      if (!showFieldErrors(error, fields, setError)) setFailure(sentenceFor(error, 'Failed to create user'));
    }
  });

  return (
    <form noValidate onSubmit={(event) => void submit(event)} className="flex min-h-0 flex-1 flex-col">
      <UnsavedChanges dirty={isDirty} />
      <DialogBody>
        <TextField
          label="Full Name"
          required
          autoComplete="off"
          error={errors.full_name?.message}
          {...register('full_name')}
        />
        <TextField
          label="Email"
          required
          type="email"
          inputMode="email"
          autoComplete="off"
          spellCheck={false}
          error={errors.email?.message}
          {...register('email')}
        />
        <div className="flex flex-col gap-2">
          <TextField
            label="Password"
            required
            mono
            // In sight: it is going to be shown and handed over in a moment anyway.
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            hint="At least 8 characters: uppercase, lowercase, number"
            error={errors.password?.message}
            {...register('password')}
          />
          <Button
            icon={<Dices aria-hidden />}
            className="self-start"
            onClick={() => setValue('password', madeUpPassword(), { shouldValidate: true, shouldDirty: true })}
          >
            Make one up
          </Button>
        </div>
        <FormError text={failure} />
      </DialogBody>
      <DialogFooter>
        <DialogCancel />
        <Button type="submit" kind="primary" busy={isSubmitting}>
          {isSubmitting ? 'Creating…' : 'Create User'}
        </Button>
      </DialogFooter>
    </form>
  );
};
