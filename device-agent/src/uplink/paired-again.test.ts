import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createVirtualClock, type VirtualClock } from '@roastery/testing/virtual-clock';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { WallClock } from '../core/wall-clock.ts';
import type { Journal } from '../journal/journal.ts';
import { startTestServer, type TestServer } from '../testing/test-server.ts';
import { appendReading, openBoardJournal, startBoardUplink, wallClockOf } from '../testing/uplink-board.ts';
import type { Uplink } from './uplink.ts';

const serialNumber = 'RM30-1';
const [before, now] = ['1'.repeat(16), '2'.repeat(16)];
const [ann, ben] = ['a'.repeat(16), 'b'.repeat(16)];
/** Longer than the uplink waits for the statement of a stream of its own credential. */
const slowStatementMs = 12_000;

let time: VirtualClock;
let clock: WallClock;
let folder: string;
let server: TestServer;
let journal: Journal;
let uplink: Uplink | undefined;

const open = async (credential: string): Promise<void> => {
  journal = await openBoardJournal({ folder, clock, time, credential });
};
const connect = (): void => {
  uplink = startBoardUplink({
    serialNumber,
    journal,
    clock,
    time,
    brokers: () => Promise.resolve({ urls: [server.url] }),
    status: async () => ({ history: await journal.history() }),
  });
};
const state = (epoch: string, owner: string, ranges: [number, number][] = [], restore = false): void =>
  server.tell('ack', { v: 1, epoch, ranges, through: 1e6, owner, ...(restore ? { restore } : {}) });
const sentOf = (epoch: string): number => server.batches.filter((batch) => batch.epoch === epoch).length;
const sealedNow = (): (boolean | undefined)[] => server.statuses.at(-1)?.history?.map(({ sealed }) => sealed) ?? [];

/** 30 readings that were not sent, then another credential. */
const recordAndPairAgain = async (owner?: string): Promise<string> => {
  await open(before);
  const { epoch } = journal;
  if (owner !== undefined) journal.hear({ v: 1, epoch, ranges: [], through: 1e6, owner });
  for (let count = 0; count < 30; count++) appendReading(journal, time);
  await journal.flush();
  await time.run(journal.close());
  await open(now);
  return epoch;
};

beforeEach(async () => {
  time = createVirtualClock();
  clock = wallClockOf(time);
  folder = await mkdtemp(join(tmpdir(), 'paired-again-'));
  server = await startTestServer(serialNumber);
});
afterEach(async () => {
  if (uplink) await time.run(uplink.stop(500));
  uplink = undefined;
  await time.run(journal.close());
  await server.kill();
  await rm(folder, { recursive: true, force: true });
});

describe('history of an earlier pairing', () => {
  it.each([undefined, ann])('is not sent before a slow server states its owner (known owner: %s)', async (owner) => {
    const epoch = await recordAndPairAgain(owner);
    expect(journal.epoch).not.toBe(epoch);
    expect(journal.past.entries).toEqual([]);
    connect();
    appendReading(journal, time, 20);
    // New readings do not wait.
    await expect.poll(time.passing(() => sentOf(journal.epoch))).toBeGreaterThan(0);
    expect([sealedNow(), journal.stats().awaitingOwner]).toEqual([[false, true], 1]);
    await time.advance(slowStatementMs);
    expect(sentOf(epoch)).toBe(0);
    // The server finally answers, for another owner.
    state(epoch, ben);
    await expect.poll(time.passing(() => journal.stats().awaitingOwner)).toBe(0);
    appendReading(journal, time, 20);
    await expect.poll(time.passing(() => sentOf(journal.epoch))).toBeGreaterThan(1);
    expect([sentOf(epoch), sealedNow()]).toEqual([0, [false, true]]);
    state(epoch, ben, [], true);
    await expect.poll(time.passing(() => sentOf(epoch))).toBeGreaterThan(0);
  });

  it('is sent when the server states the owner that it was recorded for', async () => {
    const epoch = await recordAndPairAgain(ann);
    connect();
    await expect.poll(time.passing(() => server.statuses.length)).toBeGreaterThan(0);
    expect(sentOf(epoch)).toBe(0);
    state(epoch, ann);
    await expect.poll(time.passing(() => sentOf(epoch))).toBeGreaterThan(0);
    await expect.poll(time.passing(() => journal.history())).toMatchObject([{ sealed: false }, { sealed: false }]);
  });

  it('stays sealed with a server that never states an owner, also after restarts', async () => {
    const epoch = await recordAndPairAgain();
    for (let restart = 0; restart < 2; restart++) {
      connect();
      appendReading(journal, time, 20);
      const sentBefore = server.batches.length;
      await expect.poll(time.passing(() => server.batches.length)).toBeGreaterThan(sentBefore);
      // An acknowledgement without an owner, as servers before this feature send it, releases nothing.
      server.tell('ack', { v: 1, epoch, ranges: [[0, 5]] });
      await time.advance(slowStatementMs);
      expect([sentOf(epoch), journal.stats().awaitingOwner]).toEqual([0, 1]);
      if (uplink) await time.run(uplink.stop(500));
      await time.run(journal.close());
      await open(now);
    }
    const held = (await journal.history()).find((stream) => stream.epoch === epoch);
    expect(held).toMatchObject({ entries: 30, sealed: true });
  });
});
