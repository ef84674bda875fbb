import type { Context } from 'hono';
import type { Sql } from '../db/sql.ts';
import { AppError } from './app-error.ts';
import { readDeviceCookie, readSessionCookie } from './cookies.ts';
import { hashToken, isSameSecret } from './secrets.ts';
import type { DeviceCaller, PublicCaller, ServerContext, UserCaller } from './server-context.ts';
import { findSession } from './sessions.ts';

const notSignedIn = (): AppError => new AppError('not_signed_in', 'Sign in first.');

export const authenticatePublic = async (c: Context, request: ServerContext): Promise<PublicCaller> => {
  const token = readSessionCookie(c, request.config.isHttps);
  return {
    session: token === undefined ? undefined : await findSession(request.sql, token),
    deviceCookie: readDeviceCookie(c, request.config.isHttps, 'device'),
    pinCookie: readDeviceCookie(c, request.config.isHttps, 'pin'),
  };
};

export const authenticateUser = async (
  c: Context,
  request: ServerContext,
  needsAdmin: boolean,
): Promise<UserCaller> => {
  const { session, ...cookies } = await authenticatePublic(c, request);
  if (!session) throw notSignedIn();
  if (needsAdmin && !session.user.is_admin) throw new AppError('forbidden', 'Only an administrator can do this.');
  return { user: session.user, sessionId: session.id, ...cookies };
};

/** `Authorization: Bearer <machine token>` with `X-Machine-Serial`, percent-encoded where it holds more than ASCII. */
export const authenticateDevice = async (c: Context, request: ServerContext): Promise<DeviceCaller> => {
  const token = /^Bearer ([\x21-\x7e]{1,512})$/i.exec(c.req.header('authorization') ?? '')?.[1];
  const serial = c.req.header('x-machine-serial');
  if (token === undefined || serial === undefined) throw notSignedIn();
  const machine =
    (await findMachineByToken(request.sql, serial, token)) ??
    (serial.includes('%') ? await findMachineByToken(request.sql, decoded(serial), token) : undefined);
  if (!machine) throw new AppError('not_signed_in', 'This machine token is not valid for this serial number.');
  return { machine };
};

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return text;
    throw error;
  }
};

export const authenticateBroker = (c: Context, request: ServerContext): void => {
  if (!isSameSecret(c.req.header('x-broker-secret') ?? '', request.config.brokerSecret)) throw notSignedIn();
};

export interface CredentialOwner {
  readonly id: string;
  readonly serial_number: string;
  /** Which of the machine's credentials was used. */
  readonly credential_id: string;
}

/**
 * The machine of a serial number and token; undefined for a wrong, revoked or expired token and for an archived
 * machine.
 */
export const findMachineByToken = async (
  sql: Sql,
  serialNumber: string,
  token: string,
): Promise<CredentialOwner | undefined> => {
  if (serialNumber.includes('\0')) return undefined;
  const [row] = await sql<CredentialOwner[]>`
    SELECT m.id, m.serial_number, c.id AS credential_id
      FROM machines m JOIN machine_credentials c ON c.machine_id = m.id
     WHERE m.serial_number = ${serialNumber} AND m.archived_at IS NULL AND c.token_hash = ${hashToken(token)}
       AND c.revoked_at IS NULL AND (c.expires_at IS NULL OR c.expires_at > now())
     LIMIT 1`;
  return row;
};

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

const refuse = (): never => {
  throw new AppError('wrong_origin', 'This request came from another site.');
};

/**
 * Refuses unsafe methods from a foreign page. Browsers send Origin and Sec-Fetch-Site, which pages can't change;
 * programs send neither and are accepted: they only hold cookies that they requested themselves. Behind plain HTTP the
 * page's host must be the host it calls; behind HTTPS it must be the public address itself.
 */
export const checkOrigin = (c: Context, publicUrl: string): void => {
  if (safeMethods.has(c.req.method)) return;
  const site = c.req.header('sec-fetch-site');
  if (site !== undefined && site !== 'same-origin' && site !== 'none') refuse();
  const origin = c.req.header('origin');
  if (origin === undefined) return;
  const own = new URL(publicUrl);
  if (origin === own.origin) return;
  const host = c.req.header('host');
  if (own.protocol === 'https:' || host === undefined || origin !== `http://${host}`) refuse();
};
