import { liveEventShape, machineLive, machinesLive, type LiveEvent } from '@roastery/contract/live';
import { describeRefusal, parseJson } from '@roastery/contract/parse-shape';
import { addressOf } from './call.ts';
import { logError } from './error-log.ts';
import { openEventStream } from './event-stream.ts';
import { checkReachability } from './reachability.ts';

const eventTypes = [
  'hello',
  'backlog',
  'reading',
  'samples',
  'roast',
  'roast_deleted',
  'alarms',
  'status',
  'gone',
] as const satisfies LiveEvent['type'][];

export type FollowedEvent = Exclude<LiveEvent, { type: 'gone' }>;

export interface LiveHandlers {
  onEvent: (event: FollowedEvent) => void;
  /** The stream is up, or was lost and is being tried again. */
  onLink: (up: boolean) => void;
}

/** From a tab to the worker that follows machines for all tabs. Sent again every half minute. */
export interface FollowMessage {
  readonly machineId: string;
  readonly address: string;
  readonly types: readonly string[];
  readonly isEnd: boolean;
}
/** From the worker: an event, or whether the stream is up. */
export type LiveMessage = { readonly data: string } | { readonly up: boolean };

interface Link {
  readonly retryNow: () => void;
  readonly close: () => void;
}
interface Receiver {
  readonly receive: (data: string) => void;
  readonly onLink: (up: boolean) => void;
}

const heardEveryMs = 30_000;

/** Over the stream of all tabs of this browser. */
const followShared = (machineId: string, { receive, onLink }: Receiver): Link => {
  const worker = new SharedWorker(new URL('./live-worker.ts', import.meta.url), { type: 'module', name: 'live' });
  let alone: Link | undefined;
  const { port } = worker;
  const post = (isEnd: boolean) => {
    const message: FollowMessage = {
      machineId,
      address: addressOf(machinesLive, undefined, undefined),
      types: eventTypes,
      isEnd,
    };
    port.postMessage(message);
  };
  const follow = () => post(false);
  const end = () => post(true);
  port.addEventListener('message', ({ data: message }: MessageEvent<LiveMessage>) => {
    if ('data' in message) receive(message.data);
    else onLink(message.up);
  });
  port.start();
  // Its code did not load.
  worker.addEventListener('error', () => (alone ??= followAlone(machineId, { receive, onLink })));
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

/** Over a stream of its own: browsers on Android have no shared workers. */
const followAlone = (machineId: string, { receive, onLink }: Receiver): Link =>
  openEventStream({
    address: () => addressOf(machineLive, { id: machineId }, undefined),
    types: eventTypes,
    onEvent: receive,
    onLink,
  });

/**
 * Follows one machine live until the returned function is called. A lost stream is opened again by itself, at once when the browser
 * is back online or the page is shown again.
 */
export const subscribeLive = (machineId: string, { onEvent, onLink }: LiveHandlers): (() => void) => {
  const receiver: Receiver = {
    receive(data) {
      const parsed = parseJson(liveEventShape, data);
      if (!parsed.success) logError('A live event has a shape this page does not know', describeRefusal(parsed));
      else if (parsed.data.type === 'gone') onLink(false);
      else onEvent(parsed.data);
    },
    onLink(up) {
      onLink(up);
      if (!up) void checkReachability();
    },
  };
  const link = 'SharedWorker' in globalThis ? followShared(machineId, receiver) : followAlone(machineId, receiver);
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
