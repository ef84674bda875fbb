import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openCuttableLine } from '@roastery/testing/cuttable-line';
import { createVirtualClock, type VirtualClock } from '@roastery/testing/virtual-clock';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Journal } from '../journal/journal.ts';
import { startTestServer, type TestServer } from '../testing/test-server.ts';
import { appendReading, openBoardJournal, startBoardUplink, wallClockOf } from '../testing/uplink-board.ts';
import { brokersInOrder, hostAndPort } from './broker-choice.ts';
import type { Uplink } from './uplink.ts';

const serialNumber = 'RM30-1';

interface Broker {
  readonly url: string;
  readonly server: TestServer;
  readonly line: Awaited<ReturnType<typeof openCuttableLine>>;
}

describe('uplink of a board with several brokers', () => {
  let time: VirtualClock;
  let folder: string;
  let journal: Journal;
  let uplink: Uplink;
  /** In the order in which the board tries them. */
  let brokers: Broker[];

  beforeEach(async () => {
    time = createVirtualClock();
    const clock = wallClockOf(time);
    folder = await mkdtemp(join(tmpdir(), 'several-brokers-'));
    journal = await openBoardJournal({ folder, clock, time });
    const opened = await Promise.all(
      [0, 1, 2].map(async () => {
        const server = await startTestServer(serialNumber);
        const line = await openCuttableLine(Number(new URL(server.url).port));
        return { url: `mqtt://127.0.0.1:${line.port}`, server, line };
      }),
    );
    const urls = opened.map(({ url }) => url);
    brokers = brokersInOrder(serialNumber, urls).flatMap((url) => opened.filter((one) => one.url === url));
    uplink = startBoardUplink({
      serialNumber,
      journal,
      clock,
      time,
      run: 7,
      brokers: () => Promise.resolve({ urls }),
    });
  });
  afterEach(async () => {
    for (const { line } of brokers) line.thaw();
    await time.run(uplink.stop(500));
    await time.run(journal.close());
    for (const { line, server } of brokers) {
      await line.cut();
      await server.kill();
    }
    await rm(folder, { recursive: true, force: true });
  });

  const brokerAt = (place: number): Broker => {
    const broker = brokers[place];
    if (broker === undefined) throw new Error(`no broker ${place}`);
    return broker;
  };
  const isAt = (place: number): boolean =>
    uplink.connection().connected && uplink.brokerAt() === hostAndPort(brokerAt(place).url);
  let written = 0;
  beforeEach(() => {
    written = 0;
  });
  /** A sample of each second. */
  const roast = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second++) {
      appendReading(journal, time);
      written += 1;
      await time.advance(1000);
    }
  };
  /** … while a broker works: time stands still until it has acknowledged what was sent. */
  const roastWell = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second++) {
      await roast(1);
      await expect.poll(() => uplink.entriesWaiting()).toBeLessThanOrEqual(2);
    }
  };
  const committed = (): number => new Set(brokers.flatMap(({ server }) => [...server.committed.keys()])).size;
  /** Roasts until the board is there, and returns how many seconds that took. */
  const untilAt = async (place: number, withinSeconds: number): Promise<number> => {
    for (let second = 0; second < withinSeconds; second++) {
      if (isAt(place)) return second;
      await roast(1);
      // A connection needs more than time: real sockets.
      for (let turn = 0; turn < 20 && !isAt(place); turn++) await new Promise(setImmediate);
    }
    throw new Error(`not at broker ${place} within ${withinSeconds} s`);
  };
  const allCommitted = () => expect.poll(time.passing(committed)).toBe(written);

  it('begins at its own, goes on when that dies, stays where it works, and loses nothing', async () => {
    await untilAt(0, 5);
    await roastWell(3);
    await brokerAt(0).line.cut();
    expect(await untilAt(1, 10)).toBeLessThanOrEqual(2);
    await allCommitted();
    await brokerAt(0).line.mend();
    await roastWell(60);
    expect(isAt(1)).toBe(true);
    await brokerAt(1).line.cut();
    expect(await untilAt(2, 10)).toBeLessThanOrEqual(2);
    await allCommitted();
    await brokerAt(2).line.cut();
    expect(await untilAt(0, 10)).toBeLessThanOrEqual(2);
    await allCommitted();
  });

  it('leaves a broker that hangs, and one that hangs while it connects, within 15 s', async () => {
    await untilAt(0, 5);
    await roastWell(3);
    await allCommitted();
    brokerAt(1).line.freeze();
    brokerAt(0).line.freeze();
    expect(await untilAt(2, 20)).toBeLessThanOrEqual(14);
    await allCommitted();
    // The bytes of the connection that it left arrive, and are a repeat.
    brokerAt(0).line.thaw();
    await roastWell(5);
    await allCommitted();
    const last = brokers.flatMap(({ server }) => server.statuses).filter(({ online }) => online);
    const counts = last.map(({ connection }) => connection?.count ?? 0);
    expect(Math.max(...counts)).toBe(3);
    expect(brokerAt(2).server.statuses.find(({ online }) => online)?.connection).toEqual({ run: 7, count: 3 });
  });

  it('leaves a broker that no api reads from within 15 s, and changes ever more rarely where none stores', async () => {
    await untilAt(0, 5);
    await roastWell(3);
    await allCommitted();
    brokerAt(0).server.acknowledges = false;
    expect(await untilAt(1, 20)).toBeLessThanOrEqual(14);
    await allCommitted();

    // The database is away: every broker is as mute as the others.
    for (const { server } of brokers) server.acknowledges = false;
    const before = brokers.reduce((sum, { server }) => sum + server.logins.length, 0);
    await roast(300);
    const changes = brokers.reduce((sum, { server }) => sum + server.logins.length, 0) - before;
    expect(changes).toBeGreaterThan(1);
    expect(changes).toBeLessThanOrEqual(5);
    for (const { server } of brokers) server.acknowledges = true;
    await allCommitted();
  });

  it('pauses only after all have failed', async () => {
    await untilAt(0, 5);
    for (const { line } of brokers) await line.cut();
    await roast(120);
    await brokerAt(2).line.mend();
    expect(await untilAt(2, 10)).toBeLessThanOrEqual(3);
    await allCommitted();
  });
});
