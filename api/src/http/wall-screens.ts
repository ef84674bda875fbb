import type { Context } from 'hono';
import { getCookie } from 'hono/cookie';
import { serialize } from 'hono/utils/cookie';
import { uuidV7 } from '@roastery/runtime/uuid';
import type { Sql } from '../db/sql.ts';
import { AppError } from './app-error.ts';
import { authenticatePublic } from './authenticate.ts';
import { announceEndedSessions } from './open-streams.ts';
import { hashToken, newToken } from './secrets.ts';
import type { ServerContext, WallCaller } from './server-context.ts';

/** The longest that browsers keep a cookie. Opening the link again renews it. */
const maxDays = 400;

/** Of one link, with those that are not open any more. */
const maxScreens = 200;

const cookieName = (isHttps: boolean): string => (isHttps ? '__Host-wall' : 'wall');

export const wallCookie = (token: string, isHttps: boolean): string =>
  serialize(cookieName(isHttps), token, {
    httpOnly: true,
    secure: isHttps,
    sameSite: 'Strict',
    path: '/',
    maxAge: maxDays * 24 * 3600,
  });

/** A screen of a wall link that is not revoked. Its id replaces a session id for streams. */
const findScreen = async (
  sql: Sql,
  token: string | undefined,
): Promise<{ id: string; link_id: string } | undefined> => {
  if (token === undefined || !/^[A-Za-z0-9_-]{43}$/.test(token)) return undefined;
  const [screen] = await sql<{ id: string; link_id: string }[]>`
    SELECT id, link_id FROM wall_screens WHERE token_hash = ${hashToken(token)} AND expires_at > now()`;
  return screen;
};

/** A signed-in user, else a screen of a wall link. */
export const authenticateWall = async (c: Context, request: ServerContext): Promise<WallCaller> => {
  const { session } = await authenticatePublic(c, request);
  if (session !== undefined) return { user: session.user, sessionId: session.id };
  const screen = await findScreen(request.sql, getCookie(c, cookieName(request.config.isHttps)));
  if (screen === undefined) throw new AppError('not_signed_in', 'Sign in, or open a wall link.');
  return { user: null, linkId: screen.link_id, sessionId: screen.id };
};

/** Exchanges the token of a link for that of a new screen; undefined for an unknown link. */
export const startScreen = async (
  tx: Sql,
  linkToken: string,
): Promise<{ token: string; link: { id: string; name: string } } | undefined> => {
  const [link] = await tx<{ id: string; name: string }[]>`
    UPDATE wall_links SET last_opened_at = now() WHERE token_hash = ${hashToken(linkToken)} RETURNING id, name`;
  if (link === undefined) return undefined;
  await tx`DELETE FROM wall_screens WHERE expires_at <= now()`;
  const token = newToken();
  // A browser that forgets its cookies opens the link as a new screen each time.
  await tx`
    DELETE FROM wall_screens WHERE id IN (
      SELECT id FROM wall_screens WHERE link_id = ${link.id} ORDER BY id DESC OFFSET ${maxScreens - 1})`;
  await tx`
    INSERT INTO wall_screens (id, link_id, token_hash, expires_at)
    VALUES (${uuidV7()}, ${link.id}, ${hashToken(token)}, now() + make_interval(days => ${maxDays}))`;
  return { token, link };
};

/** Deletes the links of a person who may make none any more, with their screens. */
export const deleteLinksOf = async (tx: Sql, userId: string): Promise<{ id: string; name: string }[]> => {
  const links = await tx<{ id: string; name: string }[]>`SELECT id, name FROM wall_links WHERE created_by = ${userId}`;
  for (const { id } of links) await deleteLink(tx, id);
  return [...links];
};

/** Deletes a link with its screens; their streams end with the transaction. */
export const deleteLink = async (tx: Sql, linkId: string): Promise<{ name: string } | undefined> => {
  // No screen can be opened with it between the two statements.
  await tx`SELECT 1 FROM wall_links WHERE id = ${linkId} FOR UPDATE`;
  const screens = await tx<{ id: string }[]>`SELECT id FROM wall_screens WHERE link_id = ${linkId}`;
  const [link] = await tx<{ name: string }[]>`DELETE FROM wall_links WHERE id = ${linkId} RETURNING name`;
  await announceEndedSessions(
    tx,
    screens.map(({ id }) => id),
  );
  return link;
};
