import { zodResolver } from '@hookform/resolvers/zod';
import { changePassword, changePasswordShape, listSessions } from '@roastery/contract/auth';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import { ApiError, sentenceFor } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { useUser } from '../../api/session.tsx';
import { refresh } from '../../api/use-api.ts';
import { FormError, showFieldErrors } from '../../components/form/FormError.tsx';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';
import { TextField } from '../../ui/TextField.tsx';
import { toast } from '../../ui/toast.ts';
import { Section } from './Section.tsx';

const formShape = changePasswordShape
  .extend({ repeated: z.string() })
  .refine(({ new_password, repeated }) => new_password === repeated, {
    path: ['repeated'],
    message: t`The passwords don’t match`,
  });
type Values = z.infer<typeof formShape>;
const empty: Values = { current_password: '', new_password: '', repeated: '' };

export const PasswordSection = () => {
  const { email } = useUser();
  const [failure, setFailure] = useState<string | null>(null);
  const { register, handleSubmit, reset, setError, formState } = useForm<Values>({
    resolver: zodResolver(formShape),
    defaultValues: empty,
  });
  const { errors, isSubmitting } = formState;

  const submit = handleSubmit(async ({ current_password, new_password }) => {
    setFailure(null);
    try {
      const { message } = await call(changePassword, { body: { current_password, new_password } });
      reset(empty);
      toast(message);
      await refresh(listSessions);
    } catch (error) {
      if (showFieldErrors<Values>(error, ['current_password', 'new_password'], setError)) return;
      if (error instanceof ApiError && error.code === 'wrong_credentials') {
        setError('current_password', { message: error.message }, { shouldFocus: true });
      } else setFailure(sentenceFor(error, t`Failed to change the password`));
    }
  });

  return (
    <Section title={t`Password`} text={t`Changing it ends your other sessions.`}>
      <form noValidate onSubmit={(event) => void submit(event)} className="flex max-w-sm flex-col gap-4">
        {/* Password managers file the new password under it. */}
        <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
        <TextField
          label={t`Current password`}
          type="password"
          required
          autoComplete="current-password"
          error={errors.current_password?.message}
          {...register('current_password')}
        />
        <TextField
          label={t`New password`}
          type="password"
          required
          autoComplete="new-password"
          hint={t`At least 8 characters: uppercase, lowercase, number. A long phrase is best.`}
          error={errors.new_password?.message}
          {...register('new_password')}
        />
        <TextField
          label={t`Repeat new password`}
          type="password"
          required
          autoComplete="new-password"
          error={errors.repeated?.message}
          {...register('repeated')}
        />
        <FormError text={failure} />
        <Button type="submit" kind="primary" size="md" busy={isSubmitting} className="self-start">
          {isSubmitting ? t`Changing…` : t`Change password`}
        </Button>
      </form>
    </Section>
  );
};
