import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { createLogger } from '@roastery/runtime/logger';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { RecordingContext } from '../core/entry.ts';
import { createRoastTracker } from '../core/roast-tracker.ts';
import { createWallClock } from '../core/wall-clock.ts';
import { openJournal } from './journal.ts';
import { encodeRecord, scanRecords, type JournalRecord } from './record.ts';
import { readSegment } from './segment.ts';

const boot = '0a1b2c3d-0000-4000-8000-000000000001';
const context: RecordingContext = { boot, map: { id: 'demo', rev: 1 }, channels: ['bean_temp'] };
const clock = { boot, mono: 0, wall: 1_800_000_000_000, synced: true };
const log = createLogger('test', 'silent');
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'journal-format-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const open = () =>
  openJournal({
    folder,
    capBytes: 1e9,
    clock: createWallClock(() => clock),
    log,
    context,
    state: () => ({ tracker: createRoastTracker(() => 'id').snapshot(), clock, offsetMs: 0 }),
  });
const segments = async (): Promise<string[]> => (await readdir(folder)).filter((name) => /^\d/.test(name)).sort();
const newestBytes = async (): Promise<{ path: string; bytes: Buffer }> => {
  const path = join(folder, (await segments()).at(-1) ?? '');
  return { path, bytes: await readFile(path) };
};

/**
 * Format 1, as boards in the field read it: they skip unknown kinds and fields. A journal that no longer fits this
 * format can't be read after a rollback of an update.
 */
const range = z.tuple([z.number(), z.number()]);
const clockReading = { boot: z.string(), mono: z.number(), wall: z.number(), synced: z.boolean() };
const formatOne = z.discriminatedUnion('k', [
  z.strictObject({
    k: z.literal('head'),
    v: z.literal(1),
    epoch: z.string().regex(/^[0-9a-f]{16}$/),
    first: z.number(),
  }),
  z.strictObject({
    k: z.literal('context'),
    /** Skipped by earlier versions. */
    of: z.number().optional(),
    boot: z.string(),
    map: z.strictObject({ id: z.string(), rev: z.number() }),
    channels: z.array(z.string()),
  }),
  z.strictObject({ k: z.literal('clock'), ...clockReading }),
  z.strictObject({ k: z.literal('s'), q: z.number(), m: z.number(), v: z.array(z.number().nullable()) }),
  z.strictObject({ k: z.literal('e'), q: z.number(), m: z.number(), e: z.looseObject({ type: z.string() }) }),
  z.strictObject({ k: z.literal('acked'), ranges: z.array(range) }),
  /** Skipped by earlier versions. */
  z.strictObject({ k: z.literal('gone'), ranges: z.array(range) }),
  z.strictObject({
    k: z.literal('state'),
    state: z.strictObject({
      tracker: z.looseObject({ seq: z.number() }),
      clock: z.strictObject(clockReading),
      offsetMs: z.number(),
    }),
  }),
]);

describe('a journal through an update and a rollback', () => {
  it('is written in a format that released versions read', async () => {
    const journal = await open();
    journal.appendSample(250, [200.5]);
    journal.appendEvent(300, { type: 'start', agent_version: '0.1.0' });
    journal.noteClock();
    journal.noteState();
    journal.hear({ v: 1, epoch: journal.epoch, ranges: [[0, 0]] });
    await journal.close();
    const { records } = scanRecords((await newestBytes()).bytes);
    expect(new Set(records.map(({ k }) => k))).toEqual(
      new Set(['head', 'context', 'clock', 's', 'e', 'acked', 'gone', 'state']),
    );
    for (const record of records) expect(formatOne.safeParse(record).error?.message).toBeUndefined();
  });

  it('packs only the state of a tracker', () => {
    const tracker = createRoastTracker(() => 'id');
    for (let seq = 0; seq < 1000; seq++) {
      const sample = { seq, timeMs: 250 * seq, beanTempC: 200 + (seq % 7) / 10, exhaustTempC: 180, heatPower: 50 };
      tracker.push({ ...sample, fanSpeed: 40 }, [], 0);
    }
    const state = { k: 'state', state: { tracker: tracker.snapshot(), clock, offsetMs: 0 } } as const;
    const plainBytes = JSON.stringify(state).length;
    expect(plainBytes).toBeGreaterThan(40_000);
    const bytes = encodeRecord(state);
    expect(bytes.length).toBeLessThan(plainBytes / 4);
    expect(scanRecords(bytes).records).toEqual([state]);
    const sample: JournalRecord = { k: 's', q: 1, m: 1, v: Array.from({ length: 64 }, () => 123_456.789) };
    expect(encodeRecord(sample).toString()).toContain('"k":"s"');
  });

  it.each([
    ['no base64 of anything deflated', { z: 'AAAA' }],
    ['no text', { z: 5 }],
    ['packed twice', { z: deflateSync(JSON.stringify({ k: 'packed', z: '' })).toString('base64') }],
    ['far too long', { z: deflateSync(Buffer.alloc(5_000_000, 0x20)).toString('base64') }],
    ['no record', { z: deflateSync('5').toString('base64') }],
  ])('treats a packed record that is %s as damage', (_what, packed) => {
    const bytes = encodeRecord({ k: 'packed', ...packed } as unknown as JournalRecord);
    const { records, damage } = scanRecords(bytes);
    expect(records).toEqual([]);
    expect(damage).toHaveLength(1);
  });

  it('keeps the records of an earlier version when a later one added other kinds', async () => {
    const journal = await open();
    journal.appendSample(250, [200.5]);
    await journal.close();
    const { path, bytes } = await newestBytes();
    const later = encodeRecord({ k: 'weather', q: 'none', says: 'sunny' } as unknown as JournalRecord);
    const sample = encodeRecord({ k: 's', q: 1, m: 500, v: [201] });
    await writeFile(path, Buffer.concat([bytes, later, sample]));
    expect(readSegment(await readFile(path)).entries.map(({ seq }) => seq)).toEqual([0, 1]);
    const next = await open();
    expect(next.appendSample(750, [202])).toBe(2);
    await next.close();
  });

  it('is left unchanged and reported by a version that would misread it', async () => {
    const journal = await open();
    journal.appendSample(250, [200.5]);
    await journal.close();
    const { path, bytes } = await newestBytes();
    const head = encodeRecord({ k: 'head', v: 2, epoch: journal.epoch, first: 0 });
    // The later version was killed: its segment is open and its tail torn.
    await writeFile(path, Buffer.concat([head, bytes, head.subarray(0, 9)]));
    const before = [await segments(), await readFile(path)];
    await expect(open()).rejects.toThrow(/written by a later version \(format 2\): install that version again/);
    expect([await segments(), await readFile(path)]).toEqual(before);
  });
});
