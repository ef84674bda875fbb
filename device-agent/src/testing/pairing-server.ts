import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The result of one request: `lost` before or after the server handled it, an invalid answer, or a plain answer. */
export type Fate = 'answered' | 'lost before' | 'lost after' | 'cut off' | 'status 502' | 'too many' | 'expired';

/** A server with one ticket, as strict as the real one, with a scripted result for each pairing request. */
export const startPairingServer = async (ticket: string, fates: Fate[] = []) => {
  /** Hashes of the valid secrets, newest last; all but the last are revoked. */
  const credentials: string[] = [];
  const asked: { code: string; secret_hash: string; hardware_id: string; agent_version: string }[] = [];

  const pair = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const wish = JSON.parse(text) as (typeof asked)[number];
    const fate = fates.shift() ?? 'answered';
    if (fate === 'lost before') return void request.socket.destroy();
    asked.push(wish);
    if (fate === 'too many') return void response.writeHead(429, { 'retry-after': '0' }).end();
    if (fate === 'expired') {
      const expired = JSON.stringify({ detail: 'This ticket has expired', code: 'ticket_expired', request_id: 'r' });
      return void response.writeHead(410, { 'content-type': 'application/json' }).end(expired);
    }
    const isRight = wish.code === ticket && (credentials.length === 0 || credentials.at(-1) === wish.secret_hash);
    if (isRight && credentials.length === 0) credentials.push(wish.secret_hash);
    if (fate === 'lost after') return void request.socket.destroy();
    if (fate === 'status 502') return void response.writeHead(502).end('<html>Bad gateway</html>');
    const body = isRight
      ? {
          machine_id: '0199aaaa-0000-7000-8000-000000000000',
          serial_number: 'RM30 7',
          display_name: 'Big Drum',
          mqtt_url: 'mqtt://broker.example:1883',
        }
      : { detail: 'This pairing code is not valid', code: 'wrong_credentials', request_id: 'r' };
    const answer = JSON.stringify(body);
    response.writeHead(isRight ? 200 : 401, { 'content-type': 'application/json', 'content-length': answer.length });
    if (fate === 'cut off') return void response.write(answer.slice(0, 20), () => request.socket.destroy());
    response.end(answer);
  };
  const server = createServer((request, response) => {
    if (request.url === '/api/v1/devices/pair' && request.method === 'POST') {
      pair(request, response).catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
      return;
    }
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
    const isKnown = credentials.at(-1) === createHash('sha256').update(token).digest('hex');
    const isHome = request.url === '/api/v1/devices/me';
    response.writeHead(isHome ? (isKnown ? 200 : 401) : 404).end('{}');
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
    });
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    credentials,
    asked,
    close,
    [Symbol.asyncDispose]: close,
  };
};
