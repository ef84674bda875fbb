import { useState, type SubmitEvent } from 'react';
import { useSession, useUser } from '../api/session.tsx';
import { t } from '../language/t.ts';
import { Button } from '../ui/Button.tsx';
import { Dialog, DialogBody, DialogCancel, DialogFooter } from '../ui/Dialog.tsx';
import { TextField } from '../ui/TextField.tsx';
import { FormError } from './form/FormError.tsx';
import { useAction } from './use-action.ts';

const textOf = (entry: FormDataEntryValue | null): string => (typeof entry === 'string' ? entry : '');

/** Signs in over a form whose session has ended, so that the input stays. */
export const SignInAgain = () => {
  const { email } = useUser();
  const { signInAgain, logout, error } = useSession();
  const { run, isBusy } = useAction();
  const [missing, setMissing] = useState<string | undefined>();

  const submit = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    // For React the form below is a parent of this one: its submit handler must not run.
    event.stopPropagation();
    const fields = new FormData(event.currentTarget);
    const password = textOf(fields.get('password'));
    setMissing(password === '' ? t`Password is required` : undefined);
    if (password === '') return;
    await run(() => signInAgain({ email: textOf(fields.get('email')), password }), t`Sign in again`);
  };
  return (
    <Dialog
      open
      sticky
      onClose={() => void logout()}
      title={t`Sign in again`}
      description={t`What you typed is kept.`}
      question={{ title: t`Leave without saving?`, text: t`What you changed on this page has not been saved.` }}
    >
      <form noValidate aria-label={t`Sign in again`} onSubmit={(event) => void submit(event)}>
        <DialogBody>
          <TextField label={t`Email`} name="email" type="email" autoComplete="username" defaultValue={email} />
          <TextField
            label={t`Password`}
            name="password"
            type="password"
            autoComplete="current-password"
            aria-required
            error={missing}
            onChange={() => setMissing(undefined)}
          />
          <FormError text={error} />
        </DialogBody>
        <DialogFooter>
          <DialogCancel />
          <Button type="submit" kind="primary" busy={isBusy}>
            {t`Login`}
          </Button>
        </DialogFooter>
      </form>
    </Dialog>
  );
};
