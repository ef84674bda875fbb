import { logout } from '@roastery/contract/auth';
import { ApiError } from './api-error.ts';
import { call } from './call.ts';

/**
 * Set while a sign-out is not confirmed by the server. Only the server can end a session: without network its cookie
 * stays in this browser, and the next person at a shared tablet would continue as the previous one.
 */
const owedKey = 'roastery:sign-out-owed';

export const isSignOutOwed = (): boolean => localStorage.getItem(owedKey) !== null;

let sending: Promise<void> | undefined;

/**
 * Ends this browser's session at the server. Until the server has confirmed it, the sign-out is owed, also after a
 * reload: it is sent before anything else.
 * @throws ApiError if the server could not be reached or cannot end the session now
 */
export const sendSignOut = (): Promise<void> => {
  localStorage.setItem(owedKey, 'yes');
  // One at a time: a second one could arrive after the next person's sign-in, and end that session.
  sending ??= send().finally(() => {
    sending = undefined;
  });
  return sending;
};

const send = async (): Promise<void> => {
  try {
    await call(logout, {});
  } catch (error) {
    // The session had already ended.
    if (!(error instanceof ApiError && error.code === 'not_signed_in')) throw error;
  }
  localStorage.removeItem(owedKey);
};

/** Sends a sign-out that is owed. */
export const settleSignOut = async (): Promise<void> => {
  if (isSignOutOwed()) await sendSignOut();
};

/** Calls the listener when another tab of this browser signs out. */
export const onSignedOutElsewhere = (listener: () => void): (() => void) => {
  const stored = ({ key, newValue }: StorageEvent): void => {
    if (key === owedKey && newValue !== null) listener();
  };
  addEventListener('storage', stored);
  return () => removeEventListener('storage', stored);
};
