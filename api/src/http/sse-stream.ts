import { AppError } from './app-error.ts';
import type { HeldAnswer } from './unread-answers.ts';

const encoder = new TextEncoder();

/** One server-sent event: `event:` its name, `data:` its JSON, which has no line breaks of its own. */
export const sseFrame = (name: string, data: unknown): Uint8Array =>
  encoder.encode(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);

const heartbeat = encoder.encode(': still here\n\n');

/** A reader that lags this far behind is disconnected: it reconnects and starts with a fresh backlog. */
const maxQueuedBytes = 1024 * 1024;

export interface SseStream {
  readonly body: ReadableStream<Uint8Array>;
  /** Queues bytes; `allowance` more may be queued because of them (a backlog is large by itself). */
  readonly send: (bytes: Uint8Array, allowance?: number) => void;
  readonly heartbeat: () => void;
  /** Ends the answer. Does nothing after the end. */
  readonly close: () => void;
  /** Ends the answer when the signal aborts; at once if it has. */
  readonly closeOn: (signal: AbortSignal) => void;
}

/**
 * The body of a stream of server-sent events, written to from outside, with a bounded queue. `onEnd` is called once,
 * whatever ended it. `unread` counts what waits in the queue. docs/decisions/2026-11-event-streams.md explains why this is not Hono's
 * `streamSSE`.
 */
export const createSseStream = (unread: HeldAnswer, onEnd: () => void): SseStream => {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  let ended = false;
  let limit = maxQueuedBytes;
  const watched = new AbortController();
  const queuedBytes = (): number => maxQueuedBytes - (controller?.desiredSize ?? maxQueuedBytes);
  const end = (): void => {
    if (ended) return;
    ended = true;
    watched.abort();
    onEnd();
  };
  const body = new ReadableStream<Uint8Array>(
    {
      start(given) {
        controller = given;
      },
      pull: () => unread.hold(queuedBytes()),
      cancel: end,
    },
    { highWaterMark: maxQueuedBytes, size: (bytes) => bytes?.byteLength ?? 0 },
  );
  /** Other unread answers of the same reader take room from this one. */
  const hasRoom = (bytes: number): boolean => {
    try {
      unread.hold(bytes);
      return true;
    } catch (error) {
      if (error instanceof AppError) return false;
      throw error;
    }
  };
  const close = (): void => {
    if (ended) return;
    controller?.close();
    end();
  };
  const send = (bytes: Uint8Array, allowance = 0): void => {
    if (ended || controller === undefined) return;
    limit += allowance;
    const queued = queuedBytes() + bytes.byteLength;
    if (queued > limit || !hasRoom(queued)) {
      // An error, unlike `close`, discards the queue: a stuck reader must not keep it in memory.
      controller.error(new Error('the reader is too slow'));
      return end();
    }
    controller.enqueue(bytes);
  };
  const closeOn = (signal: AbortSignal): void => {
    if (signal.aborted) close();
    else signal.addEventListener('abort', close, { signal: watched.signal });
  };
  return { body, send, heartbeat: () => send(heartbeat), close, closeOn };
};

export const sseAnswer = (body: ReadableStream<Uint8Array>): Response =>
  new Response(body, {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      // nginx and similar proxies would buffer the events otherwise.
      'x-accel-buffering': 'no',
    },
  });
