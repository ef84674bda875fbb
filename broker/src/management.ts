import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { isMeantForUs } from '@roastery/runtime/host-header';
import type { ApiAccess } from './api-access.ts';
import type { Connection } from './connection.ts';
import type { Connections } from './connections.ts';
import { listen, type Listener } from './listeners.ts';
import type { Metrics } from './metrics.ts';

export interface ManagementOptions {
  readonly host: string;
  readonly port: number;
  readonly brokerSecret: string;
  readonly connections: Connections;
  readonly metrics: Metrics;
  readonly api: Pick<ApiAccess, 'lastAnswer'>;
  /** Closes a client at once and removes its cached credentials. Returns the number of closed connections. */
  readonly revoke: (clientId: string) => number;
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
const clientsPath = '/api/v5/clients/';

const answer = (response: ServerResponse, status: number, body?: unknown): void => {
  if (body === undefined) response.writeHead(status).end();
  else response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};

/** EMQX's shape of a client, as far as we know it. */
const describe = (connection: Connection) => ({
  clientid: connection.clientId,
  username: connection.username,
  connected: true,
  ip_address: connection.address,
  connected_at: new Date(connection.admittedAt).toISOString(),
  listener: connection.listener,
});

/**
 * HTTP for operators and the api, meant for loopback or an internal network. `/healthz` and `/metrics` need only one of
 * this server's names as host; the list of clients needs the broker secret in `X-Broker-Secret`.
 */
export const listenManagement = async (options: ManagementOptions): Promise<Listener> => {
  const { connections, metrics, brokerSecret } = options;
  const secretDigest = digest(brokerSecret);
  const knowsSecret = (request: IncomingMessage): boolean => {
    const given = request.headers['x-broker-secret'];
    // Digests have equal length, so the comparison takes the same time for every guess.
    return typeof given === 'string' && timingSafeEqual(digest(given), secretDigest);
  };

  const aboutClient = (request: IncomingMessage, response: ServerResponse, encodedId: string): void => {
    if (!knowsSecret(request))
      return answer(response, 401, { code: 'UNAUTHORIZED', message: 'X-Broker-Secret is missing or wrong' });
    let clientId: string;
    try {
      clientId = decodeURIComponent(encodedId);
    } catch (error) {
      if (!(error instanceof URIError)) throw error;
      return answer(response, 400, { code: 'BAD_REQUEST', message: 'the client id has invalid percent encoding' });
    }
    const notFound = { code: 'CLIENTID_NOT_FOUND', message: 'no such client is connected' };
    if (request.method === 'DELETE') {
      if (options.revoke(clientId) > 0) return answer(response, 204);
      return answer(response, 404, notFound);
    }
    if (request.method === 'GET') {
      const found = [...connections.open].find(
        ({ clientId: id, principal }) => id === clientId && principal !== undefined,
      );
      return found ? answer(response, 200, describe(found)) : answer(response, 404, notFound);
    }
    response.setHeader('allow', 'GET, DELETE');
    return answer(response, 405, { code: 'METHOD_NOT_ALLOWED', message: 'GET or DELETE' });
  };

  const route = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    request.resume();
    // A page that reaches this server by DNS rebinding does not have the secret.
    if (!isMeantForUs(request.headers.host) && !knowsSecret(request)) {
      return answer(response, 421, { code: 'MISDIRECTED', message: 'use an IP address or a name of this server' });
    }
    const path = (request.url ?? '').split('?', 1)[0] ?? '';
    if (path.startsWith(clientsPath) && path.length > clientsPath.length) {
      return aboutClient(request, response, path.slice(clientsPath.length));
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') return answer(response, 405);
    if (path === '/healthz') {
      return answer(response, 200, { status: 'ok', connections: connections.open.size, api: options.api.lastAnswer() });
    }
    if (path === '/metrics') {
      const text = await metrics.registry.metrics();
      response.writeHead(200, { 'content-type': metrics.registry.contentType }).end(text);
      return undefined;
    }
    return answer(response, 404, { code: 'NOT_FOUND', message: 'no such page' });
  };

  const server = createServer({ headersTimeout: 5_000, requestTimeout: 10_000 }, (request, response) => {
    route(request, response).catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : undefined);
    });
  });
  const listener = await listen(server, options.host, options.port, 'management');
  return {
    port: listener.port,
    close() {
      server.closeAllConnections();
      return listener.close();
    },
  };
};
