import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout } from 'node:timers';
import { portOf } from '@roastery/runtime/system-errors';

/** Type and length of a message of Postgres; the length counts itself. */
const headBytes = 5;
const commandComplete = 'C'.charCodeAt(0);
const readyForQuery = 'Z'.charCodeAt(0);
const idle = 'I'.charCodeAt(0);
const writes = /^(?:COMMIT|INSERT|UPDATE|DELETE)\b/;

/** One sync at a time. Commits that arrive during a sync share the next one, as Postgres groups them. */
const createDisk = (fsyncMs: number) => {
  let waiting: (() => void)[] = [];
  let isBusy = false;
  const begin = (): void => {
    const synced = waiting;
    waiting = [];
    isBusy = synced.length > 0;
    if (!isBusy) return;
    setTimeout(() => {
      for (const release of synced) release();
      begin();
    }, fsyncMs);
  };
  return (release: () => void): void => {
    waiting.push(release);
    if (!isBusy) begin();
  };
};

/** Forwards Postgres' answers. After a transaction that wrote something, the answer waits for the disk. */
const delayCommits = (sync: (release: () => void) => void, client: Socket) => {
  let bytes: Buffer = Buffer.alloc(0);
  let hasWritten = false;
  let isHeld = false;
  const pass = (): void => {
    let at = 0;
    while (!isHeld && at + headBytes < bytes.length) {
      const end = at + 1 + bytes.readUInt32BE(at + 1);
      if (end > bytes.length) break;
      if (bytes[at] === commandComplete && writes.test(bytes.toString('latin1', at + headBytes, end)))
        hasWritten = true;
      if (bytes[at] === readyForQuery && bytes[at + headBytes] === idle && hasWritten) {
        isHeld = true;
        hasWritten = false;
        sync(() => {
          isHeld = false;
          if (!client.destroyed) pass();
        });
        break;
      }
      at = end;
    }
    if (at > 0) client.write(bytes.subarray(0, at));
    bytes = bytes.subarray(at);
  };
  return (chunk: Buffer): void => {
    bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk]);
    if (!isHeld) pass();
  };
};

/**
 * Simulates a Postgres whose disk takes longer for each sync. No setting of Postgres slows a sync, so a proxy delays
 * the answer to each commit. The server has ended the transaction by then: its locks are released one sync earlier than
 * with such a disk.
 */
export const startSlowFsync = async (databaseUrl: string, fsyncMs: number) => {
  const url = new URL(databaseUrl);
  const [host, port] = [url.hostname, Number(url.port)];
  const sync = createDisk(fsyncMs);
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ host, port, noDelay: true });
    const answer = delayCommits(sync, client);
    client.on('data', (chunk) => upstream.write(chunk));
    upstream.on('data', answer);
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url.port = String(portOf(server));
  return {
    url: url.href,
    async [Symbol.asyncDispose](): Promise<void> {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
};
