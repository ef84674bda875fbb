import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '@roastery/runtime/clock';
import { AppError } from './app-error.ts';
import { networkOf } from './client-address.ts';

/** JSON and pages, files made or kept for a person, software for boards, and event streams. */
export type AnswerKind = 'page' | 'file' | 'package' | 'live';

/** What answers of one kind may hold in memory at the same time, bytes. */
export interface AnswerLimits {
  readonly total: number;
  /** An address may be a whole office behind one router. */
  readonly perAddress: number;
  /** Of one person, one board's credential, or one wall link. */
  readonly perReader: number;
}

const megabyte = 1024 * 1024;

export const usualAnswerLimits: Readonly<Record<AnswerKind, AnswerLimits>> = {
  page: { total: 128 * megabyte, perAddress: 96 * megabyte, perReader: 32 * megabyte },
  // The largest file has 32 MB.
  file: { total: 128 * megabyte, perAddress: 96 * megabyte, perReader: 34 * megabyte },
  // 256 downloads: a whole fleet is updated from one address.
  package: { total: 32 * megabyte, perAddress: 24 * megabyte, perReader: 24 * megabyte },
  live: { total: 96 * megabyte, perAddress: 64 * megabyte, perReader: 24 * megabyte },
};

/** An answer whose reader takes nothing of it for so long is cut off. */
const stalledMs = 30_000;
const checkEveryMs = 5000;
/** Seconds after which a refused request may be repeated: a stalled one has been cut off by then. */
const retrySeconds = 30;

export interface Reader {
  readonly address: string | null;
  /** Undefined for one who has not signed in. */
  readonly id: string | undefined;
}

/** The bytes that one answer holds until it was sent. */
export interface HeldAnswer {
  /**
   * Counts what it holds from now on.
   * @throws AppError `too_many_requests` when its reader or address holds too much, `not_ready` when all together do
   */
  hold(bytes: number): void;
  /** Counts it although a limit is exceeded: the answer reports a change that was made. */
  holdAnyway(bytes: number): void;
  readonly release: () => void;
}

interface Watched {
  /** Bytes that the system had accepted at the last check. */
  sent: number;
  since: number;
}

/**
 * What all unread answers hold: a reader that requests much and reads nothing must not fill the memory, and what one reader or
 * address holds leaves room for the others. An answer without progress is cut off.
 */
export const createUnreadAnswers = (clock: Clock, limits: Readonly<Record<AnswerKind, AnswerLimits>>) => {
  const held = new Map<string, number>();
  const watched = new Map<ServerResponse, Watched>();
  /** Of connections that serve several requests: all but the first answer wait for the one before. */
  const ofSocket = new WeakMap<Socket, Set<ServerResponse>>();
  const heldBy = (key: string): number => held.get(key) ?? 0;
  const exceeds = (key: string, more: number, limit: number): boolean => heldBy(key) + more > limit;

  const answersOf = (socket: Socket): Set<ServerResponse> => {
    const known = ofSocket.get(socket);
    if (known !== undefined) return known;
    const open = new Set<ServerResponse>();
    ofSocket.set(socket, open);
    // Node reports the end only to the answer whose turn it is; the others would be produced and held forever.
    const endWaiting = (): void => {
      for (const answer of open) answer.emit('close');
    };
    socket.once('close', () => setImmediate(endWaiting));
    return open;
  };

  const cutStalled = (): void => {
    for (const [answer, last] of watched) {
      const { socket } = answer.req;
      const sent = socket.bytesWritten - socket.writableLength;
      const waits = answer.writableLength > 0 || socket.writableLength > 0;
      if (!waits || sent !== last.sent) Object.assign(last, { sent, since: clock.monotonic() });
      else if (clock.monotonic() - last.since >= stalledMs) socket.destroy();
    }
  };
  const cancel = clock.every(checkEveryMs, cutStalled, { keepsAlive: false });

  return {
    heldBytes: (kind: AnswerKind): number => heldBy(kind),
    open(kind: AnswerKind, { address, id }: Reader): HeldAnswer {
      const { total, perAddress, perReader } = limits[kind];
      const ofAddress = `${kind} of address ${networkOf(address)}`;
      const keys = [kind, ofAddress, ...(id === undefined ? [] : [`${kind} of reader ${id}`])];
      let own = 0;
      let isReleased = false;
      const count = (bytes: number): void => {
        if (isReleased) return;
        for (const key of keys) {
          const next = heldBy(key) + bytes - own;
          if (next > 0) held.set(key, next);
          else held.delete(key);
        }
        own = bytes;
      };
      return {
        hold(bytes) {
          const more = bytes - own;
          if (more > 0) {
            const isOwn = id !== undefined && exceeds(`${kind} of reader ${id}`, more, perReader);
            if (isOwn || exceeds(ofAddress, more, perAddress))
              throw new AppError(
                'too_many_requests',
                'Too many downloads and pages are open and not read. Close some of them and try again.',
                retrySeconds,
              );
            if (exceeds(kind, more, total))
              throw new AppError('not_ready', 'The server is sending too much at the moment. Try again.', retrySeconds);
          }
          count(bytes);
        },
        holdAnyway: count,
        release() {
          count(0);
          isReleased = true;
        },
      };
    },
    /** Cuts the connection of an answer when its reader takes nothing of it for 30 s, and ends it with its connection. */
    watch(answer: ServerResponse): void {
      watched.set(answer, { sent: -1, since: clock.monotonic() });
      const others = answersOf(answer.req.socket);
      others.add(answer);
      answer.once('close', () => {
        watched.delete(answer);
        others.delete(answer);
      });
    },
    close: cancel,
  };
};
export type UnreadAnswers = ReturnType<typeof createUnreadAnswers>;
