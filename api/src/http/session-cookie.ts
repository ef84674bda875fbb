import type { Context } from 'hono';
import { getCookie } from 'hono/cookie';
import { serialize } from 'hono/utils/cookie';

/** Idle 12 h, 30 days at most, whatever the cookie says: the session's row decides. */
export const sessionMaxDays = 30;
export const sessionIdleHours = 12;

/** Behind HTTPS the `__Host-` prefix makes browsers insist on Secure, Path=/ and no Domain. */
const cookieName = (isHttps: boolean): string => (isHttps ? '__Host-session' : 'session');

export const readSessionCookie = (c: Context, isHttps: boolean): string | undefined =>
  getCookie(c, cookieName(isHttps));

/**
 * Strict: the page itself is public and calls the api from its own origin, so nothing needs the cookie on a navigation that
 * another site began.
 */
const attributes = (isHttps: boolean, maxAge: number) =>
  ({ httpOnly: true, secure: isHttps, sameSite: 'Strict', path: '/', maxAge }) as const;

export const sessionCookie = (token: string, isHttps: boolean): string =>
  serialize(cookieName(isHttps), token, attributes(isHttps, sessionMaxDays * 24 * 3600));

export const clearedSessionCookie = (isHttps: boolean): string =>
  serialize(cookieName(isHttps), '', attributes(isHttps, 0));
