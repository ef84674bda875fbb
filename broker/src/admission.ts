import type { Socket } from 'node:net';
import type { BrokerLimits } from './limits.ts';

export type NoPlace = 'too_many_connections' | 'too_many_from_address';

interface Place {
  /** Kept: a destroyed socket no longer has its local port. */
  readonly key: string;
  readonly address: string;
  /** The accepted socket, below TLS and WebSocket. */
  readonly socket: Socket;
  /** Waiting: its credentials are not accepted yet. */
  state: 'waiting' | 'admitted' | 'gone';
}

interface Address {
  /** Oldest first. */
  readonly waiting: Set<Place>;
  admitted: number;
}

/** The same key for an accepted socket and for the TLS socket on it. */
const keyOf = ({ remoteAddress, remotePort, localPort }: Socket): string =>
  `${remoteAddress} ${remotePort} ${localPort}`;

/**
 * Limits open sockets in total and per address, from the moment they are accepted. When all slots are taken, the oldest
 * socket without credentials is closed: idle sockets can't lock out a board behind the same address.
 */
export const createSocketCount = (
  limits: Pick<BrokerLimits, 'maxConnections' | 'maxConnectionsPerAddress'>,
  onYield: (reason: NoPlace, address: string) => void,
) => {
  const addresses = new Map<string, Address>();
  const places = new Map<string, Place>();
  let total = 0;

  const free = (place: Place): void => {
    if (place.state === 'gone') return;
    const here = addresses.get(place.address);
    if (here !== undefined) {
      if (place.state === 'admitted') here.admitted -= 1;
      here.waiting.delete(place);
      if (here.admitted === 0 && here.waiting.size === 0) addresses.delete(place.address);
    }
    place.state = 'gone';
    places.delete(place.key);
    total -= 1;
  };
  const cutOldest = (waiting: ReadonlySet<Place>, reason: NoPlace): boolean => {
    for (const place of waiting) {
      onYield(reason, place.address);
      free(place);
      place.socket.destroy();
      return true;
    }
    return false;
  };
  const busiest = (): ReadonlySet<Place> => {
    let most: ReadonlySet<Place> = new Set();
    for (const { waiting } of addresses.values()) if (waiting.size > most.size) most = waiting;
    return most;
  };

  return {
    total: () => total,
    /** Takes a slot until the socket closes, or returns why there is none. */
    enter(socket: Socket): NoPlace | undefined {
      const address = socket.remoteAddress ?? 'unknown';
      const known = addresses.get(address);
      const isFullHere = known !== undefined && known.admitted + known.waiting.size >= limits.maxConnectionsPerAddress;
      if (isFullHere && !cutOldest(known.waiting, 'too_many_from_address')) return 'too_many_from_address';
      if (total >= limits.maxConnections && !cutOldest(busiest(), 'too_many_connections'))
        return 'too_many_connections';
      const here = addresses.get(address) ?? { waiting: new Set(), admitted: 0 };
      addresses.set(address, here);
      const place: Place = { key: keyOf(socket), address, socket, state: 'waiting' };
      total += 1;
      here.waiting.add(place);
      places.set(place.key, place);
      socket.once('close', () => free(place));
      return undefined;
    },
    /** The credentials were accepted: this socket keeps its slot. */
    admit(socket: Socket): void {
      const place = places.get(keyOf(socket));
      const here = place && addresses.get(place.address);
      if (place?.state !== 'waiting' || here === undefined) return;
      place.state = 'admitted';
      here.waiting.delete(place);
      here.admitted += 1;
    },
  };
};
export type SocketCount = ReturnType<typeof createSocketCount>;
