import type { Context } from 'hono';
import { getCookie } from 'hono/cookie';
import { serialize } from 'hono/utils/cookie';
import { randomBytes } from 'node:crypto';
import { isSameSecret, keyedHash } from './secrets.ts';

/** Idle 12 h, 30 days at most, whatever the cookie says: the session's row decides. */
export const sessionMaxDays = 30;
export const sessionIdleHours = 12;

/** Behind HTTPS the `__Host-` prefix makes browsers insist on Secure, Path=/ and no Domain. */
const sessionCookieName = (isHttps: boolean): string => (isHttps ? '__Host-session' : 'session');

export const readSessionCookie = (c: Context, isHttps: boolean): string | undefined =>
  getCookie(c, sessionCookieName(isHttps));

/**
 * Strict: the page itself is public and calls the api from its own origin, so no navigation from another site needs the
 * cookie.
 */
const attributes = (isHttps: boolean, maxAge: number) =>
  ({ httpOnly: true, secure: isHttps, sameSite: 'Strict', path: '/', maxAge }) as const;

export const sessionCookie = (token: string, isHttps: boolean): string =>
  serialize(sessionCookieName(isHttps), token, attributes(isHttps, sessionMaxDays * 24 * 3600));

export const clearedSessionCookie = (isHttps: boolean): string =>
  serialize(sessionCookieName(isHttps), '', attributes(isHttps, 0));

/** A browser that knew no account for this long is unknown again. */
const maxAgeSeconds = 180 * 24 * 3600;
const separator = '~';

/** What an account has proved with a browser: its password, or only the PIN by which it is chosen at a machine. */
export type KnownBy = 'device' | 'pin';
/** Several people share the computer beside the roaster; more are only chosen there. */
const maxAccounts: Record<KnownBy, number> = { device: 5, pin: 20 };

const deviceCookieName = (isHttps: boolean, by: KnownBy): string => (isHttps ? `__Host-${by}` : by);
const proofOf = (secretKey: string, by: KnownBy, id: string, email: string): string =>
  keyedHash(secretKey, `${by} ${id} ${email}`).toString('base64url');

export const readDeviceCookie = (c: Context, isHttps: boolean, by: KnownBy): string | undefined =>
  getCookie(c, deviceCookieName(isHttps, by));

/**
 * The browser's id for an account, if this account has signed in with this browser, or has typed its PIN there, before.
 * The cookie holds a pair of id and proof for each account; the proof is keyed, so that no other program can create one,
 * and reveals no account.
 */
export const knownDevice = (
  cookie: string | undefined,
  secretKey: string,
  email: string,
  by: KnownBy = 'device',
): string | undefined => {
  const pairs = (cookie ?? '').split(separator).slice(0, maxAccounts[by]);
  for (const pair of pairs) {
    const [id = '', proof = ''] = pair.split('.');
    if (id !== '' && isSameSecret(proof, proofOf(secretKey, by, id, email))) return id;
  }
  return undefined;
};

/** The cookie after a sign-in or a right PIN: this account first, then its other accounts. */
export const deviceCookie = (
  cookie: string | undefined,
  { secretKey, isHttps }: { readonly secretKey: string; readonly isHttps: boolean },
  email: string,
  by: KnownBy = 'device',
): string => {
  const id = knownDevice(cookie, secretKey, email, by) ?? randomBytes(16).toString('base64url');
  const others = (cookie ?? '').split(separator).filter((pair) => pair !== '' && !pair.startsWith(`${id}.`));
  const pairs = [`${id}.${proofOf(secretKey, by, id, email)}`, ...others].slice(0, maxAccounts[by]);
  const attributes = { httpOnly: true, secure: isHttps, sameSite: 'Strict', path: '/', maxAge: maxAgeSeconds } as const;
  return serialize(deviceCookieName(isHttps, by), pairs.join(separator), attributes);
};
