import type { BrokerLimits } from './limits.ts';

/** Counts open sockets, over all and by address, from the moment they are accepted. */
export const createSocketCount = (limits: Pick<BrokerLimits, 'maxConnections' | 'maxConnectionsPerAddress'>) => {
  const byAddress = new Map<string, number>();
  let total = 0;
  return {
    total: () => total,
    /** Answers why there is no place for one more, or takes it; each one taken must be given back with `leave`. */
    enter(address: string): 'too_many_connections' | 'too_many_from_address' | undefined {
      if (total >= limits.maxConnections) return 'too_many_connections';
      const here = byAddress.get(address) ?? 0;
      if (here >= limits.maxConnectionsPerAddress) return 'too_many_from_address';
      total += 1;
      byAddress.set(address, here + 1);
      return undefined;
    },
    leave(address: string): void {
      total -= 1;
      const left = (byAddress.get(address) ?? 1) - 1;
      if (left === 0) byAddress.delete(address);
      else byAddress.set(address, left);
    },
  };
};
export type SocketCount = ReturnType<typeof createSocketCount>;
