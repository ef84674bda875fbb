import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { createLogger } from '@roastery/runtime/logger';
import { randomStream } from '@roastery/testing/marks/random';
import { createVirtualClock, type VirtualClock } from '@roastery/testing/virtual-clock';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Entry, RecordingContext } from '../core/entry.ts';
import { RangeSet } from '../core/ranges.ts';
import { createWallClock } from '../core/wall-clock.ts';
import { createFaultyDisk } from '../testing/faulty-disk.ts';
import { createPowerCutDisk } from '../testing/power-cut-disk.ts';
import { openJournal, type Journal, type JournalOptions } from './journal.ts';

const boot = '0a1b2c3d-0000-4000-8000-000000000001';
const context: RecordingContext = { boot, map: { id: 'demo', rev: 1 }, channels: ['bean_temp'] };
const log = createLogger('test', 'silent');
let time: VirtualClock;
let folder: string;
let mono = 0;
const opened: Journal[] = [];

const open = async (over: Partial<JournalOptions> = {}): Promise<Journal> => {
  const clock = createWallClock(() => ({ boot, mono, wall: 1_800_000_000_000 + mono, synced: true }));
  const journal = await openJournal({
    folder,
    capBytes: 1e9,
    clock,
    time,
    log,
    context,
    state: () => undefined,
    ...over,
  });
  opened.push(journal);
  return journal;
};
const close = async (journal: Journal): Promise<void> => {
  opened.splice(opened.indexOf(journal), 1);
  await time.run(journal.close());
};
/** Leaves a journal as SIGKILL does: flushed entries exist, nothing is cleaned up. */
const abandon = (journal: Journal): void => void opened.splice(opened.indexOf(journal), 1);

const fill = (journal: Journal, count: number): number[] =>
  Array.from({ length: count }, () => journal.appendSample((mono += 250), [mono / 1000]));

const readAll = async (journal: Journal): Promise<Entry[]> => {
  const entries: Entry[] = [];
  for (const [from, to] of journal.waiting()) {
    for (let at = from; at <= to; at = (entries.at(-1)?.seq ?? to) + 1) entries.push(...(await journal.read(at, to)));
  }
  return entries;
};
const samplesOf = (entries: readonly Entry[]) => entries.filter((entry) => entry.kind === 'sample');
const gapsOf = (entries: readonly Entry[]) =>
  entries.flatMap((entry) => (entry.kind === 'event' && entry.event.type === 'gap' ? [entry.event] : []));
const segments = async (): Promise<string[]> => (await readdir(folder)).filter((name) => /^\d/.test(name)).sort();

const filledSegment = async (): Promise<string> => {
  const journal = await open();
  fill(journal, 50);
  await journal.flush();
  abandon(journal);
  const name = (await segments()).at(-1);
  if (name === undefined) throw new Error('no segment');
  return join(folder, name);
};

const stretch = async (journal: Journal, samples: number): Promise<void> => {
  for (let left = samples; left > 0; left -= 20) {
    fill(journal, Math.min(20, left));
    await journal.flush();
  }
};

beforeEach(async () => {
  time = createVirtualClock();
  folder = await mkdtemp(join(tmpdir(), 'journal-'));
  mono = 0;
});
afterEach(async () => {
  for (const journal of opened.splice(0)) await time.run(journal.close());
  await rm(folder, { recursive: true, force: true });
});

describe('journal', () => {
  it('returns appended entries across restarts in one sequence', async () => {
    const first = await open();
    const seqs = fill(first, 5);
    first.appendEvent(mono, { type: 'start', agent_version: '1' });
    await close(first);
    const second = await open();
    seqs.push(...fill(second, 3));
    await second.flush();
    const entries = await readAll(second);
    expect(entries.map(({ seq }) => seq)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    expect(samplesOf(entries).map(({ values }) => values[0])).toEqual([0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75, 2]);
    expect(second.epoch).toBe(first.epoch);
  });

  it('offers no entry before it is synced', async () => {
    const journal = await open({ syncMs: 60_000 });
    fill(journal, 3);
    expect(journal.waiting()).toEqual([]);
    await journal.flush();
    expect(journal.waiting()).toEqual([[0, 2]]);
  });

  it('syncs a roast event at once, and everything within a second', async () => {
    const journal = await open();
    const durable = new RangeSet();
    journal.listen({ durable: (ranges) => ranges.forEach(([a, b]) => durable.add(a, b)), gone: () => undefined });
    fill(journal, 1);
    const roastId = '01900000-0000-7000-8000-000000000001';
    journal.appendEvent(mono, { type: 'roast', roast_id: roastId, state: 'in_progress' });
    await expect.poll(() => durable.ranges()).toEqual([[0, 1]]);
    fill(journal, 1);
    await time.until('a sync', () => durable.has(2), 1500);
    expect(durable.ranges()).toEqual([[0, 2]]);
  });

  it('syncs samples rarely between roasts, and immediately with an event', async () => {
    const { disk, count } = createFaultyDisk(undefined);
    const journal = await open({ disk });
    await expect.poll(() => count('datasync')).toBeGreaterThan(0);
    await journal.flush();
    journal.setPace('gather');
    expect(journal.stats().syncEveryMs).toBe(60_000);
    const before = count('datasync');
    fill(journal, 3);
    await time.advance(50_000);
    fill(journal, 2);
    expect(count('datasync')).toBe(before);
    expect(journal.waiting()).toEqual([]);
    const roastId = '01900000-0000-7000-8000-000000000001';
    journal.appendEvent(mono, { type: 'roast', roast_id: roastId, state: 'in_progress' });
    await expect.poll(() => journal.waiting()).toEqual([[0, 5]]);
    expect(count('datasync')).toBe(before + 1);
    journal.setPace('each_second');
    fill(journal, 1);
    await time.until('a sync', () => journal.waiting()[0]?.[1] === 6, 1500);
  });

  it('keeps unsynced samples for the next start when only the process ends', async () => {
    const { disk, count } = createFaultyDisk(undefined);
    const first = await open({ disk, idleSyncMs: 60_000 });
    first.setPace('gather');
    const [syncs, writes] = [count('datasync'), count('write')];
    for (let written = 1; written <= 5; written++) {
      fill(first, 1);
      await expect.poll(() => count('write'), { interval: 5 }).toBe(writes + written);
    }
    expect(count('datasync')).toBe(syncs);
    abandon(first);
    const second = await open();
    expect(second.waiting()).toEqual([[0, 4]]);
    expect(samplesOf(await readAll(second))).toHaveLength(5);
  });

  it.each([1, 2])('offers only entries that survive a power cut, at every pace (seed %d)', async (seed) => {
    const random = randomStream(seed);
    const offered = new Map<string, number>();
    let epoch = '';
    let value = 0;
    for (let cut = 0; cut < 5; cut++) {
      const power = createPowerCutDisk();
      const journal = await open({ disk: power.disk, syncMs: 600, idleSyncMs: 700, segmentBytes: 3000 });
      epoch ||= journal.epoch;
      const values = new Map<number, number>();
      journal.listen({
        durable(ranges, of) {
          for (const [from, to] of ranges)
            for (let seq = from; seq <= to; seq++)
              if (values.has(seq)) offered.set(`${of}/${seq}`, values.get(seq) ?? 0);
        },
        gone: () => undefined,
      });
      const endAt = time.monotonic() + 200 + 900 * random();
      while (time.monotonic() < endAt) {
        if (random() < 0.1) journal.setPace(random() < 0.7 ? 'gather' : 'each_second');
        if (random() < 0.02) journal.appendEvent(mono, { type: 'start', agent_version: '1' });
        values.set(journal.appendSample((mono += 250), [(value += 1)]), value);
        if (random() < 0.05) await journal.flush();
        // The disk is not waited for: a cut hits it in the middle of its work.
        time.pass(10 * random());
        for (let turns = 10 * random(); turns > 0; turns--) await nextIteration();
      }
      abandon(journal);
      await power.cut(folder);
    }
    const after = await open();
    const kept = new Map<string, unknown>();
    for (const entry of samplesOf(await readAll(after))) kept.set(`${after.epoch}/${entry.seq}`, entry.values[0]);
    expect(after.epoch).toBe(epoch);
    expect(offered.size).toBeGreaterThan(50);
    expect([...offered].filter(([key, of]) => kept.get(key) !== of)).toEqual([]);
    expect(kept.size, 'something was not synced in time').toBeLessThan(value);
  });

  it('starts a new segment at each start and at its size', async () => {
    const journal = await open({ segmentBytes: 2000 });
    for (let round = 0; round < 5; round++) {
      fill(journal, 20);
      await journal.flush();
    }
    expect((await segments()).length).toBeGreaterThan(2);
    expect((await readAll(journal)).map(({ seq }) => seq)).toEqual(Array.from({ length: 100 }, (_, seq) => seq));
  });

  it('keeps acknowledged segments until their room is needed, and drops them first', async () => {
    const journal = await open({ segmentBytes: 1000, capBytes: 9000 });
    await stretch(journal, 60);
    journal.hear({ v: 1, epoch: journal.epoch, ranges: [[0, 39]] });
    const [oldest] = await segments();
    expect((await journal.read(0, 0)).map(({ seq }) => seq)).toEqual([0]);
    await stretch(journal, 80);
    expect(await segments()).not.toContain(oldest);
    const entries = await readAll(journal);
    const unacknowledged = Array.from({ length: 140 - 40 }, (_, index) => 40 + index);
    expect(entries.map(({ seq }) => seq)).toEqual(unacknowledged);
    expect(gapsOf(entries)).toEqual([]);
    expect(journal.stats().droppedEntries).toBe(0);
  });

  it('continues its sequence numbers when everything is acknowledged', async () => {
    const first = await open();
    fill(first, 10);
    await first.flush();
    first.hear({ v: 1, epoch: first.epoch, ranges: [[0, 9]] });
    await close(first);
    const second = await open();
    expect(second.waiting()).toEqual([]);
    await close(second);
    const third = await open();
    expect(fill(third, 1)).toEqual([10]);
    expect(third.epoch).toBe(first.epoch);
  });

  it('does not resend acknowledged entries after a restart', async () => {
    const first = await open();
    fill(first, 10);
    await first.flush();
    first.hear({ v: 1, epoch: first.epoch, ranges: [[0, 6]] });
    await close(first);
    expect((await open()).waiting()).toEqual([[7, 9]]);
  });

  it('never reuses a sequence number that the server has', async () => {
    const journal = await open();
    fill(journal, 3);
    journal.hear({ v: 1, epoch: journal.epoch, ranges: [[0, 499]] });
    expect(fill(journal, 1)).toEqual([500]);
  });

  it('rewrites the open segment when its folder is deleted, with all unsent entries', async () => {
    const first = await open();
    const { epoch } = first;
    fill(first, 30);
    first.appendEvent(mono, { type: 'start', agent_version: '1' });
    await first.flush();
    first.appendSample((mono += 250), [1]);
    await rm(folder, { recursive: true, maxRetries: 3 });
    first.appendSample((mono += 250), [2]);
    await first.flush();
    expect(first.stats().trouble).toBeUndefined();
    first.appendSample((mono += 250), [3]);
    await first.flush();
    abandon(first);
    const second = await open();
    expect(second.epoch).toBe(epoch);
    const entries = await readAll(second);
    expect(entries.slice(0, 34).map(({ seq }) => seq)).toEqual(Array.from({ length: 34 }, (_, seq) => seq));
    const samples = samplesOf(entries);
    expect(samples.map(({ values }) => values[0]).slice(-3)).toEqual([1, 2, 3]);
    expect(gapsOf(entries)).toEqual([]);
  });

  it('begins a new segment for each context', async () => {
    const journal = await open();
    fill(journal, 3);
    for (const channels of [['exhaust_temp'], ['bean_temp', 'exhaust_temp']]) {
      journal.setContext({ ...context, channels });
      journal.appendSample(
        (mono += 250),
        channels.map(() => 7),
      );
      journal.appendSample(
        (mono += 250),
        channels.map(() => 8),
      );
    }
    await close(journal);
    expect((await segments()).length).toBe(3);
    const samples = samplesOf(await readAll(await open()));
    expect(samples.map(({ context: of }) => of.channels.join('+'))).toEqual([
      ...Array(3).fill('bean_temp'),
      ...Array(2).fill('exhaust_temp'),
      ...Array(2).fill('bean_temp+exhaust_temp'),
    ]);
  });

  it('keeps the epoch when its file is deleted, and makes a new one for an empty folder', async () => {
    const first = await open();
    fill(first, 1);
    await close(first);
    await rm(join(folder, 'epoch'));
    const second = await open();
    expect(second.epoch).toBe(first.epoch);
    await close(second);
    for (const name of await segments()) await rm(join(folder, name));
    expect((await open()).epoch).not.toBe(first.epoch);
  });
});

describe('journal after damage', () => {
  it('loses nothing that was synced to a torn last record, and reports nothing', async () => {
    const path = await filledSegment();
    const size = (await readFile(path)).length;
    await writeFile(path, Buffer.from([0xa7, 0x4a, 40, 0, 0, 0, 1, 2]), { flag: 'a' });
    const journal = await open();
    await journal.flush();
    const entries = await readAll(journal);
    expect(samplesOf(entries)).toHaveLength(50);
    expect(gapsOf(entries)).toEqual([]);
    expect(fill(journal, 1)).toEqual([50]);
    expect((await readdir(join(folder, 'quarantine'))).length).toBe(1);
    expect(size).toBeGreaterThan(0);
  });

  it('keeps entries behind overwritten bytes and reports the lost ones', async () => {
    const path = await filledSegment();
    const bytes = await readFile(path);
    const middle = Math.floor(bytes.length / 2);
    bytes.fill(0x55, middle, middle + 100);
    await writeFile(path, bytes);
    const journal = await open();
    await journal.flush();
    const entries = await readAll(journal);
    const present = new Set(samplesOf(entries).map(({ seq }) => seq));
    const missing = Array.from({ length: 50 }, (_, seq) => seq).filter((seq) => !present.has(seq));
    expect(missing.length).toBeGreaterThan(0);
    expect(missing.length).toBeLessThan(6);
    expect(gapsOf(entries)).toEqual([{ type: 'gap', from_seq: missing[0], to_seq: missing.at(-1), reason: 'damaged' }]);
  });

  it('does not reuse sequence numbers that a damaged tail may have held', async () => {
    const path = await filledSegment();
    const bytes = await readFile(path);
    bytes.fill(0, bytes.length - 200);
    await writeFile(path, bytes);
    const journal = await open();
    expect(fill(journal, 1)[0]).toBeGreaterThanOrEqual(50);
    await journal.flush();
    expect(gapsOf(await readAll(journal))[0]).toMatchObject({ reason: 'damaged' });
  });

  it('reports the entries of a closed segment that is missing', async () => {
    const journal = await open({ segmentBytes: 1000 });
    for (let round = 0; round < 3; round++) {
      fill(journal, 20);
      await journal.flush();
    }
    await rm(join(folder, (await segments())[0] ?? ''));
    const gone: [number, number][] = [];
    journal.listen({ durable: () => undefined, gone: (from, to) => gone.push([from, to]) });
    await journal.read(0, 5);
    expect(gone.length).toBe(1);
    expect(gone[0]?.[0]).toBe(0);
  });
});

describe('journal at its cap', () => {
  const roastId = '01900000-0000-7000-8000-000000000001';
  it('drops the oldest samples outside roasts first and reports them', async () => {
    const journal = await open({ segmentBytes: 1000, capBytes: 8000 });
    await stretch(journal, 40);
    journal.appendEvent(mono, { type: 'roast', roast_id: roastId, state: 'in_progress' });
    await stretch(journal, 60);
    journal.appendEvent(mono, { type: 'roast', roast_id: roastId, state: 'completed' });
    await stretch(journal, 600);
    const entries = await readAll(journal);
    const present = new RangeSet();
    for (const { seq } of entries) present.add(seq, seq);
    // The roast (from its charge to its end) is complete, the samples around it are not.
    expect(present.covers(40, 101)).toBe(true);
    expect(present.has(0)).toBe(false);
    expect(journal.stats().bytes).toBeLessThan(12_500);
    const announced = new RangeSet(gapsOf(entries).map(({ from_seq, to_seq }) => [from_seq, to_seq] as const));
    const highest = entries.at(-1)?.seq ?? 0;
    const missing = Array.from({ length: highest + 1 }, (_, seq) => seq).filter((seq) => !present.has(seq));
    expect(missing.length).toBeGreaterThan(0);
    expect(missing.filter((seq) => !announced.has(seq))).toEqual([]);
    expect(journal.stats().droppedEntries).toBeGreaterThan(0);
  });

  it('drops the oldest roast when only roasts are left', async () => {
    const journal = await open({ segmentBytes: 1000, capBytes: 4000 });
    journal.appendEvent(0, { type: 'roast', roast_id: roastId, state: 'in_progress' });
    await stretch(journal, 400);
    expect(journal.stats().bytes).toBeLessThan(6000);
    expect((await readAll(journal)).some(({ seq }) => seq === 0)).toBe(false);
  });

  it('reports no gap for acknowledged entries', async () => {
    const journal = await open({ segmentBytes: 1000, capBytes: 3000 });
    for (let round = 0; round < 20; round++) {
      const seqs = fill(journal, 20);
      await journal.flush();
      journal.hear({ v: 1, epoch: journal.epoch, ranges: [[0, seqs.at(-1) ?? 0]] });
    }
    expect(journal.stats().droppedEntries).toBe(0);
  });
});
