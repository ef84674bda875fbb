import { uuidV7 } from '@roastery/runtime/uuid';
import type { Sql } from '../db/sql.ts';
import { announceEndedSessions } from './open-streams.ts';
import { hashToken, newToken } from './secrets.ts';
import type { SignedInUser } from './server-context.ts';
import { sessionIdleHours, sessionMaxDays } from './cookies.ts';

interface SessionRow extends SignedInUser {
  session_id: string;
  is_stale: boolean;
}

export interface FoundSession {
  readonly id: string;
  readonly user: SignedInUser;
}

/** The condition of a valid session `s` of user `u`, for requests, streams and push messages alike. */
export const isInForce = (sql: Sql) => sql`
  u.is_active AND s.expires_at > now() AND s.last_seen_at > now() - make_interval(hours => ${sessionIdleHours})`;

/** `SignedInUser['shared']` of user `u`. */
export const sharedOf = (sql: Sql) => sql`
  (SELECT jsonb_build_object(
            'see', coalesce(jsonb_agg(k.machine_id), '[]'),
            'roast', coalesce(jsonb_agg(k.machine_id) FILTER (WHERE k.role = 'roaster'), '[]'),
            'all', (SELECT all_users_see_all_machines FROM roastery_settings))
     FROM machine_members k WHERE k.user_id = u.id)`;

/** Which of these sessions are still valid, or are screens of a wall link that was not revoked. */
export const sessionsInForce = async (sql: Sql, ids: readonly string[]): Promise<Set<string>> => {
  const rows = await sql<{ id: string }[]>`
    SELECT s.id FROM sessions s JOIN users u ON u.id = s.user_id WHERE s.id = ANY(${[...ids]}::uuid[]) AND ${isInForce(sql)}
    UNION ALL
    SELECT w.id FROM wall_screens w WHERE w.id = ANY(${[...ids]}::uuid[]) AND w.expires_at > now()`;
  return new Set(rows.map((row) => row.id));
};

/** The session of a cookie, unless it is over, idle too long, or its user inactive. Records its use once a minute. */
export const findSession = async (sql: Sql, token: string): Promise<FoundSession | undefined> => {
  if (!/^[A-Za-z0-9_-]{43}$/.test(token)) return undefined;
  const [row] = await sql<SessionRow[]>`
    SELECT s.id AS session_id, s.last_seen_at < now() - interval '1 minute' AS is_stale,
           u.id, u.full_name, u.email, u.is_active, u.is_admin, u.created_at, u.preferences,
           ${sharedOf(sql)} AS shared
      FROM sessions s JOIN users u ON u.id = s.user_id
     WHERE s.token_hash = ${hashToken(token)} AND ${isInForce(sql)}`;
  if (!row) return undefined;
  const { session_id: id, is_stale: isStale, ...user } = row;
  if (isStale) await sql`UPDATE sessions SET last_seen_at = now() WHERE id = ${id}`;
  return { id, user };
};

/** Starts a session and returns the token for the cookie; only its hash is stored. */
export const startSession = async (
  sql: Sql,
  userId: string,
  from: { address: string | null; userAgent: string | null },
): Promise<string> => {
  const token = newToken();
  await sql`
    INSERT INTO sessions (id, token_hash, user_id, expires_at, address, user_agent)
    VALUES (${uuidV7()}, ${hashToken(token)}, ${userId}, now() + make_interval(days => ${sessionMaxDays}),
            ${from.address}, ${from.userAgent?.slice(0, 300) ?? null})`;
  return token;
};

/** Ends one session of a user; false when there is none. Its streams end with it. */
export const endSession = async (sql: Sql, userId: string, sessionId: string): Promise<boolean> => {
  const ended = await sql<{ id: string }[]>`
    DELETE FROM sessions WHERE id = ${sessionId} AND user_id = ${userId} RETURNING id`;
  await announceEndedSessions(
    sql,
    ended.map((row) => row.id),
  );
  return ended.length > 0;
};

/** Ends all sessions of a user except the given one. */
export const endSessionsOf = async (sql: Sql, userId: string, exceptId?: string): Promise<number> => {
  const ended = await sql<{ id: string }[]>`
    DELETE FROM sessions WHERE user_id = ${userId} AND id IS DISTINCT FROM ${exceptId ?? null}::uuid RETURNING id`;
  await announceEndedSessions(
    sql,
    ended.map((row) => row.id),
  );
  return ended.length;
};

/**
 * Streams were opened with rights that these users have lost: they end with the transaction, and the pages request them
 * again.
 */
export const endStreamsOf = async (sql: Sql, userIds: readonly string[]): Promise<void> => {
  const sessions = await sql<{ id: string }[]>`SELECT id FROM sessions WHERE user_id = ANY(${[...userIds]}::uuid[])`;
  await announceEndedSessions(
    sql,
    sessions.map((session) => session.id),
  );
};

/** Rows that no longer allow a sign-in. */
export const deleteExpiredSessions = async (sql: Sql): Promise<void> => {
  await sql`
    DELETE FROM sessions
     WHERE expires_at <= now() OR last_seen_at <= now() - make_interval(hours => ${sessionIdleHours})`;
};
