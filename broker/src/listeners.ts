import { portOf } from '@roastery/runtime/system-errors';
import { readFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createTcpServer, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createServer as createTlsServer } from 'node:tls';
import { ConfigError } from '@roastery/runtime/env';
import { createWebSocketStream, WebSocketServer } from 'ws';
import { acceptBacklog, addAcceptHandles } from './accept-handles.ts';
import type { SocketCount } from './admission.ts';
import type { ListenerName } from './connection.ts';
import type { BrokerLimits } from './limits.ts';
import type { RefusalReason } from './refusals.ts';

export interface Accepted {
  /** Connections that a listener accepts in each turn of the event loop. */
  readonly perTurn: number;
  onConnection(listener: ListenerName, carrier: Duplex, socket: Socket): void;
  onRefused(reason: RefusalReason, address: string): void;
  /** Only one connection is accepted in each turn. */
  onSlowAccept(error: unknown): void;
}

export interface Listener {
  readonly port: number;
  /** Stops accepting; resolves when all sockets are closed, so the caller must close them too. */
  close(): Promise<void>;
}

export interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

const closeServer = (server: Server): Promise<void> =>
  new Promise<void>((resolve) => {
    server.close(() => resolve());
  });

/** Listens; names a port in use in one line. */
export const listen = async (server: Server, host: string, port: number, purpose: string): Promise<Listener> => {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') reject(new ConfigError(`${purpose}: port ${port} on ${host} is already in use`));
      else if (error.code === 'EACCES') reject(new ConfigError(`${purpose}: no permission to listen on port ${port}`));
      else if (error.code === 'EADDRNOTAVAIL')
        reject(new ConfigError(`${purpose}: ${host} is not an address of this computer`));
      else reject(error);
    });
    server.listen({ host, port, backlog: acceptBacklog }, resolve);
  });
  return { port: portOf(server), close: () => closeServer(server) };
};

/** Listens for clients, which may be a whole fleet that connects at once. */
const listenForClients = async (
  server: Server,
  host: string,
  port: number,
  purpose: string,
  accepted: Accepted,
): Promise<Listener> => {
  const listener = await listen(server, host, port, purpose);
  const more = accepted.perTurn - 1;
  const added =
    more === 0
      ? []
      : await addAcceptHandles(server, more).catch((error: unknown) => {
          accepted.onSlowAccept(error);
          return [];
        });
  return {
    port: listener.port,
    async close() {
      await Promise.all([listener.close(), ...added.map(closeServer)]);
    },
  };
};

/** Counts a new socket, or destroys it when there is no slot. */
const enter = (socket: Socket, count: SocketCount, accepted: Accepted): boolean => {
  const full = count.enter(socket);
  if (full === undefined) return true;
  accepted.onRefused(full, socket.remoteAddress ?? 'unknown');
  socket.destroy();
  return false;
};

export const listenTcp = (host: string, port: number, count: SocketCount, accepted: Accepted): Promise<Listener> => {
  const server = createTcpServer({ noDelay: true }, (socket) => {
    if (enter(socket, count, accepted)) accepted.onConnection('tcp', socket, socket);
  });
  return listenForClients(server, host, port, 'MQTT', accepted);
};

const readTlsFiles = async ({ certFile, keyFile }: TlsFiles): Promise<{ cert: Buffer; key: Buffer }> => {
  try {
    const [cert, key] = await Promise.all([readFile(certFile), readFile(keyFile)]);
    return { cert, key };
  } catch (error) {
    throw new ConfigError(
      `TLS certificate or key can't be read: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
};

export const listenTls = async (
  host: string,
  port: number,
  files: TlsFiles,
  limits: BrokerLimits,
  count: SocketCount,
  accepted: Accepted,
): Promise<Listener & { reload(): Promise<void> }> => {
  const options = { ...(await readTlsFiles(files)), minVersion: 'TLSv1.2' as const };
  const server = (() => {
    try {
      return createTlsServer({ ...options, noDelay: true, handshakeTimeout: limits.connectTimeoutMs });
    } catch (error) {
      throw new ConfigError(
        `TLS certificate and key don't match: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  })();
  // Sockets count from the TCP connection on: unfinished handshakes must not evade the limits.
  server.on('connection', (socket: Socket) => enter(socket, count, accepted));
  server.on('secureConnection', (socket) => accepted.onConnection('tls', socket, socket));
  server.on('tlsClientError', (_error, socket) => {
    accepted.onRefused('tls', socket.remoteAddress ?? 'unknown');
    // Node reports a handshake that timed out and leaves the socket open.
    socket.destroy();
  });
  const listener = await listenForClients(server, host, port, 'MQTT over TLS', accepted);
  return {
    ...listener,
    /** Loads a renewed certificate for new connections; the old one stays when the new one can't be used. */
    async reload() {
      server.setSecureContext({ ...(await readTlsFiles(files)), minVersion: 'TLSv1.2' });
    },
  };
};

export const listenWebSocket = async (
  host: string,
  port: number,
  limits: BrokerLimits,
  count: SocketCount,
  accepted: Accepted,
): Promise<Listener> => {
  const http = createHttpServer(
    { headersTimeout: limits.connectTimeoutMs, requestTimeout: limits.connectTimeoutMs },
    (_request, response) => {
      response.writeHead(426, { connection: 'close' }).end();
    },
  );
  http.on('connection', (socket: Socket) => enter(socket, count, accepted));
  const webSockets = new WebSocketServer({
    server: http,
    perMessageDeflate: false,
    maxPayload: limits.maxPacketBytes + 1024,
    handleProtocols: (offered) => (offered.has('mqtt') ? 'mqtt' : false),
  });
  webSockets.on('connection', (webSocket, request) => {
    accepted.onConnection('ws', createWebSocketStream(webSocket), request.socket);
  });
  return listenForClients(http, host, port, 'MQTT over WebSocket', accepted);
};
