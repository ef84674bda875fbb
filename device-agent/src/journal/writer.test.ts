import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { realClock } from '@roastery/runtime/clock';
import { createLogger } from '@roastery/runtime/logger';
import { expect, it } from 'vitest';
import type { Entry } from '../core/entry.ts';
import { createFaultyDisk } from '../testing/faulty-disk.ts';
import { createWriter, recordOf } from './writer.ts';

const context = { boot: '0a1b2c3d-0000-4000-8000-000000000001', map: { id: 'demo', rev: 1 }, channels: ['bean_temp'] };
const gap: Entry = {
  kind: 'event',
  seq: 8,
  mono: 2000,
  context,
  event: { type: 'gap', from_seq: 2, to_seq: 5, reason: 'disk_full' },
};

it('writer: a rewritten segment contains the entries that are in no other segment', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'writer-'));
  // The first segment's sync succeeds, the next one fails.
  const { disk } = createFaultyDisk({ kind: 'failed fsync', fromCall: 7, calls: 1 });
  const unwrittenAt: (readonly Entry[])[] = [];
  const writer = await createWriter({
    disk,
    folder,
    segmentBytes: 1e6,
    log: createLogger('test', 'silent'),
    time: realClock,
    first: 7,
    initial: [],
    graceMs: 20_000,
    nextSeq: () => 9,
    context: () => context,
    roastRuns: () => false,
    head: (first, of, unwritten) => {
      unwrittenAt.push(unwritten);
      return [{ k: 'context', of: first, ...of }];
    },
    sealed: () => Promise.resolve(),
    durable: () => undefined,
    makeFolder: () => Promise.resolve(),
    freeSpace: () => Promise.resolve(false),
    gaveUp: () => undefined,
  });
  try {
    const sample: Entry = { kind: 'sample', seq: 7, mono: 1000, context, values: [1] };
    writer.append(recordOf(sample), sample);
    await writer.flush();
    await expect.poll(() => writer.trouble()).toBeDefined();
    writer.append(recordOf(gap), gap);
    await expect.poll(() => unwrittenAt.length).toBe(2);
    expect(unwrittenAt).toEqual([[], [gap]]);
    await expect.poll(() => writer.entries()).toEqual([sample, gap]);
  } finally {
    await writer.close(1000);
    await rm(folder, { recursive: true, force: true });
  }
});
