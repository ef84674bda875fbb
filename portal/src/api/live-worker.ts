import { openEventStream } from './event-stream.ts';
import type { FollowMessage, LiveMessage } from './live-subscription.ts';

/*
 * One stream of live events for all tabs of a browser, which opens six connections to a server over HTTP/1.1. It carries the
 * machines that any tab follows; a tab that joins opens it anew, so that it gets the backlog.
 */

interface Follower {
  readonly machineId: string;
  heardAt: number;
}

/** Tabs write every half minute, once a minute in the background. One that was closed without a word, or is frozen, is forgotten. */
const forgottenAfterMs = 5 * 60_000;
const sweepMs = 60_000;

const followers = new Map<MessagePort, Follower>();
let stream: ReturnType<typeof openEventStream> | undefined;

/** The api writes the id first. */
const machineOf = (data: string): string | undefined => /^\{"machine_id":"([\w-]+)"/.exec(data)?.[1];

const send = (port: MessagePort, message: LiveMessage): void => port.postMessage(message);

const open = ({ address, types }: Pick<FollowMessage, 'address' | 'types'>): void => {
  stream = openEventStream({
    address: () => {
      const machines = new Set([...followers.values()].map(({ machineId }) => machineId));
      return `${address}?machines=${[...machines].join(',')}`;
    },
    types,
    onEvent(data) {
      const machineId = machineOf(data);
      for (const [port, follower] of followers) if (follower.machineId === machineId) send(port, { data });
    },
    onLink(up) {
      for (const port of followers.keys()) send(port, { up });
    },
  });
};

const forget = (port: MessagePort): void => {
  followers.delete(port);
  if (followers.size > 0) return;
  stream?.close();
  stream = undefined;
};

const hear = (port: MessagePort, message: FollowMessage): void => {
  if (message.isEnd) return forget(port);
  const follower = followers.get(port);
  if (follower !== undefined) {
    follower.heardAt = Date.now();
    stream?.retryNow();
    return;
  }
  followers.set(port, { machineId: message.machineId, heardAt: Date.now() });
  if (stream === undefined) open(message);
  else stream.reopen();
};

addEventListener('connect', (event) => {
  if (!(event instanceof MessageEvent)) return;
  const [port] = event.ports;
  if (port === undefined) return;
  port.addEventListener('message', ({ data }: MessageEvent<FollowMessage>) => hear(port, data));
  port.start();
});

setInterval(() => {
  const before = Date.now() - forgottenAfterMs;
  for (const [port, { heardAt }] of followers) if (heardAt < before) forget(port);
}, sweepMs);
