import { openEventStream } from './event-stream.ts';
import type { FollowMessage, StreamMessage } from './shared-stream.ts';

/* The streams of live events for all tabs of a browser, which opens at most six connections to a server over
   HTTP/1.1: one carries the machines that any tab follows, and one the wall. A new tab reopens its stream, so that
   it gets the backlog. */

interface Follower {
  readonly machineId: string | null;
  heardAt: number;
}
interface Shared {
  readonly followers: Map<MessagePort, Follower>;
  readonly stream: ReturnType<typeof openEventStream>;
}

/**
 * Tabs send a message every half minute, once a minute in the background. A tab that closed without one, or is frozen,
 * is removed.
 */
const forgottenAfterMs = 5 * 60_000;
const sweepMs = 60_000;

/** By address. */
const streams = new Map<string, Shared>();

/** The api writes the id first. */
const machineOf = (data: string): string | undefined => /^\{"machine_id":"([\w-]+)"/.exec(data)?.[1];

const send = (port: MessagePort, message: StreamMessage): void => port.postMessage(message);

const open = ({ address, types }: FollowMessage, followers: Shared['followers']): Shared => ({
  followers,
  stream: openEventStream({
    address: () => {
      const machines = new Set([...followers.values()].flatMap(({ machineId }) => machineId ?? []));
      return machines.size === 0 ? address : `${address}?machines=${[...machines].join(',')}`;
    },
    types,
    onEvent(data) {
      const machine = machineOf(data);
      for (const [port, { machineId }] of followers)
        if (machineId === null || machineId === machine) send(port, { data });
    },
    onLink(up) {
      for (const port of followers.keys()) send(port, { up });
    },
  }),
});

const forget = (address: string, port: MessagePort): void => {
  const shared = streams.get(address);
  if (shared === undefined) return;
  shared.followers.delete(port);
  if (shared.followers.size > 0) return;
  shared.stream.close();
  streams.delete(address);
};

const hear = (port: MessagePort, message: FollowMessage): void => {
  const { address, machineId, isEnd } = message;
  if (isEnd) return forget(address, port);
  const shared = streams.get(address);
  const follower = shared?.followers.get(port);
  if (shared !== undefined && follower !== undefined) {
    follower.heardAt = Date.now();
    shared.stream.retryNow();
    return;
  }
  const joining = { machineId, heardAt: Date.now() };
  if (shared === undefined) {
    streams.set(address, open(message, new Map([[port, joining]])));
    return;
  }
  shared.followers.set(port, joining);
  shared.stream.reopen();
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
  for (const [address, { followers }] of streams) {
    for (const [port, { heardAt }] of followers) if (heardAt < before) forget(address, port);
  }
}, sweepMs);
