import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below what systems give to outgoing connections (from 32768 on Linux): a port of those may be taken by anybody's next
 * connection before it is listened on. Above those that browsers refuse.
 */
const lowest = 10_240;
const highest = 32_000;
const tries = 50;
/** Not given twice: who has one may not listen on it yet. */
const given = new Set<number>();

/** A port of this machine that nobody listens on right now, another one at each call. */
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
