import * as fs from 'node:fs/promises';
import { cp, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@roastery/runtime/logger';
import { untilQuiet } from '@roastery/testing/bytes-in-transit';
import { createVirtualClock, type VirtualClock } from '@roastery/testing/virtual-clock';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWallClock } from '../core/wall-clock.ts';
import { createFaultyDisk } from '../testing/faulty-disk.ts';
import { openJournal, type Journal, type JournalOptions } from './journal.ts';
import type { JournalDisk } from './disk.ts';
import { findStreams } from './find-streams.ts';

const boot = '0a1b2c3d-0000-4000-8000-000000000001';
let folder: string;
let opened: Journal[];
let time: VirtualClock;

const open = async (disk?: JournalDisk, mono = 1e6, over: Partial<JournalOptions> = {}): Promise<Journal> => {
  const opening = openJournal({
    folder,
    capBytes: 1e9,
    clock: createWallClock(() => ({ boot, mono, wall: 1.8e12, synced: true })),
    time,
    log: createLogger('test', 'silent'),
    context: { boot, map: { id: 'demo', rev: 1 }, channels: ['bean_temp'] },
    state: () => undefined,
    diskGraceMs: 80,
    ...(disk ? { disk } : {}),
    ...over,
  });
  const journal = await time.run(opening);
  opened.push(journal);
  return journal;
};
const close = (journal: Journal): Promise<void> => time.run(journal.close());
/** A disk that fails with EIO between `fail(true)` and `fail(false)`. */
const createSwitchedDisk = () => {
  let fails = false;
  const plan = {
    kind: 'EIO' as const,
    get fromCall() {
      return fails ? 0 : Infinity;
    },
  };
  return { ...createFaultyDisk(plan, time), fail: (does: boolean) => void (fails = does), isFailing: () => fails };
};
/** Thirty readings are buffered in a file; the disk fails, and one more is kept in memory. */
const gatherThenFail = async (switched: ReturnType<typeof createSwitchedDisk>, disk = switched.disk) => {
  const journal = await open(disk, 1e6, { idleSyncMs: 60_000 });
  const { epoch } = journal;
  journal.hear({ v: 1, epoch, ranges: [], through: 1e6, owner: 'a'.repeat(16) });
  journal.setPace('gather');
  const writes = switched.count('write');
  for (let value = 0; value < 30; value++) journal.appendSample(1e6 + 1000 * value, [value]);
  // The first reading, then the others together.
  await expect.poll(time.passing(() => switched.count('write'))).toBe(writes + 2);
  await expect.poll(time.passing(() => switched.isBusy())).toBe(false);
  switched.fail(true);
  journal.appendSample(1e6 + 30_000, [30]);
  await expect.poll(time.passing(() => journal.stats().inMemory)).toBe(true);
  return { journal, epoch };
};
const valuesOf = async (journal: Journal) =>
  [...(await samplesOf(journal)).values()].flat().sort((one, other) => one - other);
const samplesOf = async (journal: Journal): Promise<Map<string, number[]>> => {
  const found = new Map<string, number[]>();
  for (const epoch of journal.epochs()) {
    for (const [from, to] of journal.waiting(epoch)) {
      for (let at = from; at <= to;) {
        const part = await journal.readPart(at, to, epoch);
        const values = part.entries.flatMap((entry) => (entry.kind === 'sample' ? [entry.values[0] ?? 0] : []));
        found.set(epoch, [...(found.get(epoch) ?? []), ...values]);
        at = part.to + 1;
      }
    }
  }
  return found;
};

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'memory-stream-'));
  opened = [];
  time = createVirtualClock();
});
afterEach(async () => {
  for (const journal of opened) await close(journal);
  await rm(folder, { recursive: true, force: true });
});

it('journal without its disk: continues in a stream with a fresh epoch, and moves it to the disk when it works again', async () => {
  const calls = createFaultyDisk(undefined);
  await close(await open(calls.disk));
  opened = [];
  const faulty = createFaultyDisk({ kind: 'EIO', fromCall: calls.calls() + 12 });
  const journal = await open(faulty.disk);
  const before = journal.epoch;
  const owner = 'a'.repeat(16);
  journal.hear({ v: 1, epoch: before, ranges: [], through: 1e6, owner });
  for (let value = 0; value < 4; value++) journal.appendSample(value, [value]);
  await time.run(journal.flush());
  let value = 4;
  await expect
    .poll(
      time.passing(async () => {
        journal.appendSample(value, [value]);
        value += 1;
        await time.run(journal.flush());
        return journal.stats().inMemory;
      }),
      { interval: 20 },
    )
    .toBe(true);
  expect(journal.epoch).not.toBe(before);
  expect(journal.stats().trouble).toMatch(/EIO/);
  const next = journal.appendSample(value, [value]);
  expect(next).toBe(value);
  const everything = Array.from({ length: value + 1 }, (_, index) => index);
  const inMemory = await samplesOf(journal);
  const link = { epoch: before, seq: inMemory.get(journal.epoch)?.[0] };
  expect(journal.continues(journal.epoch)).toEqual(link);
  expect([...inMemory.values()].flat().sort((a, b) => a - b)).toEqual(everything);
  expect(inMemory.get(journal.epoch)?.length).toBeGreaterThan(0);

  faulty.mend();
  await expect.poll(time.passing(() => journal.stats().inMemory)).toBe(false);
  expect(journal.stats().trouble).toBeUndefined();
  const fresh = journal.epoch;
  // A slow disk may have started yet another stream.
  const freshLink = journal.continues(fresh);
  expect(freshLink?.epoch).toBe(before);
  await close(journal);
  opened = [];
  const again = await open();
  expect(again.epoch).toBe(fresh);
  expect(again.continues(fresh)).toEqual(freshLink);
  const kept = await samplesOf(again);
  expect([...kept.values()].flat().sort((a, b) => a - b)).toEqual(everything);
  expect(again.appendSample(1, [1])).toBe(value + 1);
});

it('journal without its disk at the slow pace: sends the entries of its file once, also after a kill', async () => {
  const switched = createSwitchedDisk();
  const { journal, epoch } = await gatherThenFail(switched);
  // Readings of the last seconds are sent from memory.
  expect([...(await samplesOf(journal)).values()].flat()).toEqual([26, 27, 28, 29, 30]);
  const dead = folder;
  opened = [];
  try {
    folder = `${dead}-killed`;
    await cp(dead, folder, { recursive: true });
    const again = await open();
    const readable = (await samplesOf(again)).get(epoch) ?? [];
    expect(readable.slice(0, 26)).toEqual(Array.from({ length: 26 }, (_, value) => value));
  } finally {
    switched.fail(false);
    await rm(folder, { recursive: true, force: true });
    folder = dead;
  }
  // The surviving process moves everything to its disk when that works again.
  await expect.poll(time.passing(() => journal.stats().inMemory)).toBe(false);
  await expect.poll(time.passing(() => valuesOf(journal))).toEqual(Array.from({ length: 31 }, (_, value) => value));
  await close(journal);
});

it('journal that cannot close an earlier file when its disk works again: retries, and sends its entries', async () => {
  const switched = createSwitchedDisk();
  let refusals = 0;
  const renameLate: JournalDisk['rename'] = (from, to) => {
    if (switched.isFailing() || !String(from).endsWith('.open') || refusals > 0) return switched.disk.rename(from, to);
    refusals += 1;
    return Promise.reject(Object.assign(new Error('EIO: made by the test, once'), { code: 'EIO' }));
  };
  const { journal } = await gatherThenFail(switched, { ...switched.disk, rename: renameLate });
  // Coincides with the removal of streams without entries.
  await time.advance(6000);
  switched.fail(false);
  await expect.poll(time.passing(() => valuesOf(journal))).toEqual(Array.from({ length: 31 }, (_, value) => value));
  expect(refusals).toBe(1);
});

it('journal without its disk and without a stated owner: names no stream that it continues, as older servers refuse that', async () => {
  const calls = createFaultyDisk(undefined);
  await close(await open(calls.disk));
  opened = [];
  const journal = await open(createFaultyDisk({ kind: 'EIO', fromCall: calls.calls() + 12 }).disk);
  const before = journal.epoch;
  const goneOn = async (): Promise<boolean> => {
    journal.appendSample(0, [0]);
    await time.run(journal.flush());
    return journal.epoch !== before;
  };
  await expect.poll(time.passing(goneOn), { interval: 20 }).toBe(true);
  expect(journal.continues(journal.epoch)).toBeUndefined();
});

it('journal with an unreadable open segment at the start: never reuses its numbers, sends it when readable', async () => {
  const first = await open();
  for (let value = 0; value < 5; value++) first.appendSample(value, [value]);
  await time.run(first.flush());
  const counting = createFaultyDisk(undefined);
  await close(first);
  opened = [];
  await close(await open(counting.disk));
  opened = [];
  const faulty = createFaultyDisk({ kind: 'EIO', fromCall: 0, ms: 600 }, time);
  const journal = await open(faulty.disk);
  expect(journal.epoch).not.toBe(first.epoch);
  // Its first number is not certain, so it does not continue the earlier stream.
  expect(journal.continues(journal.epoch)).toBeUndefined();
  journal.appendSample(9, [9]);
  await expect.poll(time.passing(() => valuesOf(journal))).toEqual([0, 1, 2, 3, 4, 9]);
});

it('journal with two concurrent searches for an unreadable stream: finds it once', async () => {
  const first = await open();
  first.appendSample(0, [0]);
  await time.run(first.flush());
  await close(first);
  opened = [];
  const { disk, fail } = createSwitchedDisk();
  fail(true);
  const [clock, log] = [
    createWallClock(() => ({ boot, mono: 0, wall: 0, synced: false })),
    createLogger('test', 'silent'),
  ];
  const found = await time.run(findStreams({ disk, folder, log, clock, time, damaged: () => undefined }));
  const epochs: string[] = [];
  found.later = ({ stream }) => void epochs.push(stream.epoch);
  fail(false);
  // An attempt that timed out on a slow disk continues beside the next one.
  await Promise.all([found.retry(), found.retry()]);
  expect(epochs).toEqual([first.epoch]);
  await found.retry();
  expect(epochs).toHaveLength(1);
});

it('journal restarted on a disk that refuses writes: continues the recording after all numbers of the previous process', async () => {
  const owner = 'a'.repeat(16);
  const first = await open();
  const { epoch } = first;
  first.hear({ v: 1, epoch, ranges: [], through: 1e6, owner });
  for (let value = 0; value < 5; value++) first.appendSample(1e6 - 10_000 + value, [value]);
  await close(first);
  opened = [];
  // Each start finds the disk as the first process left it.
  const begun: number[] = [];
  for (const mono of [1e6, 1e6 + 60_000]) {
    const { disk } = createFaultyDisk({ kind: 'EROFS', fromCall: 0 });
    const journal = await open(disk, mono);
    expect(journal.stats().inMemory).toBe(true);
    const seq = journal.appendSample(mono, [9]);
    expect(journal.continues(journal.epoch)).toEqual({ epoch, seq });
    begun.push(seq);
    // A minute of readings at 10 Hz.
    for (let count = 1; count < 600; count++) journal.appendSample(mono + 100 * count, [9]);
    await close(journal);
    opened = [];
  }
  expect(begun[0]).toBeGreaterThanOrEqual(5);
  expect(begun[1]).toBeGreaterThan((begun[0] ?? 0) + 600);
});

it('journal killed after a full disk dropped unsent entries: reports their gap at each start until it is noted', async () => {
  const first = await open();
  const { epoch } = first;
  for (let value = 0; value < 5; value++) first.appendSample(value, [value]);
  await close(first);
  opened = [];
  // A full disk renames files, but takes no new one.
  const full = await open({ ...createFaultyDisk({ kind: 'ENOSPC', fromCall: 0 }).disk, rename });
  expect(full.stats()).toMatchObject({ inMemory: true, droppedEntries: 5 });
  const dead = folder;
  const [killed] = opened;
  opened = [];
  try {
    folder = `${dead}-killed`;
    await cp(dead, folder, { recursive: true });
    const gaps: unknown[] = [];
    for (let start = 0; start < 2; start++) {
      const journal = await open();
      expect(journal.epoch, 'its next number is not certain').not.toBe(epoch);
      for (const [from, to] of journal.waiting(epoch)) {
        const { entries } = await journal.readPart(from, to, epoch);
        for (const entry of entries) if (entry.kind === 'event') gaps.push(entry.event);
        journal.hear({ v: 1, epoch, ranges: [[from, to]] });
      }
      await close(journal);
      opened = [];
    }
    expect(gaps).toEqual([{ type: 'gap', from_seq: 0, to_seq: 4, reason: 'disk_full' }]);
  } finally {
    if (killed) await close(killed);
    await rm(dead, { recursive: true, force: true });
  }
});

it('journal killed before the gap of an earlier stream was safe: reports the gap at the next start', async () => {
  const first = await open();
  const { epoch } = first;
  first.hear({ v: 1, epoch, ranges: [], through: 1e6, owner: 'a'.repeat(16) });
  for (let value = 0; value < 5; value++) first.appendSample(value, [value]);
  await close(first);
  opened = [];
  // A disk with no room for a segment, and enough for the small notes of a stream.
  const { disk } = createFaultyDisk({ kind: 'ENOSPC', fromCall: 0 });
  const openFile = ((path: string, flags: string, mode?: number) =>
    (path.endsWith('.json.new') ? fs : disk).open(path, flags, mode)) as JournalDisk['open'];
  const full = await open({ ...disk, rename, open: openFile });
  expect(full.stats()).toMatchObject({ inMemory: true, droppedEntries: 5 });
  expect(full.continues(full.epoch)?.epoch).toBe(epoch);
  // Writes run in the background.
  await untilQuiet();
  const dead = folder;
  const [killed] = opened;
  opened = [];
  try {
    folder = `${dead}-killed`;
    await cp(dead, folder, { recursive: true });
    const journal = await open();
    const gaps: unknown[] = [];
    for (const one of journal.epochs()) {
      for (const [from, to] of journal.waiting(one)) {
        const { entries } = await journal.readPart(from, to, one);
        for (const entry of entries) if (entry.kind === 'event') gaps.push(entry.event);
      }
    }
    expect(gaps).toEqual([{ type: 'gap', from_seq: 0, to_seq: 4, reason: 'disk_full' }]);
  } finally {
    if (killed) await close(killed);
    await rm(dead, { recursive: true, force: true });
  }
});

it('gap of an earlier stream, found when another recording is written: has its own number in its recording', async () => {
  const [ann, ben] = ['a'.repeat(16), 'b'.repeat(16)];
  const calls = createFaultyDisk(undefined);
  await close(await open(calls.disk));
  opened = [];
  const faulty = createFaultyDisk({ kind: 'EIO', fromCall: calls.calls() + 12 });
  const first = await open(faulty.disk);
  const { epoch } = first;
  first.hear({ v: 1, epoch, ranges: [], through: 1e6, owner: ann });
  for (let value = 0; value < 4; value++) first.appendSample(value, [value]);
  const goneOn = async (): Promise<boolean> => {
    first.appendSample(9, [9]);
    await time.run(first.flush());
    return first.stats().inMemory;
  };
  await expect.poll(time.passing(goneOn), { interval: 20 }).toBe(true);
  faulty.mend();
  await expect.poll(time.passing(() => first.stats().inMemory)).toBe(false);
  const second = first.epoch;
  const last = first.appendSample(10, [10]);
  await close(first);
  opened = [];

  // Another owner: a separate recording, whose segments need the room of the first stream.
  const journal = await open(undefined, 1e6, { segmentBytes: 1000, capBytes: 9000 });
  for (const one of [epoch, second]) journal.hear({ v: 1, epoch: one, ranges: [], through: 1e6, owner: ben });
  await expect.poll(time.passing(() => journal.stats().inMemory)).toBe(false);
  const dropsFirst = async (): Promise<boolean> => {
    journal.appendSample(11, [11]);
    await time.run(journal.flush());
    return journal.stats().droppedEntries > 0;
  };
  await expect.poll(dropsFirst, { interval: 5 }).toBe(true);
  for (const one of [epoch, second])
    journal.hear({ v: 1, epoch: one, ranges: [], through: 0, owner: ann, restore: true });
  const reported = new Map<number, string>();
  for (const one of [epoch, second])
    for (const [from, to] of journal.waiting(one))
      for (let at = from; at <= to;) {
        const part = await journal.readPart(at, to, one);
        for (const entry of part.entries)
          if (entry.kind === 'event' && entry.event.type === 'gap' && entry.event.from_seq === 0)
            reported.set(entry.seq, one);
        at = part.to + 1;
      }
  expect([...reported.values()]).toEqual([second]);
  expect(Math.min(...reported.keys())).toBeGreaterThan(last);
});

describe('journal restarted on a working disk long after its newest entry', () => {
  /** A busy computer's disk must not count as failed. */
  const patient = { diskGraceMs: 5000 };
  const owner = 'a'.repeat(16);
  const roastId = '01900000-0000-7000-8000-000000000001';
  /** The state of the disk when it stops accepting writes: the process may continue in memory for any time. */
  const lastWritten = async (isRoasting: boolean): Promise<{ epoch: string; nextSeq: number }> => {
    const first = await open();
    const { epoch } = first;
    first.hear({ v: 1, epoch, ranges: [], through: 1e6, owner });
    if (isRoasting) first.appendEvent(1e6, { type: 'roast', roast_id: roastId, state: 'in_progress' });
    for (let value = 0; value < 5; value++) first.appendSample(1e6 + value, [value]);
    await close(first);
    opened = [];
    return { epoch, nextSeq: isRoasting ? 6 : 5 };
  };

  it('in a roast: a new stream continues the recording after all numbers that may have been used in memory', async () => {
    const { epoch, nextSeq } = await lastWritten(true);
    const journal = await open(undefined, 1e6 + 60_000, patient);
    expect(journal.epoch).not.toBe(epoch);
    expect(journal.stats().inMemory).toBe(false);
    const seq = journal.appendSample(1e6 + 60_000, [9]);
    // A minute of readings at 10 Hz.
    expect(seq).toBeGreaterThan(nextSeq + 600);
    expect(journal.continues(journal.epoch)).toEqual({ epoch, seq });
  });

  it('killed again before the new stream held a state: the roast is still found', async () => {
    const { epoch } = await lastWritten(true);
    await open(undefined, 1e6 + 60_000, patient);
    opened = [];
    const journal = await open(undefined, 1e6 + 60_050, patient);
    expect(journal.continues(journal.epoch)?.epoch).toBe(epoch);
    const { entries } = journal.past;
    expect(entries.filter(({ kind }) => kind === 'sample')).toHaveLength(5);
    expect(entries.some((entry) => entry.kind === 'event' && entry.event.type === 'roast')).toBe(true);
  });

  it.each([
    { name: 'without a roast', isRoasting: false, afterMs: 60_000 },
    { name: 'sooner than a disk is given up', isRoasting: true, afterMs: 50 },
  ])('$name: the same stream continues', async ({ isRoasting, afterMs }) => {
    const { epoch, nextSeq } = await lastWritten(isRoasting);
    const journal = await open(undefined, 1e6 + afterMs);
    expect(journal.epoch).toBe(epoch);
    expect(journal.appendSample(1e6 + afterMs, [9])).toBe(nextSeq);
  });
});
