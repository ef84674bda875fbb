import { AppError } from './app-error.ts';
import type { Sql } from '../db/sql.ts';

/** Channel of `pg_notify` on which every instance learns of ended sessions. */
export const sessionEndedChannel = 'session_ended';

/** One browser has a few pages open; a script in a loop must not fill the server. */
const maxPerSession = 20;
const maxPerUser = 60;
/** A page that was just closed releases its slot within this time. */
const retryAfterSeconds = 10;

interface OpenStream {
  readonly sessionId: string;
  readonly userId: string;
  readonly abort: AbortController;
}

/**
 * Tracks the long answers of this instance, so that they end with their session (signed out, expired, deactivated,
 * password changed), whichever instance ended it, and with the process.
 */
export const createOpenStreams = () => {
  const open = new Set<OpenStream>();
  let stopping = false;
  const checkPlace = (sessionId: string, userId: string): void => {
    if (stopping) throw new AppError('not_ready', 'The server is stopping.', 2);
    let [ofSession, ofUser] = [0, 0];
    for (const stream of open) {
      if (stream.sessionId === sessionId) ofSession += 1;
      if (stream.userId === userId) ofUser += 1;
    }
    if (ofSession < maxPerSession && ofUser < maxPerUser) return;
    const sentence = 'Too many live pages are open with this account. Close some of them and try again.';
    throw new AppError('too_many_requests', sentence, retryAfterSeconds);
  };
  return {
    /**
     * Registers a stream of a session; `signal` aborts when it must end; call `done` when it has ended by itself. Throws
     * `too_many_requests` at the session's or the user's limit.
     */
    open(sessionId: string, userId: string): { signal: AbortSignal; done(): void } {
      checkPlace(sessionId, userId);
      const stream = { sessionId, userId, abort: new AbortController() };
      open.add(stream);
      return { signal: stream.abort.signal, done: () => open.delete(stream) };
    },
    endSession(sessionId: string): void {
      for (const stream of open) if (stream.sessionId === sessionId) stream.abort.abort();
    },
    /** Ends all streams; no new one is opened. */
    endAll(): void {
      stopping = true;
      for (const stream of open) stream.abort.abort();
      open.clear();
    },
    sessionIds: (): string[] => [...new Set([...open].map((stream) => stream.sessionId))],
    get size(): number {
      return open.size;
    },
  };
};
export type OpenStreams = ReturnType<typeof createOpenStreams>;

/** Notifies every instance, when the transaction commits, that these sessions are over. */
export const announceEndedSessions = async (sql: Sql, sessionIds: readonly string[]): Promise<void> => {
  for (const id of sessionIds) await sql`SELECT pg_notify(${sessionEndedChannel}, ${id})`;
};
