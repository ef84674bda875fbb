import { zodResolver } from '@hookform/resolvers/zod';
import { changePassword, changePasswordShape, listSessions } from '@roastery/contract/auth';
import { z } from 'zod';
import { sentenceFor } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { useUser } from '../../api/session.tsx';
import { refresh } from '../../api/use-api.ts';
import { FormError } from '../../components/form/FormError.tsx';
import { FormFrame } from '../../components/form/RecordForm.tsx';
import { useRecordForm } from '../../components/form/use-record-form.ts';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';
import { TextField } from '../../ui/TextField.tsx';
import { toast } from '../../ui/toast.ts';
import { CurrentPasswordField, Section } from './Section.tsx';

const formShape = changePasswordShape
  .extend({ repeated: z.string() })
  .refine(({ new_password, repeated }) => new_password === repeated, {
    path: ['repeated'],
    message: t`The passwords don’t match`,
  });
const resolver = zodResolver(formShape);

export const PasswordSection = () => {
  const { email } = useUser();
  const form = useRecordForm({
    values: { current_password: '', new_password: '', repeated: '' },
    resolver,
    fields: ['current_password', 'new_password'],
    failure: (error, isBesideFields) => (isBesideFields ? null : sentenceFor(error, t`Failed to change the password`)),
    save: ({ current_password, new_password }) => call(changePassword, { body: { current_password, new_password } }),
    saved: async ({ message }, { startAnew }) => {
      startAnew();
      toast(message);
      await refresh(listSessions);
    },
  });
  return (
    <Section title={t`Password`} text={t`Changing it ends your other sessions.`}>
      <FormFrame of={form} className="flex max-w-sm flex-col gap-4">
        {/* Password managers store the new password under it. */}
        <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
        <CurrentPasswordField {...form.field('current_password')} />
        <TextField
          label={t`New password`}
          type="password"
          required
          autoComplete="new-password"
          hint={t`At least 8 characters: uppercase, lowercase, number. A long phrase is best.`}
          {...form.field('new_password')}
        />
        <TextField
          label={t`Repeat new password`}
          type="password"
          required
          autoComplete="new-password"
          {...form.field('repeated')}
        />
        <FormError text={form.failure} />
        <Button type="submit" kind="primary" size="md" busy={form.isSubmitting} className="self-start">
          {form.isSubmitting ? t`Changing…` : t`Change password`}
        </Button>
      </FormFrame>
    </Section>
  );
};
