import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '@roastery/api/db/sql';
import { commitMessages } from '@roastery/api/ingest/store-batch';
import { messageOf, openMigratedDatabase, registerMachine } from '@roastery/api/testing/ingest-fixture';
import { cutBatch } from '@roastery/device-agent/core/batch';
import { createWallClock } from '@roastery/device-agent/core/wall-clock';
import { RangeSet } from '@roastery/device-agent/core/ranges';
import type { JournalDisk } from '@roastery/device-agent/journal/disk';
import { openJournal, type Journal } from '@roastery/device-agent/journal/journal';
import { createFaultyDisk, diskFaults, type DiskFault } from '@roastery/device-agent/testing/faulty-disk';
import type { JournalBatch } from '@roastery/contract/mqtt';
import { createLogger } from '@roastery/runtime/logger';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { volume } from './endurance/volume.ts';
import { memoryFolder } from './shared-data.ts';

const boot = '0a1b2c3d-0000-4000-8000-000000000001';
const owner = 'a'.repeat(16);
const log = createLogger('test', 'silent');
const clock = createWallClock(() => ({ boot, mono: 1e6, wall: 1.8e12, synced: true }));
const graceMs = 60;
const earlier = 6;
const readings = 16;
const atOnce = 24;

let folder: string;
let database: Awaited<ReturnType<typeof openMigratedDatabase>>;
beforeAll(async () => {
  folder = await mkdtemp(join(memoryFolder ?? tmpdir(), 'disk-fault-once-'));
  database = await openMigratedDatabase();
});
afterAll(async () => {
  await Promise.all(ending);
  await database[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
});

const open = async (place: string, mono: number, disk?: JournalDisk): Promise<Journal> => {
  const journal = await openJournal({
    folder: place,
    capBytes: 1e9,
    segmentBytes: 1200,
    clock: createWallClock(() => ({ boot, mono, wall: 1.8e12, synced: true })),
    log,
    context: { boot, map: { id: 'demo', rev: 1 }, channels: ['bean_temp'] },
    state: () => undefined,
    diskGraceMs: graceMs,
    syncMs: 600,
    ...(disk ? { disk } : {}),
  });
  journal.hear({ v: 1, epoch: journal.epoch, ranges: [], through: 0, owner });
  return journal;
};

/** Sends the sendable entries of a journal, and applies the server's acknowledgements. Adds the readings to `sent`. */
const ship = async (sql: Database, serial: string, journal: Journal, sent: Set<number | null>): Promise<void> => {
  const batches: JournalBatch[] = [];
  for (const epoch of journal.epochs()) {
    for (const [from, to] of journal.waiting(epoch)) {
      for (let at = from; at <= to;) {
        const part = await journal.readPart(at, to, epoch).catch(() => undefined);
        if (!part) break;
        let { entries } = part;
        for (let cut = cutBatch(entries, epoch, clock, journal.continues(epoch)); cut !== undefined;) {
          batches.push(cut.batch);
          entries = entries.filter(({ seq }) => seq > (cut?.to ?? Infinity));
          cut = cutBatch(entries, epoch, clock, journal.continues(epoch));
        }
        at = part.to + 1;
      }
    }
  }
  if (batches.length === 0) return;
  for (const batch of batches) if (batch.k === 'samples') for (const value of batch.s[0] ?? []) sent.add(value);
  const { acknowledgements } = await commitMessages(
    sql,
    batches.map((batch) => messageOf(serial, batch)),
  );
  for (const { epoch, ranges } of acknowledgements)
    journal.hear({ v: 1, epoch, ranges: ranges.map(({ start, end }) => [start, end - 1]) });
};

/** How often the server has each reading, and which of its gaps contain it. */
const storedReadings = async (sql: Database, machineId: string) => {
  const rows = await sql<{ recording_id: string; seq: number; value: number }[]>`
    SELECT c.recording_id, c.first_seq + s.place - 1 AS seq, s.value::float8 AS value
    FROM recordings r JOIN recording_chunks c ON c.recording_id = r.id, unnest(c.values) WITH ORDINALITY AS s (value, place)
    WHERE r.machine_id = ${machineId}`;
  const gaps = await sql<{ recording_id: string; from_seq: number; to_seq: number }[]>`
    SELECT n.recording_id, n.from_seq, n.to_seq FROM recording_notes n JOIN recordings r ON r.id = n.recording_id
    WHERE r.machine_id = ${machineId} AND n.kind = 'gap'`;
  const times = new Map<number, number>();
  for (const { value } of rows) times.set(value, (times.get(value) ?? 0) + 1);
  const named = (recording: string, seq: number): boolean =>
    gaps.some((gap) => gap.recording_id === recording && gap.from_seq <= seq && seq <= gap.to_seq);
  return {
    times,
    isNamed: (seq: number): boolean => gaps.some((gap) => gap.from_seq <= seq && seq <= gap.to_seq),
    both: rows.filter(({ recording_id, seq }) => named(recording_id, seq)).map(({ value }) => value),
  };
};

interface Case {
  readonly fault: DiskFault;
  readonly isRoasting: boolean;
  /** Readings between two that are synced. */
  readonly syncEvery: number;
}

/** Journals of killed processes. */
const ending: Promise<void>[] = [];

/** The errors in the readings of a board whose disk fails, is killed and starts again with a working disk. */
const tryFault = async (name: string, { fault, isRoasting, syncEvery }: Case): Promise<string[]> => {
  const { sql } = database;
  const place = join(folder, name);
  const { id } = await registerMachine(sql, name);
  /** The number of each reading in the journal. */
  const seqs = new Map<number, number>();
  const sent = new Set<number | null>();
  const sample = (journal: Journal, mono: number, value: number): void =>
    void seqs.set(value, journal.appendSample(mono, [value]));
  const faulty = createFaultyDisk(fault);
  const before = await open(place, 1e6);
  for (let value = 1; value <= earlier; value++) sample(before, 1e6 + 1000 * value, value);
  await before.flush();
  await before.close();
  const journal = await open(place, 1e6 + 10_000, faulty.disk);
  /** Numbers that are lost, and those that are safe on the disk. */
  const settled = new RangeSet();
  journal.listen({
    durable(ranges) {
      if (!journal.stats().inMemory) for (const [from, to] of ranges) settled.add(from, to);
    },
    gone: (from, to) => settled.add(from, to),
  });
  const roastId = `0190a8c0-0000-7000-8000-${String(fault.fromCall).padStart(12, '0')}`;
  if (isRoasting) journal.appendEvent(1e6 + 10_000, { type: 'roast', roast_id: roastId, state: 'in_progress' });
  for (let count = 0; count < readings; count++) {
    sample(journal, 1e6 + 11_000 + 1000 * count, 100 + count);
    if (count % syncEvery === 0) await journal.flush();
    if (count % 4 === 0) await ship(sql, name, journal, sent);
  }
  // All readings are at the server before the kill, except unsynced ones of the slow pace: those stay in the file of
  // an earlier stream.
  const isSettled = (value: number, seq: number): boolean => {
    if (value < 100 || sent.has(value) || settled.has(seq)) return true;
    const isOffered = journal.epochs().some((epoch) => new RangeSet(journal.waiting(epoch)).has(seq));
    return !isOffered && seq < (journal.continues(journal.epoch)?.seq ?? 0);
  };
  const until = performance.now() + 60_000;
  while (![...seqs].every(([value, seq]) => isSettled(value, seq)) && performance.now() < until) {
    await journal.flush();
    await ship(sql, name, journal, sent);
    await sleep(10);
  }
  await faulty.kill();
  // It waits for a disk that does not respond from now on.
  ending.push(journal.close());
  const again = await open(place, 1e6 + 90_000);
  for (let value = 200; value < 205; value++) sample(again, 1e6 + 90_000 + 1000 * value, value);
  // On a busy computer this disk may also count as failed for a moment, and its readings are sent from memory.
  const isSent = (): boolean => [200, 201, 202, 203, 204].every((value) => sent.has(value));
  const sentUntil = performance.now() + 60_000;
  for (let round = 0; round < 3 || (!isSent() && performance.now() < sentUntil); round++) {
    await again.flush();
    await ship(sql, name, again, sent);
    if (round > 2) await sleep(10);
  }
  await again.close();
  const { times, isNamed, both } = await storedReadings(sql, id);
  const wrong = [...seqs].flatMap(([value, seq]) => {
    const count = times.get(value) ?? 0;
    if (count > 1) return [`reading ${value} (seq ${seq}) stored ${count} times`];
    return count === 0 && !isNamed(seq) ? [`reading ${value} (seq ${seq}) lost`] : [];
  });
  await rm(place, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  return [...wrong, ...both.map((value) => `reading ${value} stored and in a gap`)];
};

/** The number of calls that the readings make on a working disk. */
const countCalls = async (): Promise<number> => {
  const counting = createFaultyDisk(undefined);
  const journal = await open(join(folder, 'counted'), 1e6, counting.disk);
  for (let count = 0; count < readings; count++) {
    journal.appendSample(1e6 + 1000 * count, [count]);
    if (count % 2 === 0) await journal.flush();
  }
  const calls = counting.calls();
  await journal.close();
  return calls;
};

const settings = [
  { name: 'in a roast', isRoasting: true, syncEvery: 2 },
  { name: 'in a roast, rarely synced', isRoasting: true, syncEvery: 9 },
  { name: 'between roasts', isRoasting: false, syncEvery: 2 },
] as const;

describe('a disk that fails at any call, and a kill', () => {
  it.for(diskFaults.flatMap((kind) => settings.map((setting) => ({ kind, ...setting }))))(
    '$kind $name: the server stores each reading once, or names it in a gap',
    { timeout: 600_000 },
    async ({ kind, name, isRoasting, syncEvery }) => {
      const calls = await countCalls();
      expect(calls).toBeGreaterThan(30);
      const wrong: unknown[] = [];
      let next = 0;
      const takeNext = (): number => {
        const taken = next;
        next += volume(1, 9);
        return taken;
      };
      const worker = async (): Promise<void> => {
        for (let fromCall = takeNext(); fromCall < calls; fromCall = takeNext()) {
          const found = await tryFault(`${kind}-${name}-${fromCall}`.replaceAll(/[ ,]+/g, '-'), {
            fault: { kind, fromCall },
            isRoasting,
            syncEvery,
          });
          if (found.length > 0) wrong.push({ fromCall, found });
        }
      };
      await Promise.all(Array.from({ length: atOnce }, worker));
      expect(wrong, JSON.stringify(wrong.slice(0, 6))).toEqual([]);
    },
  );
});
