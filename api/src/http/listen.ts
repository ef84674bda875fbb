import { portOf } from '@roastery/runtime/system-errors';
import type { Server } from 'node:http';
import { createAdaptorServer } from '@hono/node-server';
import { ConfigError } from '@roastery/runtime/env';
import type { Hono } from 'hono';
import type { Env } from './client-address.ts';

export interface Listening {
  readonly port: number;
  /** Accepts no new connections, lets current work end for at most `graceMs`, then closes the rest. */
  close(graceMs: number): Promise<void>;
}

/**
 * A client gets 10 s for its headers, and ten minutes for its whole request: 10 MB take that long on a slow line. One that
 * does not continue is cut off sooner, see `request-body.ts`.
 */
export const listen = async (app: Hono<Env>, host: string, port: number): Promise<Listening> => {
  const server = createAdaptorServer({
    fetch: app.fetch,
    serverOptions: {
      headersTimeout: 10_000,
      requestTimeout: 600_000,
      connectionsCheckingInterval: 2000,
      keepAliveTimeout: 65_000,
      maxHeaderSize: 16_384,
    },
  }) as Server;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        error.code === 'EADDRINUSE' ? new ConfigError(`PORT ${port} on ${host} is in use by another program`) : error,
      ),
    );
    server.listen(port, host, resolve);
  });
  return {
    port: portOf(server),
    async close(graceMs) {
      const closed = new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
      server.closeIdleConnections();
      // Node keeps a connection alive that ends its request after the shutdown began: check again.
      const sweep = setInterval(() => server.closeIdleConnections(), 50);
      const timer = setTimeout(() => server.closeAllConnections(), graceMs);
      await closed;
      clearInterval(sweep);
      clearTimeout(timer);
    },
  };
};
