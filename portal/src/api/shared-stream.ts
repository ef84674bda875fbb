import { openEventStream } from './event-stream.ts';

/** From a tab to the worker with the streams of all tabs. Sent again every half minute. */
export interface FollowMessage {
  /** Of the stream that tabs share. */
  readonly address: string;
  /** The machine that the tab follows on it; null for every event. */
  readonly machineId: string | null;
  readonly types: readonly string[];
  readonly isEnd: boolean;
}
/** From the worker: an event, or whether the stream is up. */
export type StreamMessage = { readonly data: string } | { readonly up: boolean };

interface SharedStreamParts extends Omit<FollowMessage, 'isEnd'> {
  /** For a stream of its own, if tabs cannot share one. */
  readonly ownAddress: () => string;
  readonly onEvent: (data: string) => void;
  /** The stream is up, or was lost and is being tried again. */
  readonly onLink: (up: boolean) => void;
}

interface Link {
  readonly retryNow: () => void;
  readonly close: () => void;
}

const heardEveryMs = 30_000;

const openAlone = ({ ownAddress: address, types, onEvent, onLink }: SharedStreamParts): Link =>
  openEventStream({ address, types, onEvent, onLink });

const openInWorker = (parts: SharedStreamParts): Link => {
  const { address, machineId, types, onEvent, onLink } = parts;
  const worker = new SharedWorker(new URL('./live-worker.ts', import.meta.url), { type: 'module', name: 'live' });
  let alone: Link | undefined;
  const { port } = worker;
  const post = (isEnd: boolean) => {
    const message: FollowMessage = { address, machineId, types, isEnd };
    port.postMessage(message);
  };
  const follow = () => post(false);
  const end = () => post(true);
  port.addEventListener('message', ({ data: message }: MessageEvent<StreamMessage>) => {
    if ('data' in message) onEvent(message.data);
    else onLink(message.up);
  });
  port.start();
  // Its code did not load.
  worker.addEventListener('error', () => (alone ??= openAlone(parts)));
  follow();
  const timer = setInterval(follow, heardEveryMs);
  addEventListener('pagehide', end);
  addEventListener('pageshow', follow);
  return {
    retryNow() {
      follow();
      alone?.retryNow();
    },
    close() {
      clearInterval(timer);
      removeEventListener('pagehide', end);
      removeEventListener('pageshow', follow);
      end();
      port.close();
      alone?.close();
    },
  };
};

/**
 * Follows a stream of server-sent events that all tabs of this browser share, until the returned function is called. A
 * lost stream is reopened automatically, at once when the browser is back online or the page is shown again.
 */
export const openSharedStream = (parts: SharedStreamParts): (() => void) => {
  const link = 'SharedWorker' in globalThis ? openInWorker(parts) : openAlone(parts);
  const retryNow = () => {
    if (document.visibilityState === 'visible') link.retryNow();
  };
  addEventListener('online', retryNow);
  document.addEventListener('visibilitychange', retryNow);
  return () => {
    removeEventListener('online', retryNow);
    document.removeEventListener('visibilitychange', retryNow);
    link.close();
  };
};
