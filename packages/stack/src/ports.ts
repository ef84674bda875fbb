import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below the range of outgoing connections (from 32768 on Linux), where a port may be taken by another connection before we
 * listen on it. Above those that browsers refuse.
 */
const lowest = 10_240;
const highest = 32_000;
const tries = 50;
/** Never handed out twice: its user may not listen on it yet. */
const given = new Set<number>();

/** A free port of this machine, another one at each call. */
export async function freePort(host = '127.0.0.1'): Promise<number> {
  for (let attempt = 0; attempt < tries; attempt += 1) {
    const port = randomInt(lowest, highest);
    if (given.has(port) || !(await canListen(port, host))) continue;
    given.add(port);
    return port;
  }
  throw new Error(`none of ${tries} ports between ${lowest} and ${highest} is free on ${host}`);
}

const canListen = (port: number, host: string): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(false);
      else reject(error);
    });
    server.listen({ port, host }, () => server.close(() => resolve(true)));
  });
