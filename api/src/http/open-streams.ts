import type { Logger } from '@roastery/runtime/logger';
import { loggable } from '../db/postgres-errors.ts';
import type { Database, Sql } from '../db/sql.ts';

const channel = 'session_ended';

interface OpenStream {
  readonly sessionId: string;
  readonly abort: AbortController;
}

/**
 * Keeps the long answers of this instance, so that they end with their session (signed out, deactivated, password changed),
 * whichever instance ended it, and with the process.
 */
export const createOpenStreams = () => {
  const open = new Set<OpenStream>();
  return {
    /** Registers a stream of a session; `signal` aborts when it must end; call `done` when it has ended by itself. */
    open(sessionId: string): { signal: AbortSignal; done(): void } {
      const stream = { sessionId, abort: new AbortController() };
      open.add(stream);
      return { signal: stream.abort.signal, done: () => open.delete(stream) };
    },
    endSession(sessionId: string): void {
      for (const stream of open) if (stream.sessionId === sessionId) stream.abort.abort();
    },
    endAll(): void {
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

/** Tells every instance, when the transaction commits, that these sessions are over. */
export const announceEndedSessions = async (sql: Sql, sessionIds: readonly string[]): Promise<void> => {
  for (const id of sessionIds) await sql`SELECT pg_notify(${channel}, ${id})`;
};

/** Ends streams whose session is gone, also those that ended while this instance could not listen. */
const endStale = async (sql: Database, streams: OpenStreams): Promise<void> => {
  const held = streams.sessionIds();
  if (held.length === 0) return;
  const alive = await sql<{ id: string }[]>`
    SELECT s.id FROM sessions s JOIN users u ON u.id = s.user_id WHERE s.id = ANY(${held}::uuid[]) AND u.is_active`;
  const kept = new Set(alive.map((row) => row.id));
  for (const id of held) if (!kept.has(id)) streams.endSession(id);
};

/** Listens for the announcements of all instances; after a lost connection it looks for what it missed. */
export const followEndedSessions = async (sql: Database, streams: OpenStreams, log: Logger): Promise<void> => {
  await sql.listen(
    channel,
    (id) => streams.endSession(id),
    () => {
      endStale(sql, streams).catch((error: unknown) => log.warn(loggable(error), 'could not look for ended sessions'));
    },
  );
};
