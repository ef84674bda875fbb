import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import type { JournalBatch } from '@roastery/contract/mqtt';
import { createJournalBoard } from '@roastery/testing/journal-board';
import { expect, it } from 'vitest';
import { openDatabase } from '../db/sql.ts';
import { messageOf, openMigratedDatabase, registerMachine, silentLog } from '../testing/ingest-fixture.ts';
import { storeEntries } from './recordings.ts';

/** A way to a server that counts how often the client asks after an answer. */
const startCounter = async (target: URL) => {
  const sockets = new Set<Socket>();
  let turns = 0;
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    let isAnswered = true;
    near.on('data', (chunk) => {
      turns += isAnswered ? 1 : 0;
      isAnswered = false;
      far.write(chunk);
    });
    far.on('data', (chunk) => {
      isAnswered = true;
      near.write(chunk);
    });
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => other.destroy());
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(target);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: url.href,
    turns: () => turns,
    [Symbol.dispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
};

const boards = 250;

it('repeats: those of many boards are compared in few round trips, and the one that differs is found', async () => {
  await using database = await openMigratedDatabase();
  const { sql } = database;
  const batches: JournalBatch[] = [];
  for (let n = 0; n < boards; n++) {
    await registerMachine(sql, `S-${n}`);
    const board = createJournalBoard();
    for (let at = 0; at < 20; at++) board.sample(at * 250, 100 + at, 150, null);
    batches.push(...board.batches());
  }
  const messages = batches.map((batch, n) => messageOf(`S-${n}`, batch));
  await sql.begin((tx) => storeEntries(tx, messages));

  using counter = await startCounter(new URL(database.url));
  const counted = openDatabase({ url: counter.url, log: silentLog, connections: 1 });
  try {
    await counted`SELECT 1`;
    const before = counter.turns();
    const again = batches.map((batch, n) => {
      if (n !== 137 || batch.k !== 'samples') return messageOf(`S-${n}`, batch);
      return messageOf(`S-${n}`, { ...batch, s: batch.s.map((column) => column.with(11, 99)) });
    });
    const { conflicts, repeats } = await counted.begin((tx) => storeEntries(tx, again));
    expect(conflicts.map(({ difference }) => difference)).toEqual(['seq 11 has another bean_temp']);
    expect(repeats).toHaveLength(boards - 1);
    expect(counter.turns() - before).toBeLessThan(boards / 4);
  } finally {
    await counted.end();
  }
});
