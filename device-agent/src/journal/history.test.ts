import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@roastery/runtime/logger';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RangeSet } from '../core/ranges.ts';
import { createWallClock } from '../core/wall-clock.ts';
import { createFaultyDisk } from '../testing/faulty-disk.ts';
import { openJournal, type Journal, type JournalOptions } from './journal.ts';
import { encodeRecord } from './record.ts';

const boot = '0a1b2c3d-0000-4000-8000-000000000001';
const context = { boot, map: { id: 'demo', rev: 1 }, channels: ['bean_temp'] };
const [ann, ben] = ['a'.repeat(16), 'b'.repeat(16)];
const all = Number.MAX_SAFE_INTEGER;
let folder: string;
let mono: number;
let opened: Journal[];

const open = async (over: Partial<JournalOptions> = {}): Promise<Journal> => {
  const clock = createWallClock(() => ({ boot, mono, wall: 1_800_000_000_000 + mono, synced: true }));
  const log = createLogger('test', 'silent');
  const journal = await openJournal({
    folder,
    capBytes: 1e9,
    segmentBytes: 1000,
    clock,
    log,
    context,
    state: () => undefined,
    ...over,
  });
  opened.push(journal);
  return journal;
};
const close = async (journal: Journal): Promise<void> => {
  opened = opened.filter((other) => other !== journal);
  await journal.close();
};
const fill = async (journal: Journal, count: number): Promise<void> => {
  for (let left = count; left > 0; left--) {
    journal.appendSample((mono += 250), [mono / 1000]);
    if (left % 20 === 1) await journal.flush();
  }
};
const acknowledged = async (count: number, over: Partial<JournalOptions> = {}): Promise<Journal> => {
  const journal = await open(over);
  await fill(journal, count);
  journal.hear({ v: 1, epoch: journal.epoch, ranges: [[0, count - 1]] });
  return journal;
};

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'history-'));
  mono = 0;
  opened = [];
});
afterEach(async () => {
  for (const journal of opened) await journal.close();
  await rm(folder, { recursive: true, force: true });
});

describe('journal: a server that lost data', () => {
  it('gets the missing entries of a stream, also after a restart, and no others', async () => {
    const first = await acknowledged(100);
    await close(first);
    const journal = await open();
    expect(journal.waiting()).toEqual([]);
    const offered = new RangeSet();
    journal.listen({ durable: (ranges) => ranges.forEach((range) => offered.add(...range)), gone: () => undefined });
    journal.hear({
      v: 1,
      epoch: journal.epoch,
      ranges: [
        [0, 29],
        [50, 59],
      ],
      through: 79,
      owner: ann,
    });
    expect(offered.ranges()).toEqual([
      [30, 49],
      [60, 79],
    ]);
    expect(journal.waiting()).toEqual([
      [30, 49],
      [60, 79],
    ]);
    const { entries } = await journal.readPart(30, 49);
    expect(entries.map(({ seq }) => seq)).toContain(30);
    journal.hear({ v: 1, epoch: journal.epoch, ranges: [[0, 99]] });
    expect(journal.waiting()).toEqual([]);
  });

  it('reports entries that were dropped since then', async () => {
    const journal = await acknowledged(200, { capBytes: 8000 });
    await fill(journal, 40);
    const { epoch } = journal;
    journal.hear({ v: 1, epoch: journal.epoch, ranges: [[0, 239]] });
    const before = (await journal.history())[0]?.entries ?? 0;
    expect(before).toBeLessThan(200);
    journal.hear({ v: 1, epoch, ranges: [[0, 239]], through: all, owner: ann });
    journal.hear({ v: 1, epoch, ranges: [], through: all, owner: ann });
    await journal.flush();
    await journal.flush();
    const waiting = new RangeSet(journal.waiting());
    const gaps = new RangeSet();
    const reasons = new Set<string>();
    for (const [from, to] of waiting.ranges()) {
      for (let at = from; at <= to;) {
        const part = await journal.readPart(at, to);
        for (const entry of part.entries) {
          if (entry.kind === 'event' && entry.event.type === 'gap') {
            reasons.add(entry.event.reason);
            gaps.add(entry.event.from_seq, entry.event.to_seq);
          }
        }
        at = part.to + 1;
      }
    }
    const unexplained = Array.from({ length: 240 }, (_, seq) => seq).filter(
      (seq) => !waiting.has(seq) && !gaps.has(seq),
    );
    expect(unexplained).toEqual([]);
    expect([...reasons]).toEqual(['cap_reached']);
    expect(gaps.count()).toBeGreaterThan(0);
  });

  it('starts with many kept segments without reading them, and lists them', async () => {
    const journal = await acknowledged(2000);
    const { epoch } = journal;
    await close(journal);
    const segments = (await readdir(folder)).filter((name) => /^\d/.test(name)).length;
    expect(segments).toBeGreaterThan(90);
    const counting = createFaultyDisk(undefined);
    const again = await open({ disk: counting.disk });
    // Without a roast state in them it searches back through a few; nearly always one is enough.
    expect(counting.count('readFile')).toBeLessThan(24);
    const [history] = await again.history();
    expect(history).toMatchObject({ epoch, entries: 2000, sealed: false, from: expect.any(Number) });
  });

  it('needs hardly more bytes per sample than the samples themselves', async () => {
    const journal = await open({ segmentBytes: 262_144 });
    const channels = Array.from({ length: 8 }, (_, index) => `channel_${index}`);
    journal.setContext({ ...context, channels });
    const values = channels.map((_, index) => 100.5 + index);
    let bytes = 0;
    for (let count = 0; count < 4000; count++) {
      const seq = journal.appendSample((mono += 250), values);
      bytes += encodeRecord({ k: 's', q: seq, m: mono, v: values }).length;
      if (count % 500 === 0) await journal.flush();
    }
    await close(journal);
    let onDisk = 0;
    for (const name of await readdir(folder)) if (/^\d/.test(name)) onDisk += (await stat(join(folder, name))).size;
    expect(onDisk / bytes).toBeLessThan(1.02);
  });
});

describe('journal: owner of history', () => {
  it('adopts the first stated owner when the server knows the stream or nothing was acknowledged', async () => {
    const fresh = await open();
    await fill(fresh, 10);
    fresh.hear({ v: 1, epoch: fresh.epoch, ranges: [], through: all, owner: ann });
    expect(fresh.waiting()).toEqual([[0, 9]]);
    expect(fresh.ownerOf(fresh.epoch)).toBe(ann);
  });

  it('seals acknowledged history for another owner, and continues in a new stream', async () => {
    const journal = await acknowledged(30);
    const before = journal.epoch;
    await fill(journal, 5);
    const gone = new RangeSet();
    journal.listen({ durable: () => undefined, gone: (from, to) => gone.add(from, to) });
    journal.hear({ v: 1, epoch: before, ranges: [], through: all, owner: ben });
    expect(journal.epoch).not.toBe(before);
    expect(gone.covers(30, 34)).toBe(true);
    expect(journal.epochs()).not.toContain(before);
    expect(journal.waiting(before)).toEqual([]);
    expect(journal.appendSample((mono += 250), [1])).toBe(35);
    await expect.poll(() => journal.stats().inMemory).toBe(false);
    expect(await journal.history()).toMatchObject([
      { epoch: journal.epoch, sealed: false },
      { epoch: before, sealed: true, entries: 35 },
    ]);
    const after = journal.epoch;
    await close(journal);
    const again = await open();
    expect(again.epoch).toBe(after);
    expect(again.epochs()).toEqual([after]);
    expect(again.appendSample((mono += 250), [2])).toBe(36);
    again.hear({ v: 1, epoch: before, ranges: [], through: all, owner: ben, restore: true });
    expect(again.waiting(before)).toEqual([[0, 34]]);
    const { entries } = await again.readPart(0, 34, before);
    expect(entries.length).toBeGreaterThan(0);
    expect(again.ownerOf(before)).toBe(ben);
  });

  it('seals a stream for a different owner, also without stated ranges', async () => {
    const journal = await open();
    await fill(journal, 5);
    journal.hear({ v: 1, epoch: journal.epoch, ranges: [], through: all, owner: ann });
    const before = journal.epoch;
    journal.hear({ v: 1, epoch: before, ranges: [[0, 4]], through: all, owner: ben });
    expect(journal.waiting(before)).toEqual([]);
    journal.hear({ v: 1, epoch: before, ranges: [], through: all, owner: ann });
    expect(journal.waiting(before)).toEqual([[0, 4]]);
  });
});
