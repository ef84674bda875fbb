import { randomInt } from 'node:crypto';
import { mkdir, stat, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Below the range of outgoing connections (from 32768 on Linux), where another connection may take a port before the
 * listener opens it. Above the ports that browsers refuse.
 */
const lowest = 10_240;
const highest = 32_000;
const tries = 50;
/** Never returned twice: the caller may not listen on it yet. */
const given = new Set<number>();
/** Nor by another process of this user within this time. */
const reservedMs = 120_000;

/**
 * Reserves a port among the processes of this user; where files cannot be written, all ports are assumed to be free.
 */
const reserve = async (port: number): Promise<boolean> => {
  const folder = join(tmpdir(), `roastery-ports-${process.getuid?.() ?? 0}`);
  const path = join(folder, String(port));
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(path, '', { flag: 'wx' });
    return true;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) return true;
  }
  const { mtimeMs } = await stat(path);
  if (Date.now() - mtimeMs < reservedMs) return false;
  await utimes(path, new Date(), new Date());
  return true;
};

/** A free port of this machine, another one at each call. */
export async function freePort(host = '127.0.0.1'): Promise<number> {
  for (let attempt = 0; attempt < tries; attempt += 1) {
    const port = randomInt(lowest, highest);
    if (given.has(port) || !(await canListen(port, host)) || !(await reserve(port))) continue;
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
