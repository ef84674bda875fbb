import { loggable } from '../db/postgres-errors.ts';
import type { Database } from '../db/sql.ts';
import { AppError } from './app-error.ts';
import { sessionEndedChannel, type OpenStreams, type RegisteredStream } from './open-streams.ts';
import type { RequestDetails, ServerContext, WallCaller } from './server-context.ts';
import { sessionsInForce } from './sessions.ts';
import type { HeldAnswer } from './unread-answers.ts';

/** A session that expires is not announced: its streams end within this time. */
const sweepMs = 60_000;

/** A long answer of a session. */
export interface SessionStream extends RegisteredStream {
  /** What waits in it counts as unread. */
  readonly unread: HeldAnswer;
}

/**
 * Registers a long answer of the caller's session. The session is checked again after the registration: one that ended
 * before it answers 401, one that ends after it ends the stream. Check the caller's rights after it: a user who loses a
 * machine loses the streams registered by then.
 */
export const openSessionStream = async ({
  sql,
  streams,
  answers,
  address,
  sessionId,
  user,
  linkId,
}: ServerContext & RequestDetails & WallCaller): Promise<SessionStream> => {
  const registered = streams.open(sessionId, user === null ? { linkId: linkId ?? sessionId } : { userId: user.id });
  const unread = answers.open('live', { address, id: user?.id ?? linkId });
  const stream: SessionStream = {
    signal: registered.signal,
    unread,
    done() {
      unread.release();
      registered.done();
    },
  };
  try {
    if ((await sessionsInForce(sql, [sessionId])).has(sessionId)) return stream;
    throw new AppError('not_signed_in', 'Sign in first.');
  } catch (error) {
    stream.done();
    throw error;
  }
};

const endStale = async (sql: Database, streams: OpenStreams): Promise<void> => {
  const held = streams.sessionIds();
  if (held.length === 0) return;
  const inForce = await sessionsInForce(sql, held);
  for (const id of held) if (!inForce.has(id)) streams.endSession(id);
};

/**
 * Ends streams with their sessions: at once when an instance announces the end, and within a minute when it happened
 * without an announcement or while this instance could not listen.
 */
export const followEndedSessions = async (
  { sql, streams, log, clock }: ServerContext,
  stop: AbortSignal,
): Promise<void> => {
  const sweep = (): void => {
    endStale(sql, streams).catch((error: unknown) => log.warn(loggable(error), 'session sweep failed'));
  };
  await sql.listen(sessionEndedChannel, (id) => streams.endSession(id), sweep);
  const cancel = clock.every(sweepMs, sweep, { keepsAlive: false });
  stop.addEventListener('abort', cancel, { once: true });
};
