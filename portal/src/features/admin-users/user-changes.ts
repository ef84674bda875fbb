import type { User } from '@roastery/contract/auth';
import { listUsers, resetPassword, updateUser } from '@roastery/contract/users';
import { sentenceFor } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { refresh } from '../../api/use-api.ts';
import { personName } from '../../components/person-name.ts';
import { toast } from '../../ui/toast.ts';
import type { Credentials } from './CredentialsDialog.tsx';

export type UserChangeKind = 'activate' | 'deactivate' | 'promote' | 'demote' | 'reset';

interface ChangeWords {
  title: string;
  question: (name: string) => string;
  label: string;
  danger: boolean;
}

/** The confirmation of each change. */
export const changeWords: Record<UserChangeKind, ChangeWords> = {
  activate: {
    title: 'Activate user',
    question: (name) => `${name} can sign in again with the password they had.`,
    label: 'Activate',
    danger: false,
  },
  deactivate: {
    title: 'Deactivate user',
    question: (name) => `${name} is signed out everywhere at once and can’t sign in. Machines and roasts stay.`,
    label: 'Deactivate',
    danger: true,
  },
  promote: {
    title: 'Make administrator',
    question: (name) => `${name} will see all machines and roasts and can manage users and settings.`,
    label: 'Make admin',
    danger: false,
  },
  demote: {
    title: 'Make ordinary user',
    question: (name) => `${name} will see only their own machines and roasts, and no administration.`,
    label: 'Make user',
    danger: true,
  },
  reset: {
    title: 'Reset password',
    question: (name) =>
      `${name} is signed out everywhere and gets a new password, which is shown to you once. The old one stops working.`,
    label: 'Reset password',
    danger: true,
  },
};

const edits = {
  activate: { body: { is_active: true }, done: (name: string) => `${name} is active` },
  deactivate: { body: { is_active: false }, done: (name: string) => `${name} is inactive` },
  promote: { body: { is_admin: true }, done: (name: string) => `${name} is an administrator` },
  demote: { body: { is_admin: false }, done: (name: string) => `${name} is an ordinary user` },
} as const;

/** Makes the change and shows the result; a reset returns the new password. */
export const changeUser = async (user: User, kind: UserChangeKind): Promise<Credentials | undefined> => {
  const name = personName(user);
  try {
    if (kind === 'reset') {
      const { password } = await call(resetPassword, { params: { id: user.id } });
      return { title: 'Password reset', full_name: personName(user), email: user.email, password };
    }
    await call(updateUser, { params: { id: user.id }, body: edits[kind].body });
    toast(edits[kind].done(name));
  } catch (error) {
    toast(sentenceFor(error, kind === 'reset' ? 'Failed to reset the password' : 'Failed to change the user'), {
      tone: 'danger',
    });
  } finally {
    await refresh(listUsers);
  }
  return undefined;
};
