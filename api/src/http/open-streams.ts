import { AppError } from './app-error.ts';
import type { Sql } from '../db/sql.ts';

/** Channel of `pg_notify` on which every instance learns of ended sessions. */
export const sessionEndedChannel = 'session_ended';

interface StreamLimits {
  readonly perSession: number;
  /** Of all sessions of one user, or all screens of one wall link. */
  readonly perHolder: number;
  /** The refusal, for a person. */
  readonly full: string;
}
/** One browser has a few pages open; a script in a loop must not fill the server. */
const ofUser: StreamLimits = {
  perSession: 20,
  perHolder: 60,
  full: 'Too many live pages are open with this account. Close some of them and try again.',
};
/** A screen shows the wall by one stream, and opens the next one before the last is known to have ended. */
const ofWallLink: StreamLimits = {
  perSession: 4,
  perHolder: 32,
  full: 'This wall link is open on too many screens. Close some of them, or make another link.',
};
/** A page that was just closed releases its slot within this time. */
const retryAfterSeconds = 10;

interface OpenStream {
  readonly sessionId: string;
  readonly holder: string;
  readonly abort: AbortController;
}

export interface RegisteredStream {
  readonly signal: AbortSignal;
  readonly done: () => void;
}

/**
 * Tracks the long answers of this instance, so that they end with their session (signed out, expired, deactivated,
 * password changed), whichever instance ended it, and with the process.
 */
export const createOpenStreams = () => {
  const open = new Set<OpenStream>();
  let stopping = false;
  const checkPlace = (sessionId: string, holder: string, { perSession, perHolder, full }: StreamLimits): void => {
    if (stopping) throw new AppError('not_ready', 'The server is stopping.', 2);
    let [ofSession, ofHolder] = [0, 0];
    for (const stream of open) {
      if (stream.sessionId === sessionId) ofSession += 1;
      if (stream.holder === holder) ofHolder += 1;
    }
    if (ofSession < perSession && ofHolder < perHolder) return;
    throw new AppError('too_many_requests', full, retryAfterSeconds);
  };
  return {
    /**
     * Registers a stream of a session of a user, or of a screen of a wall link; `signal` aborts when it must end; call `done`
     * when it has ended by itself. Throws `too_many_requests` at the limit of the session or of its holder.
     */
    open(sessionId: string, holder: { readonly userId: string } | { readonly linkId: string }): RegisteredStream {
      const [id, limits] = 'userId' in holder ? [holder.userId, ofUser] : [holder.linkId, ofWallLink];
      checkPlace(sessionId, id, limits);
      const stream = { sessionId, holder: id, abort: new AbortController() };
      open.add(stream);
      return { signal: stream.abort.signal, done: () => open.delete(stream) };
    },
    /**
     * Whether a screen of a wall link has its stream, or room for one. Throws `too_many_requests`: the page shows this refusal,
     * while a browser hides that of a stream.
     */
    checkScreen(sessionId: string, linkId: string): void {
      if ([...open].some((stream) => stream.sessionId === sessionId)) return;
      checkPlace(sessionId, linkId, ofWallLink);
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
