import { Agent, request } from 'node:http';
import type { Socket } from 'node:net';
import type { FuzzRequest } from './request-generator.ts';

export interface FuzzAnswer {
  /** 0 where the server closed the connection instead of answering. */
  readonly status: number;
  /** The beginning of the answer. */
  readonly text: string;
}

const keptBytes = 2000;

/** Connections to one server, for requests that no client library would send. */
export const openFuzzConnections = (port: number, connections: number) => {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const watched = new WeakSet<Socket>();
  /** A server that answers before it has read a whole body may close the connection after the answer was received. */
  const watch = (socket: Socket): void => {
    if (!watched.has(socket)) socket.on('error', () => undefined);
    watched.add(socket);
  };
  return {
    /** @throws when there is no answer within `timeoutMs` */
    send: (fuzz: FuzzRequest, id: number, timeoutMs: number): Promise<FuzzAnswer> =>
      new Promise((resolve, reject) => {
        const body = fuzz.body === undefined ? undefined : Buffer.from(fuzz.body);
        const headers = { ...fuzz.headers, 'x-fuzz-id': String(id), 'content-length': body?.length ?? 0 };
        const outgoing = request(
          { host: '127.0.0.1', port, agent, method: fuzz.method, path: fuzz.target, headers },
          (answer) => {
            const status = answer.statusCode ?? 0;
            // A stream of events has no end.
            if (answer.headers['content-type']?.startsWith('text/event-stream')) {
              resolve({ status, text: '' });
              outgoing.destroy();
              return;
            }
            let text = '';
            answer.on('data', (chunk: Buffer) => {
              if (text.length < keptBytes) text += chunk.toString('latin1');
            });
            answer.once('end', () => resolve({ status, text }));
            answer.once('error', () => resolve({ status, text }));
          },
        );
        const timer = setTimeout(() => {
          reject(new Error(`no answer within ${timeoutMs} ms`));
          outgoing.destroy();
        }, timeoutMs);
        outgoing.once('close', () => clearTimeout(timer));
        outgoing.on('error', () => resolve({ status: 0, text: '' }));
        outgoing.once('socket', watch);
        outgoing.end(body);
      }),
    close: () => agent.destroy(),
  };
};
