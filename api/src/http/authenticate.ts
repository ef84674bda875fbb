import type { Context } from 'hono';
import type { DeviceContext, PublicContext, RequestContext, UserContext } from '../context.ts';
import { AppError } from './app-error.ts';
import { readDeviceCookie } from './device-cookie.ts';
import { findMachineByToken } from './machine-credentials.ts';
import { isSameSecret } from './secrets.ts';
import { readSessionCookie } from './session-cookie.ts';
import { findSession } from './sessions.ts';

const notSignedIn = (): AppError => new AppError('not_signed_in', 'Sign in first');

export const authenticatePublic = async (c: Context, request: RequestContext): Promise<PublicContext> => {
  const token = readSessionCookie(c, request.config.isHttps);
  return {
    ...request,
    session: token === undefined ? undefined : await findSession(request.sql, token),
    deviceCookie: readDeviceCookie(c, request.config.isHttps),
  };
};

export const authenticateUser = async (
  c: Context,
  request: RequestContext,
  needsAdmin: boolean,
): Promise<UserContext> => {
  const { session } = await authenticatePublic(c, request);
  if (!session) throw notSignedIn();
  if (needsAdmin && !session.user.is_admin) throw new AppError('forbidden', 'Only an administrator may do this');
  return { ...request, user: session.user, sessionId: session.id };
};

/** `Authorization: Bearer <machine token>` with `X-Machine-Serial`, percent-encoded where it holds more than ASCII. */
export const authenticateDevice = async (c: Context, request: RequestContext): Promise<DeviceContext> => {
  const token = /^Bearer ([\x21-\x7e]{1,512})$/i.exec(c.req.header('authorization') ?? '')?.[1];
  const serial = c.req.header('x-machine-serial');
  if (token === undefined || serial === undefined) throw notSignedIn();
  const machine =
    (await findMachineByToken(request.sql, serial, token)) ??
    (serial.includes('%') ? await findMachineByToken(request.sql, decoded(serial), token) : undefined);
  if (!machine) throw new AppError('not_signed_in', 'This machine token is not valid for this serial number');
  return { ...request, machine };
};

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return text;
    throw error;
  }
};

export const authenticateBroker = (c: Context, request: RequestContext): void => {
  if (!isSameSecret(c.req.header('x-broker-secret') ?? '', request.config.brokerSecret)) throw notSignedIn();
};
