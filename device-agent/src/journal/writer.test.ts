import { EventEmitter, once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@roastery/runtime/logger';
import { createVirtualClock, type VirtualClock } from '@roastery/testing/virtual-clock';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Entry } from '../core/entry.ts';
import { RangeSet } from '../core/ranges.ts';
import { createFaultyDisk } from '../testing/faulty-disk.ts';
import { createPowerCutDisk } from '../testing/power-cut-disk.ts';
import { scanRecords } from './record.ts';
import { recordOf } from './open-segment.ts';
import { Writer, type WriterParts } from './writer.ts';

const context = { boot: '0a1b2c3d-0000-4000-8000-000000000001', map: { id: 'demo', rev: 1 }, channels: ['bean_temp'] };
const gap: Entry = {
  kind: 'event',
  seq: 8,
  mono: 2000,
  context,
  event: { type: 'gap', from_seq: 2, to_seq: 5, reason: 'disk_full' },
};

const sampleAt = (seq: number): Entry => ({ kind: 'sample', seq, mono: 1000 * seq, context, values: [seq] });

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'writer-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const partsWith = (time: VirtualClock, parts: Pick<WriterParts, 'disk'> & Partial<WriterParts>): WriterParts => ({
  folder,
  segmentBytes: 1e6,
  log: createLogger('test', 'silent'),
  time,
  first: 7,
  initial: [],
  graceMs: 20_000,
  nextSeq: () => 9,
  context: () => context,
  roastRuns: () => false,
  head: (first, of) => [{ k: 'context', of: first, ...of }],
  sealed: () => Promise.resolve(),
  durable: () => undefined,
  makeFolder: () => Promise.resolve(),
  freeSpace: () => Promise.resolve(false),
  gaveUp: () => undefined,
  ...parts,
});
const append = (writer: Writer, entry: Entry): void => writer.append(recordOf(entry), entry);

/** The numbers of the readings in a file. */
const readingsIn = async (path: string): Promise<number[]> =>
  scanRecords(await readFile(path)).records.flatMap((record) => (record.k === 's' ? [record.q] : []));

it('writer: a rewritten segment contains the entries that are in no other segment', async () => {
  const time = createVirtualClock();
  // The first segment's sync succeeds, the next one fails.
  const { disk } = createFaultyDisk({ kind: 'failed fsync', fromCall: 7, calls: 1 });
  const unwrittenAt: (readonly Entry[])[] = [];
  const head: WriterParts['head'] = (first, of, unwritten) => {
    unwrittenAt.push(unwritten);
    return [{ k: 'context', of: first, ...of }];
  };
  const writer = await Writer.create(partsWith(time, { disk, head }));
  append(writer, sampleAt(7));
  await writer.flush();
  expect(writer.trouble()).toBeDefined();
  append(writer, gap);
  await time.until('the disk to recover', () => writer.trouble() === undefined, 5000);
  expect(unwrittenAt).toEqual([[], [gap]]);
  expect(writer.entries()).toEqual([sampleAt(7), gap]);
  await time.run(writer.close(1000));
});

it('writer: what it reports as durable after a failed sync is on the disk after a power cut', async () => {
  const time = createVirtualClock();
  const fragile = createPowerCutDisk();
  const durable = new RangeSet();
  const writer = await Writer.create(
    partsWith(time, { disk: fragile.disk, durable: (ranges) => ranges.forEach(([from, to]) => durable.add(from, to)) }),
  );
  fragile.failSyncs(1);
  append(writer, sampleAt(7));
  await writer.flush();
  append(writer, sampleAt(8));
  await time.until('the readings to be durable', () => durable.covers(7, 8), 5000);
  await fragile.cut(folder);
  expect(await readingsIn(writer.path())).toEqual([7, 8]);
  await time.run(writer.close(1000));
});

/** Writes two segments, and returns what each file contained when it was reported. */
const writeSegments = async ({ disk }: Pick<WriterParts, 'disk'>, begun = () => {}): Promise<unknown[]> => {
  const time = createVirtualClock();
  const reported: unknown[] = [];
  const firstReport = new EventEmitter();
  const closed = once(firstReport, 'closed');
  const sealed: WriterParts['sealed'] = async ({ path }) => {
    reported.push(await readingsIn(path).catch((error: unknown) => String(error)));
    firstReport.emit('closed');
  };
  const own = await mkdtemp(join(folder, 'disk-'));
  const writer = await Writer.create(partsWith(time, { disk, sealed, folder: own }));
  for (const seq of [7, 8]) append(writer, sampleAt(seq));
  await time.run(writer.flush());
  begun();
  writer.requestRoll();
  append(writer, sampleAt(9));
  await time.run(closed);
  await time.run(writer.flush());
  expect(writer.entries()).toEqual([sampleAt(9)]);
  await time.run(writer.close(1000));
  return reported;
};

it('writer: a segment is reported as closed when its file has its name, whichever call of the disk fails', async () => {
  const counted = createFaultyDisk(undefined);
  let first = 0;
  expect(await writeSegments(counted, () => void (first = counted.calls()))).toEqual([[7, 8]]);
  for (const fromCall of counted.callsHitBy('EIO').filter((call) => call >= first)) {
    const { disk } = createFaultyDisk({ kind: 'EIO', fromCall, calls: 1 });
    expect(await writeSegments({ disk }), `call ${fromCall}`).toEqual([[7, 8]]);
  }
});
