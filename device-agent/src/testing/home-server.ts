import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { realClock, type Clock } from '@roastery/runtime/clock';

/** The state of the server behind `/devices/me`. */
export interface Home {
  status: number;
  clock: Clock;
  /** The offset of its clock from ours. */
  clockAheadMs: number;
  mqttUrl: string;
  /** Where there are several brokers. */
  mqttUrls: string[] | undefined;
  /** Sends this response instead of the machine's data. */
  body: string | undefined;
  map: unknown;
}

export const homeToken = 'a-canary-token-of-this-board';

/** A server that knows one board by `homeToken`, over TLS where a certificate is given. */
export const startHomeServer = async (certificate?: { key: string; cert: string }) => {
  const home: Home = {
    status: 200,
    clock: realClock,
    clockAheadMs: 0,
    mqttUrl: 'mqtt://127.0.0.1:9',
    mqttUrls: undefined,
    body: undefined,
    map: null,
  };
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const isHome = request.url === '/api/v1/devices/me';
    const isKnown = request.headers.authorization === `Bearer ${homeToken}`;
    const status = isHome ? (isKnown ? home.status : 401) : 404;
    const now = new Date(home.clock.now() + home.clockAheadMs);
    response.writeHead(status, { date: now.toUTCString() });
    const self = {
      machine_id: '0199aaaa-0000-7000-8000-000000000000',
      serial_number: 'RM30-7',
      display_name: 'Big Drum',
      mqtt_url: home.mqttUrl,
      mqtt_urls: home.mqttUrls,
      server_time: now.toISOString(),
      map: home.map,
    };
    response.end(home.body ?? JSON.stringify(self));
  };
  const server = certificate ? createTlsServer(certificate, answer) : createServer(answer);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve());
  });
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
    });
  };
  return Object.assign(home, {
    url: `${certificate ? 'https' : 'http'}://127.0.0.1:${port}`,
    port,
    close,
    [Symbol.asyncDispose]: close,
  });
};
export type HomeServer = Awaited<ReturnType<typeof startHomeServer>>;
