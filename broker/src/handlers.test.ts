import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { createLogger } from '@roastery/runtime/logger';
import { Aedes } from 'aedes';
import { describe, expect, it } from 'vitest';
import { createApiAccess } from './api-access.ts';
import { Connections } from './connections.ts';
import { createDeviceAccess } from './device-access.ts';
import { handlers } from './handlers.ts';
import { defaultLimits } from './limits.ts';
import { createMetrics } from './metrics.ts';
import { closed, connectPacket, rawConnect } from './testing/peers.ts';

describe('handlers of the broker', () => {
  it('close the client whose handler throws, report the fault, and serve the next client', async () => {
    const faults: unknown[] = [];
    const log = createLogger('test', 'silent');
    const api = createApiAccess({ apiUrl: 'http://127.0.0.1:9', brokerSecret: 'x', log });
    const aedes = await Aedes.createBroker(
      handlers({
        connections: new Connections(defaultLimits, {
          onAdmitted: () => undefined,
          onRefused: () => undefined,
          onThrottled: () => undefined,
          onClosed: () => undefined,
          forward: () => false,
        }),
        deviceAccess: createDeviceAccess(api, () => undefined),
        metrics: createMetrics(),
        onRefused: () => undefined,
        onFault: (error) => faults.push(error),
      }),
    );
    // The table of connections does not contain this stream, so every handler throws on it.
    const server = createServer((socket) => void aedes.handle(socket)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      const socket = await rawConnect(port);
      socket.write(connectPacket('board-1', '1', 'x'));
      expect(await closed(socket)).toBe(true);
      expect(faults).toHaveLength(attempt);
    }
    await new Promise<void>((resolve) => {
      aedes.close(resolve);
    });
    server.close();
  });
});
