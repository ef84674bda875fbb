import { cpSync, rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@roastery/runtime/logger';
import { memoryFolder } from '@roastery/testing/shared-data';
import { createVirtualClock, type VirtualClock } from '@roastery/testing/virtual-clock';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWallClock } from '../core/wall-clock.ts';
import { createFaultyDisk, diskFaults, type DiskFault } from '../testing/faulty-disk.ts';
import type { JournalDisk } from './disk.ts';
import { openJournal, type Journal } from './journal.ts';

const boot = '0a1b2c3d-0000-4000-8000-000000000001';
const log = createLogger('test', 'silent');
const earlier = 12;
const fresh = 16;
const graceMs = 250;

let folder: string;
let counting: ReturnType<typeof createFaultyDisk>;

const open = (time: VirtualClock, place: string, disk?: JournalDisk): Promise<Journal> =>
  openJournal({
    folder: place,
    capBytes: 1e9,
    segmentBytes: 900,
    clock: createWallClock(() => ({ boot, mono: 1e6, wall: 1.8e12, synced: true })),
    time,
    log,
    context: { boot, map: { id: 'demo', rev: 1 }, channels: ['bean_temp'] },
    state: () => undefined,
    diskGraceMs: graceMs,
    syncMs: 600,
    ...(disk ? { disk } : {}),
  });

/** A server: receives the sendable entries, under their stream and number, and acknowledges them. */
const createServer = () => {
  const taken = new Map<string, string>();
  const samples = new Map<number, Set<string>>();
  const gaps: { epoch: string; from: number; to: number; reason: string }[] = [];
  const conflicts: string[] = [];
  const take = async (journal: Journal): Promise<void> => {
    for (const epoch of journal.epochs()) {
      for (const [from, to] of journal.waiting(epoch)) {
        for (let at = from; at <= to;) {
          const part = await journal.readPart(at, to, epoch).catch(() => undefined);
          if (!part) break;
          for (const entry of part.entries) {
            const key = `${epoch}/${entry.seq}`;
            const content = JSON.stringify(entry.kind === 'sample' ? entry.values : entry.event);
            if ((taken.get(key) ?? content) !== content) conflicts.push(key);
            taken.set(key, content);
            if (entry.kind === 'sample') {
              const value = entry.values[0] ?? -1;
              samples.set(value, (samples.get(value) ?? new Set()).add(key));
            } else if (entry.event.type === 'gap') {
              const { from_seq: low, to_seq: high, reason } = entry.event;
              gaps.push({ epoch, from: low, to: high, reason });
            }
          }
          if (part.entries.length > 0)
            journal.hear({ v: 1, epoch, ranges: [[part.entries[0]?.seq ?? 0, part.entries.at(-1)?.seq ?? 0]] });
          at = part.to + 1;
        }
      }
    }
  };
  return { take, samples, gaps, conflicts, taken };
};

const append = async (journal: Journal, server: ReturnType<typeof createServer>): Promise<void> => {
  for (let count = 0; count < fresh; count++) {
    journal.appendSample(1000 * count, [100 + count]);
    if (count % 2 === 0) await journal.flush();
    if (count % 4 === 0) await server.take(journal);
  }
};

beforeAll(async () => {
  folder = await mkdtemp(join(memoryFolder ?? tmpdir(), 'disk-faults-'));
  const place = join(folder, 'before');
  const time = createVirtualClock();
  const journal = await open(time, place);
  for (let seq = 0; seq < earlier; seq++) {
    journal.appendSample(1000 * seq, [seq]);
    if (seq % 3 === 0) await journal.flush();
  }
  await journal.flush();
  await time.run(journal.close());
  // The number of calls that a start and some readings make on a working disk.
  counting = createFaultyDisk(undefined);
  cpSync(place, join(folder, 'counted'), { recursive: true });
  const counted = await open(time, join(folder, 'counted'), counting.disk);
  await append(counted, createServer());
  await time.run(counted.close());
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const values = [...Array(earlier).keys(), ...Array.from({ length: fresh }, (_, count) => 100 + count)];

/** The errors of a journal whose disk fails in this way; none if it works. */
const tryFault = async (fault: DiskFault, name: string): Promise<Record<string, unknown>> => {
  const place = join(folder, name);
  // A thousand copies: each request to another thread would cost more than the copy.
  cpSync(join(folder, 'before'), place, { recursive: true });
  const time = createVirtualClock();
  const faulty = createFaultyDisk(fault, time);
  const server = createServer();
  const isForEver = fault.calls === undefined && fault.ms === undefined;
  const journal = await time.run(open(time, place, faulty.disk));
  await time.run(append(journal, server));
  // Online, with the disk failing or not: current readings arrive. Readings that were safe on a disk that can no longer
  // be read arrive after a restart: at most those of two segments.
  const isDead = isForEver && fault.kind === 'EIO';
  const missingNow = (): number => values.slice(earlier).filter((value) => !server.samples.has(value)).length;
  const recovered = (): boolean => isForEver || journal.stats().trouble === undefined;
  for (const until = time.monotonic() + (isDead ? 1000 : 15_000); time.monotonic() < until; await time.advance(100)) {
    await time.run(server.take(journal));
    if (missingNow() === 0 && recovered()) break;
  }
  const live = {
    arrived: missingNow() <= (isDead ? 6 : 0),
    recovered: recovered(),
    saysTrouble: !isForEver || faulty.failed() === 0 || journal.stats().trouble !== undefined,
  };
  await time.run(journal.close());
  faulty.mend();
  const again = await time.run(open(time, place));
  for (let round = 0; round < 3; round++) {
    await server.take(again);
    await again.flush();
  }
  await time.run(again.close());
  rmSync(place, { recursive: true, force: true });
  const said = (key: string, reason?: string): boolean => {
    const [epoch, seq] = key.split('/');
    return server.gaps.some(
      (gap) =>
        gap.epoch === epoch &&
        gap.from <= Number(seq) &&
        gap.to >= Number(seq) &&
        (reason === undefined || gap.reason === reason),
    );
  };
  const [firstEpoch = ''] = [...server.taken.keys()].map((key) => key.split('/')[0]);
  const missing = values.filter((value) => !server.samples.has(value));
  // Only a full disk may lose undelivered readings, and the stream reports it.
  const named = missing.filter(
    (value) =>
      fault.kind === 'ENOSPC' &&
      server.gaps.some((gap) => gap.reason === 'disk_full' && gap.from <= value && gap.to >= value),
  );
  return {
    ...live,
    firstEpoch: firstEpoch !== '',
    lost: missing.filter((value) => !named.includes(value)),
    // A file that could neither be synced nor truncated leaves its entries to a later start.
    double:
      isForEver && fault.kind === 'EIO'
        ? []
        : [...server.samples].filter(([, keys]) => keys.size > 1).map(([value]) => value),
    conflicts: server.conflicts,
    // Readings in flight when their room is freed may still arrive.
    saidAndThere: fault.kind === 'ENOSPC' ? [] : [...server.taken.keys()].filter((key) => said(key)),
    wrongReason: server.gaps.filter(({ reason }) => fault.kind !== 'ENOSPC' && reason !== 'damaged'),
  };
};
const good = {
  arrived: true,
  recovered: true,
  saysTrouble: true,
  firstEpoch: true,
  lost: [],
  double: [],
  conflicts: [],
  saidAndThere: [],
  wrongReason: [],
};

const spans = [
  ['one call', { calls: 1 }],
  ['longer than a disk may stall', { ms: 3 * graceMs }],
  ['ever', {}],
] as const;

describe('journal: any error of any disk call', () => {
  it.for(diskFaults.flatMap((kind) => spans.map(([span, how]) => ({ kind, span, how }))))(
    '$kind for $span: continues recording, loses nothing, reports it',
    async ({ kind, how }) => {
      const wrong: unknown[] = [];
      const hit = counting.callsHitBy(kind);
      // A failed call is most likely: all of them. Of those from which a disk fails for longer, every other one.
      const step = how === spans[0][1] ? 1 : 2;
      for (const at of hit.filter((_, place) => place % step === 0)) {
        const fault = { kind, fromCall: at, ...how };
        const report = await tryFault(fault, `${kind}-${at}`).catch((error: unknown) => String(error));
        if (JSON.stringify(report) !== JSON.stringify(good)) wrong.push({ at, report });
      }
      expect(counting.calls()).toBeGreaterThan(50);
      expect(hit.length).toBeGreaterThan(10);
      expect(wrong.length, JSON.stringify(wrong.slice(0, 4))).toBe(0);
    },
  );
});
