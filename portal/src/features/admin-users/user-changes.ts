import type { User } from '@roastery/contract/auth';
import { listUsers, resetPassword, updateUser } from '@roastery/contract/users';
import { call } from '../../api/call.ts';
import { attempt } from '../../components/attempt.ts';
import { personName } from '../../components/person-name.ts';
import { t } from '../../language/t.ts';
import { toast } from '../../ui/toast.ts';
import type { Credentials } from './CredentialsDialog.tsx';

export type UserChangeKind = 'activate' | 'deactivate' | 'promote' | 'demote' | 'reset';

interface ChangeTexts {
  title: string;
  question: (name: string) => string;
  label: string;
  danger: boolean;
}

/** The confirmation of each change. */
export const changeTexts: Record<UserChangeKind, ChangeTexts> = {
  activate: {
    title: t`Activate user`,
    question: (name) => t`${name} can sign in again with their previous password.`,
    label: t`Activate`,
    danger: false,
  },
  deactivate: {
    title: t`Deactivate user`,
    question: (name) => t`${name} is signed out everywhere at once and can’t sign in. Machines and roasts stay.`,
    label: t`Deactivate`,
    danger: true,
  },
  promote: {
    title: t`Make administrator`,
    question: (name) => t`${name} will see all machines and roasts and can manage users and settings.`,
    label: t`Make admin`,
    danger: false,
  },
  demote: {
    title: t`Make ordinary user`,
    question: (name) => t`${name} will see only their own machines and roasts, and no admin pages.`,
    label: t`Make user`,
    danger: true,
  },
  reset: {
    title: t`Reset password`,
    question: (name) =>
      t`${name} is signed out everywhere and gets a new password, which is shown to you once. The old one stops working.`,
    label: t`Reset password`,
    danger: true,
  },
};

const edits = {
  activate: { body: { is_active: true }, done: (name: string) => t`${name} is active` },
  deactivate: { body: { is_active: false }, done: (name: string) => t`${name} is inactive` },
  promote: { body: { is_admin: true }, done: (name: string) => t`${name} is an administrator` },
  demote: { body: { is_admin: false }, done: (name: string) => t`${name} is an ordinary user` },
} as const;

/** Makes the change and shows the result; a new password is shown once. */
export const changeUser = (user: User, kind: UserChangeKind, show: (made: Credentials) => void): Promise<unknown> => {
  const name = personName(user);
  return attempt(
    async () => {
      if (kind === 'reset') {
        const { password } = await call(resetPassword, { params: { id: user.id } });
        return show({ title: t`Password reset`, full_name: name, email: user.email, password });
      }
      await call(updateUser, { params: { id: user.id }, body: edits[kind].body });
      toast(edits[kind].done(name));
    },
    kind === 'reset' ? t`Failed to reset the password` : t`Failed to change the user`,
    [listUsers],
  );
};
