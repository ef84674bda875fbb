import { portOf } from '@roastery/runtime/system-errors';
import { hostname } from 'node:os';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { BoardOverrides } from '@roastery/contract/mqtt';
import type { Logger } from '@roastery/runtime/logger';
import { serial } from '@roastery/runtime/turns';
import { pageAsSet, type AgentConfig } from '../config.ts';
import type { BoardStatus } from './board-status.ts';
import { concernsOf } from './concerns.ts';
import { renderStatusPage } from './status-page.ts';

/**
 * Addresses without brackets, zone and IPv4 mapping, names in lower case, so that two spellings of one host are equal.
 */
const plain = (host: string): string =>
  host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/%.*$/, '')
    .replace(/^::ffff:(?=[\d.]+$)/, '');

/** The host of a `Host` header, without its port; undefined when invalid. */
const hostOf = (header: string): string | undefined =>
  /^(\[[0-9a-f:.]+\]|[\w.-]+)(?::\d{1,5})?$/i.exec(header)?.[1]?.toLowerCase();

/**
 * Whether a request was meant for this board: by the address at which it arrived, or the board's own name. A page
 * elsewhere that resolves its name to this board (DNS rebinding) uses another name, and is not answered. The list of
 * all interfaces is not used: it needs a netlink socket, which the service's sandbox forbids.
 */
const isOurName = (header: string | undefined, cameTo: string | undefined): boolean => {
  const host = hostOf(header ?? '');
  if (host === undefined) return false;
  const name = hostname();
  const own = new Set(['localhost', '127.0.0.1', '::1', plain(name), `${plain(name)}.local`, plain(cameTo ?? '')]);
  return own.has(plain(host));
};

export interface StatusServerParts {
  readonly host: string;
  /** 0 uses any free port. */
  readonly port: number;
  readonly status: () => Promise<BoardStatus>;
  readonly log: Logger;
}

type PageParts = Pick<StatusServerParts, 'status' | 'log'>;

export interface StatusServer {
  /** Undefined when the address could not be used. */
  readonly port: number | undefined;
  close(): Promise<void>;
}

/** Enough for a few browsers and a support person. */
const maxConnections = 16;

const headers = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const;

const answer = (response: ServerResponse, status: number, type: string, text: string): void => {
  response.writeHead(status, { ...headers, 'content-type': `${type}; charset=utf-8` });
  response.end(text);
};

/**
 * Serves the board's own page at `/` and its data at `/status.json`: read-only, without a secret, to every client that
 * uses one of the board's own names. Recording never depends on it: an address in use is a warning in the log.
 */
export const startStatusServer = async (parts: StatusServerParts): Promise<StatusServer> => {
  const { host, port, log } = parts;

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (!isOurName(request.headers.host, request.socket.localAddress))
      return answer(response, 421, 'text/plain', 'Use an address or the name of this board.\n');
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('allow', 'GET, HEAD');
      return answer(response, 405, 'text/plain', 'This page is read-only.\n');
    }
    const path = (request.url ?? '/').split('?')[0];
    if (path !== '/' && path !== '/status.json') return answer(response, 404, 'text/plain', 'Use / or /status.json.\n');
    const status = await parts.status();
    const concerns = concernsOf(status);
    if (path === '/') return answer(response, 200, 'text/html', renderStatusPage(status, concerns));
    answer(response, 200, 'application/json', `${JSON.stringify({ ...status, concerns })}\n`);
  };

  const server = createServer({ requestTimeout: 5000, headersTimeout: 5000 }, (request, response) => {
    handle(request, response).catch((error: unknown) => {
      log.warn({ reason: String(error) }, 'status page failed');
      if (response.headersSent) response.destroy();
      else answer(response, 500, 'text/plain', 'The status could not be read. See the log.\n');
    });
  });
  server.maxConnections = maxConnections;
  server.keepAliveTimeout = 2000;

  const listening = await new Promise<boolean>((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      log.warn({ host, port, reason: error.code ?? error.message }, 'status page address unavailable');
      resolve(false);
    });
    server.listen(port, host, () => resolve(true));
  });
  if (listening) server.on('error', (error) => log.warn({ reason: error.message }, 'status page failed'));
  return {
    port: listening ? portOf(server) : undefined,
    async close() {
      if (!listening) return;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
};

/**
 * The board's page, at the address of its own configuration or as the server sets it: off, on the board itself, or in
 * its whole network.
 */
export const createStatusPage = (configured: Pick<AgentConfig, 'statusHost' | 'statusPort'>, parts: PageParts) => {
  let server: StatusServer | undefined;
  let usedMode: BoardOverrides['status_page'] | 'none yet' = 'none yet';
  const inTurn = serial();
  const change = async (mode: BoardOverrides['status_page']): Promise<void> => {
    if (mode === usedMode) return;
    usedMode = mode;
    await server?.close();
    const { statusHost: host, statusPort: port } = pageAsSet(configured, mode);
    server = port === undefined ? undefined : await startStatusServer({ ...parts, host, port });
  };
  return {
    use: (mode: BoardOverrides['status_page']): Promise<void> => inTurn(() => change(mode)),
    close: (): Promise<void> => inTurn(() => server?.close()),
  };
};
