import type { Session } from '@roastery/contract/auth';
import { actorOf, type UserContext } from '../../context.ts';
import { recordAudit } from '../../db/audit.ts';
import { notFound } from '../../http/app-error.ts';
import { sessionIdleHours } from '../../http/session-cookie.ts';
import { endSession } from '../../http/sessions.ts';

/** Sessions that still sign this person in, newest first. */
export const listOwnSessions = ({ sql, user, sessionId }: UserContext): Promise<Session[]> =>
  sql<Session[]>`
    SELECT id, created_at, last_seen_at, address, user_agent, id = ${sessionId} AS is_current
      FROM sessions
     WHERE user_id = ${user.id} AND expires_at > now()
       AND last_seen_at > now() - make_interval(hours => ${sessionIdleHours})
     ORDER BY created_at DESC, id DESC`;

export const endOwnSession = async (context: UserContext, id: string): Promise<{ message: string }> =>
  context.sql.begin(async (tx) => {
    if (!(await endSession(tx, context.user.id, id))) throw notFound('Session');
    await recordAudit(tx, actorOf(context), { action: 'session.ended', subject: id });
    return { message: 'The session has ended.' };
  });
