import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MqttLogin } from '@roastery/contract/devices';
import type { MachineMap } from '@roastery/contract/machine-map';
import { createLogger } from '@roastery/runtime/logger';
import { createVirtualClock, type VirtualClock } from '@roastery/testing/virtual-clock';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { WallClock } from '../core/wall-clock.ts';
import type { Journal } from '../journal/journal.ts';
import { startTestServer, type TestServer } from '../testing/test-server.ts';
import { appendReading, boot, openBoardJournal, startBoardUplink, wallClockOf } from '../testing/uplink-board.ts';
import type { Uplink, UplinkParts } from './uplink.ts';

const serialNumber = 'RM 30/Ä 1';

let time: VirtualClock;
let clock: WallClock;
let folder: string;
let server: TestServer;
let journal: Journal;
let uplink: Uplink | undefined;
let maps: MachineMap[];
let refusals: string[];

const connect = (over: Partial<Pick<UplinkParts, 'log' | 'brokers' | 'journal' | 'status'>> = {}): Uplink => {
  uplink = startBoardUplink({
    serialNumber,
    journal,
    clock,
    time,
    brokers: () => Promise.resolve({ urls: [server.url] }),
    configReceived: ({ map }) => void (map && maps.push(map)),
    configRefused: (rev, issue) => refusals.push(`${rev} ${issue}`),
    ...over,
  });
  return uplink;
};
const mono = (): number => Math.round(time.monotonic());
const sample = (): number => appendReading(journal, time);
const allCommitted = async (count: number): Promise<void> => {
  await expect.poll(time.passing(() => server.committed.size)).toBe(count);
};

const waitingNow = (entries: number) => ({ entries_waiting: entries, bytes: 0, dropped_entries: 0 });

const gaps = () =>
  [...server.committed.values()].filter((value) => typeof value === 'object' && value !== null && 'reason' in value);

beforeEach(async () => {
  time = createVirtualClock();
  clock = wallClockOf(time);
  folder = await mkdtemp(join(tmpdir(), 'uplink-'));
  server = await startTestServer(serialNumber);
  journal = await openBoardJournal({ folder, clock, time });
  maps = [];
  refusals = [];
});
afterEach(async () => {
  if (uplink) await time.run(uplink.stop(500));
  uplink = undefined;
  await time.run(journal.close());
  await server.kill();
  await rm(folder, { recursive: true, force: true });
});

describe('uplink', () => {
  it('publishes an online status, and an offline status on stop', async () => {
    const line = connect();
    await expect.poll(time.passing(() => server.statuses.at(-1))).toMatchObject({ online: true, machine_link: 'ok' });
    const { session } = server.statuses.at(-1) ?? {};
    await time.run(line.stop(1000));
    uplink = undefined;
    expect(server.statuses.at(-1)).toMatchObject({ online: false, session });
  });

  it('is offline by its last will when the disk stalls during the stop', async () => {
    const line = connect();
    await expect.poll(time.passing(() => server.statuses.at(-1))).toMatchObject({ online: true });
    await expect.poll(time.passing(() => line.connection().connected)).toBe(true);
    const { session } = server.statuses.at(-1) ?? {};
    const flush = vi.spyOn(journal, 'flush').mockReturnValue(new Promise(() => undefined));
    await time.run(line.stop(300));
    flush.mockRestore();
    uplink = undefined;
    await expect.poll(time.passing(() => server.statuses.at(-1))).toMatchObject({ online: false, session });
  });

  it('publishes no online status once it stops', async () => {
    const line = connect();
    await expect.poll(time.passing(() => line.connection().connected)).toBe(true);
    server.acknowledges = false;
    sample();
    line.refreshStatus();
    // Its wait for the acknowledgement is longer than the delay of a refreshed status.
    await time.run(line.stop(4000));
    uplink = undefined;
    expect(server.statuses.map(({ online }) => online)).toEqual([true, false]);
  });

  it('says that it leaves before it waits for the last acknowledgements, which a server merges until then', async () => {
    server.merges = true;
    const line = connect({
      status: async () => ({ epoch: journal.epoch, journal: waitingNow(line.entriesWaiting()) }),
    });
    await expect.poll(time.passing(() => line.connection().connected)).toBe(true);
    for (let count = 0; count < 4; count++) sample();
    await time.run(line.stop(1000));
    uplink = undefined;
    expect(line.entriesWaiting()).toBe(0);
    expect(server.statuses.slice(-2)).toMatchObject([
      { online: false, journal: { entries_waiting: 4 } },
      { online: false, journal: { entries_waiting: 0 } },
    ]);
  });

  it('leaves a last will of its own session when it is cut off', async () => {
    connect();
    await expect.poll(time.passing(() => server.statuses.length)).toBeGreaterThan(0);
    const { session } = server.statuses.at(-1) ?? {};
    server.cut();
    await expect
      .poll(time.passing(() => server.statuses.some((status) => !status.online && status.session === session)))
      .toBe(true);
    await expect.poll(time.passing(() => server.statuses.at(-1))).toMatchObject({ online: true });
    expect(server.statuses.at(-1)?.session).not.toBe(session);
  });

  it('ships new samples within about a second', async () => {
    const line = connect();
    await expect.poll(time.passing(() => line.connection().connected)).toBe(true);
    for (let count = 0; count < 4; count++) sample();
    await time.until('the samples', () => server.committed.size === 4, 2000);
    await expect.poll(time.passing(() => journal.waiting())).toEqual([]);
  });

  it('sends rarely between roasts, live readings at once, and everything at once when a roast begins', async () => {
    const line = connect();
    sample();
    await allCommitted(1);
    journal.setPace('gather');
    await expect.poll(time.passing(() => journal.waiting())).toEqual([]);
    for (let count = 0; count < 10; count++) {
      const seq = sample();
      const values = { bean_temp: 200 };
      line.show({ v: 1, epoch: journal.epoch, seq, boot, t: 0, mono: 0, values, roast: null, phase: 'idle' });
      // Time stands still.
      await expect.poll(() => server.live.at(-1)?.seq).toBe(seq);
      await time.advance(250);
    }
    expect(server.committed.size, 'sent while gathering').toBe(1);
    const roastId = '01900000-0000-7000-8000-000000000001';
    journal.appendEvent(mono(), { type: 'roast', roast_id: roastId, state: 'in_progress' });
    line.ship();
    await expect.poll(() => server.committed.size).toBe(12);
    expect(server.batches.map(({ seq }) => seq)).toEqual([0, 1, 11]);
  });

  it('drains a backlog as fast as it is acknowledged, newest first, compressed', async () => {
    const entries = 20_000;
    for (let count = 0; count < entries; count++) sample();
    await journal.flush();
    const line = connect();
    await expect.poll(time.passing(() => line.connection().connected)).toBe(true);
    await expect.poll(time.passing(() => server.committed.size)).toBeGreaterThan(0);
    // From here on time stands still: each acknowledgement causes the next batches.
    await expect.poll(() => server.committed.size).toBe(entries);
    expect(server.zipped).toBeGreaterThan(10);
    expect(server.batches[0]?.seq).toBeGreaterThan(entries - 700);
    expect(server.arrivals.length).toBe(entries);
    await expect.poll(time.passing(() => line.entriesWaiting())).toBe(0);
  });

  it('sends new samples beside a backlog, and live readings at once', async () => {
    for (let count = 0; count < 30_000; count++) sample();
    await journal.flush();
    const line = connect();
    await expect.poll(time.passing(() => server.batches.length)).toBeGreaterThan(3);
    const fresh = sample();
    line.show({
      v: 1,
      epoch: journal.epoch,
      seq: fresh,
      boot,
      t: 0,
      mono: 0,
      values: { bean_temp: 1 },
      roast: null,
      phase: 'idle',
    });
    // Time stands still.
    await expect.poll(() => server.live.at(-1)?.seq).toBe(fresh);
    await expect.poll(time.passing(() => server.committed.has(`${journal.epoch}/${fresh}`))).toBe(true);
  });

  it('loses and duplicates nothing while the broker is killed repeatedly', async () => {
    connect();
    let written = 0;
    for (let round = 0; round < 6; round++) {
      for (let count = 0; count < 70; count++) {
        sample();
        written += 1;
        await time.advance(10);
      }
      await server.kill();
      await time.advance(100 * round);
      await server.listen();
    }
    // The test server throws when an entry arrives twice with different contents.
    await allCommitted(written);
    await expect.poll(time.passing(() => journal.waiting())).toEqual([]);
  });

  it('is live again within 2 s of the broker’s return, also after a long outage', async () => {
    const line = connect();
    await expect.poll(time.passing(() => server.statuses.length)).toBeGreaterThan(0);
    await server.kill();
    await time.advance(60_000);
    await server.listen();
    await time.until('a connection', () => line.connection().connected, 2000);
    line.show({ v: 1, epoch: journal.epoch, seq: 1, boot, t: 0, mono: 0, values: {}, roast: null, phase: 'idle' });
    await expect.poll(() => server.live.length).toBeGreaterThan(0);
  });

  it('frees nothing on PUBACK: entries without the server’s acknowledgement are sent again', async () => {
    server.acknowledges = false;
    sample();
    connect();
    await expect.poll(time.passing(() => server.batches.length)).toBe(1);
    expect(journal.waiting()).toEqual([[0, 0]]);
    server.acknowledges = true;
    await allCommitted(1);
    await expect.poll(time.passing(() => journal.waiting())).toEqual([]);
  });

  it('retries after a refused token, logs it once a minute, and never logs the token', async () => {
    server.accepts = false;
    const lines: string[] = [];
    const loud = createLogger('test', 'silent');
    vi.spyOn(loud, 'warn').mockImplementation((...words: unknown[]) => void lines.push(JSON.stringify(words)));
    connect({ log: loud });
    await expect.poll(time.passing(() => server.refusals.length)).toBeGreaterThan(2);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/uplink: connection failed/);
    expect(lines[0]).toMatch(/"failure":"refused"/);
    expect(lines.join()).not.toMatch(/a-secret-token/);
    server.accepts = true;
    sample();
    await allCommitted(1);
  });

  it('takes over from another board with its credential ever more rarely', async () => {
    const other = await openBoardJournal({ folder: join(folder, 'other'), clock, time });
    const first = connect();
    connect({ journal: other });
    await time.advance(120_000);
    const before = server.logins.length;
    await time.advance(300_000);
    // At the limit each waits 15 to 30 s. Without a limit for short sessions there were four attempts a second.
    expect(server.logins.length - before).toBeLessThanOrEqual(300 / 15);
    expect(server.logins.length - before).toBeGreaterThanOrEqual(300 / 30 - 1);
    await time.run(first.stop(500));
    await time.run(other.close());
  });

  it('logs in with the login from the api, else with serial number and token', async () => {
    const login = { username: 'as-the-api-says', password: 'another secret' };
    let known: MqttLogin | undefined;
    connect({ brokers: () => Promise.resolve({ urls: [server.url], login: known }) });
    await expect.poll(time.passing(() => server.logins)).toEqual([`${serialNumber}:a-secret-token`]);
    known = login;
    server.cut();
    await expect.poll(time.passing(() => server.logins.at(-1))).toBe('as-the-api-says:another secret');
  });

  it('accepts a machine map and ignores an invalid one', async () => {
    connect();
    await expect.poll(time.passing(() => server.statuses.length)).toBeGreaterThan(0);
    server.tell('config', { v: 1, rev: 4, map: { id: 'nonsense' } });
    server.tell('ack', { v: 1, epoch: journal.epoch, ranges: 'all of them' });
    const channels = { bean_temp: { at: 'h:6' } };
    const link = { kind: 'tcp', host: '127.0.0.1' };
    server.tell('config', { v: 1, map: { v: 1, id: 'new', maker: 'M', model: 'M', link, channels } });
    await expect.poll(time.passing(() => maps.map(({ id }) => id))).toEqual(['new']);
    expect(refusals).toEqual([expect.stringMatching(/^4 map\./)]);
  });

  it('sends all readable entries after an unreadable segment', async () => {
    await time.run(journal.close());
    await rm(folder, { recursive: true, force: true });
    const small = { folder, segmentBytes: 6000, clock, time };
    const before = await openBoardJournal(small);
    const samples = 450;
    for (let count = 0; count < samples; count++) {
      before.appendSample(mono(), [count]);
      if (count % 10 === 0) await before.flush();
    }
    await time.run(before.close());
    const segments = (await readdir(folder)).filter((name) => name.endsWith('.idle')).sort();
    expect(segments.length).toBeGreaterThan(2);
    const [first = 0, last = 0] = (segments[1] ?? '').split(/[-.]/).map(Number);
    await writeFile(join(folder, segments[1] ?? ''), Buffer.alloc(6000));
    journal = await openBoardJournal(small);
    const line = connect();
    const isThere = (seq: number): boolean => server.committed.has(`${journal.epoch}/${seq}`);
    const readable = Array.from({ length: samples }, (_, seq) => seq).filter((seq) => seq < first || seq > last);
    await expect.poll(time.passing(() => readable.filter((seq) => !isThere(seq)).length)).toBe(0);
    await expect.poll(time.passing(gaps)).toEqual([{ type: 'gap', from_seq: first, to_seq: last, reason: 'damaged' }]);
    await expect.poll(time.passing(() => line.entriesWaiting())).toBe(0);
  });

  it('resends entries that the server lost, and nothing to another owner', async () => {
    for (let count = 0; count < 50; count++) sample();
    await journal.flush();
    connect();
    await allCommitted(50);
    const { epoch } = journal;
    const state = (owner: string, ranges: [number, number][], restore = false): void =>
      server.tell('ack', {
        v: 1,
        epoch,
        ranges,
        through: Number.MAX_SAFE_INTEGER,
        owner,
        ...(restore ? { restore } : {}),
      });
    state('a'.repeat(16), [[0, 49]]);
    await expect.poll(time.passing(() => journal.ownerOf(epoch))).toBe('a'.repeat(16));
    server.committed.clear();
    state('a'.repeat(16), [[0, 9]]);
    await allCommitted(40);

    server.committed.clear();
    state('b'.repeat(16), []);
    await expect.poll(time.passing(() => journal.epoch)).not.toBe(epoch);
    sample();
    await allCommitted(1);
    await expect.poll(time.passing(() => server.committed.has(`${journal.epoch}/50`))).toBe(true);
    state('b'.repeat(16), [], true);
    await allCommitted(51);
  });

  it('sends nothing of an owned stream before the server states its owner', async () => {
    connect();
    await expect.poll(time.passing(() => server.statuses.length)).toBeGreaterThan(0);
    server.tell('ack', { v: 1, epoch: journal.epoch, ranges: [], through: 0, owner: 'a'.repeat(16) });
    await expect.poll(time.passing(() => journal.ownerOf(journal.epoch))).toBe('a'.repeat(16));
    if (uplink) await time.run(uplink.stop(500));
    for (let count = 0; count < 20; count++) sample();
    await journal.flush();
    const { epoch } = journal;
    const heard = server.statuses.length;
    connect();
    await expect.poll(time.passing(() => server.statuses.length)).toBeGreaterThan(heard);
    server.tell('ack', { v: 1, epoch, ranges: [], through: 0, owner: 'b'.repeat(16) });
    await expect.poll(time.passing(() => journal.epoch)).not.toBe(epoch);
    sample();
    await expect.poll(time.passing(() => server.batches.some((batch) => batch.epoch === journal.epoch))).toBe(true);
    expect(server.batches.filter((batch) => batch.epoch === epoch)).toEqual([]);
  });
});
