import type { LiveEvent } from '@roastery/contract/live';

const encoder = new TextEncoder();

/** One event as it travels: `event:` its type, `data:` its JSON, which has no line breaks of its own. */
export const sseEvent = (event: LiveEvent): Uint8Array => sseFrame(event.type, event);
export const sseFrame = (name: string, data: unknown): Uint8Array =>
  encoder.encode(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);

const heartbeat = encoder.encode(': still here\n\n');

/** A reader that lags this far behind is cut off: it reconnects and starts with a fresh backlog. */
const maxQueuedBytes = 1024 * 1024;

export interface SseStream {
  readonly body: ReadableStream<Uint8Array>;
  /** Queues bytes; `allowance` more may wait because of them (a backlog is large by itself). */
  readonly send: (bytes: Uint8Array, allowance?: number) => void;
  readonly heartbeat: () => void;
  /** Ends the answer. Harmless when it has ended. */
  readonly close: () => void;
}

/** A body that is written to from outside, bounded. `onEnd` is called once, whoever ended it. */
export const createSseStream = (onEnd: () => void): SseStream => {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  let ended = false;
  let limit = maxQueuedBytes;
  const end = (): void => {
    if (ended) return;
    ended = true;
    onEnd();
  };
  const body = new ReadableStream<Uint8Array>(
    {
      start(given) {
        controller = given;
      },
      cancel: end,
    },
    { highWaterMark: maxQueuedBytes, size: (bytes) => bytes?.byteLength ?? 0 },
  );
  const close = (): void => {
    if (ended) return;
    controller?.close();
    end();
  };
  const send = (bytes: Uint8Array, allowance = 0): void => {
    if (ended || controller === undefined) return;
    limit += allowance;
    const queued = maxQueuedBytes - (controller.desiredSize ?? 0);
    if (queued + bytes.byteLength > limit) {
      // Erroring instead of closing throws the queue away: a reader that is stuck must not keep it in memory.
      controller.error(new Error('the reader is too slow'));
      return end();
    }
    controller.enqueue(bytes);
  };
  return { body, send, heartbeat: () => send(heartbeat), close };
};
