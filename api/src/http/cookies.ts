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

/** A browser without a sign-in for this long is unknown again. */
const maxAgeSeconds = 180 * 24 * 3600;
/** Several people share the computer beside the roaster. */
const maxAccounts = 5;
const separator = '~';

const deviceCookieName = (isHttps: boolean): string => (isHttps ? '__Host-device' : 'device');
const proofOf = (secretKey: string, id: string, email: string): string =>
  keyedHash(secretKey, `device ${id} ${email}`).toString('base64url');

export const readDeviceCookie = (c: Context, isHttps: boolean): string | undefined =>
  getCookie(c, deviceCookieName(isHttps));

/**
 * The browser's id for an account, if this account has signed in with this browser before. The cookie holds a pair of
 * id and proof for each account; the proof is keyed, so that no other program can create one, and reveals no account.
 */
export const knownDevice = (cookie: string | undefined, secretKey: string, email: string): string | undefined => {
  const pairs = (cookie ?? '').split(separator).slice(0, maxAccounts);
  for (const pair of pairs) {
    const [id = '', proof = ''] = pair.split('.');
    if (id !== '' && isSameSecret(proof, proofOf(secretKey, id, email))) return id;
  }
  return undefined;
};

/** The cookie after a sign-in: this account first, then its other accounts. */
export const deviceCookie = (
  cookie: string | undefined,
  { secretKey, isHttps }: { readonly secretKey: string; readonly isHttps: boolean },
  email: string,
): string => {
  const id = knownDevice(cookie, secretKey, email) ?? randomBytes(16).toString('base64url');
  const others = (cookie ?? '').split(separator).filter((pair) => pair !== '' && !pair.startsWith(`${id}.`));
  const pairs = [`${id}.${proofOf(secretKey, id, email)}`, ...others].slice(0, maxAccounts);
  const attributes = { httpOnly: true, secure: isHttps, sameSite: 'Strict', path: '/', maxAge: maxAgeSeconds } as const;
  return serialize(deviceCookieName(isHttps), pairs.join(separator), attributes);
};
