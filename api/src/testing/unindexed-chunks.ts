import type { JournalBatch } from '@roastery/contract/mqtt';
import { createRandom, type Random } from '@roastery/simulator/model/random';
import { createJournalBoard } from '@roastery/testing/journal-board';
import { expect } from 'vitest';
import type { Database, Sql } from '../db/sql.ts';
import { commitMessages } from '../ingest/store-batch.ts';
import { readBoots } from '../recordings/boot-spans.ts';
import { findPlace } from '../recordings/find-place.ts';
import { readSteps } from '../recordings/read-steps.ts';
import { sealStreams } from '../recordings/seal-chunks.ts';
import { messageOf, openMigratedDatabase, registerMachine } from './ingest-fixture.ts';

const serial = 'TIMES-1';
const begunMs = Date.UTC(2026, 0, 5, 6);
const samplesEach = 1400;

/**
 * The batches of a stream of several boots, with their times of arrival: at 1 Hz, in batches of one to six samples, sometimes of
 * more, with pauses, events, and steps of the board's clock. Some batches never arrive and some late.
 */
const journalOf = (random: Random, startMs: number, boots: number): { batch: JournalBatch; receivedAtMs: number }[] => {
  const epoch = `${Math.floor(random.next() * 1e12)}`.padStart(16, '0');
  const size = () => Math.floor(random.chance(0.03) ? random.between(20, 120) : random.between(1, 7));
  const sent: { batch: JournalBatch; receivedAtMs: number; orderMs: number }[] = [];
  let bootedMs = startMs;
  let length = 0;
  for (let boot = 0; boot < boots; boot++) {
    const board = createJournalBoard({ epoch, boot: `b0070000-${boot}`, wallOffsetMs: bootedMs });
    // Sequence numbers continue those of the boots before.
    for (let n = 0; n < length; n++) board.sample(0, null, null, null);
    const lasts = boot % 2 === 1 ? Math.floor(random.between(1, 60)) : samplesEach;
    let mono = 5000;
    for (let n = 0; n < lasts; n++) {
      board.sample(mono, 90 + Math.floor(random.between(0, 1000)) / 10, 180, 70);
      if (random.chance(0.01)) board.event(mono, { type: 'start', agent_version: '1.0.0' });
      mono += random.chance(0.005) ? Math.floor(random.between(10_000, 200_000)) : 1000;
    }
    let stepMs = 0;
    for (const batch of board.batches(size, length)) {
      if (random.chance(0.002)) stepMs = Math.floor(random.between(-300_000, 300_000));
      const receivedAtMs = bootedMs + batch.mono + 100_000;
      const orderMs = receivedAtMs + (random.chance(0.01) ? random.between(0, 1_500_000) : 0);
      if (!random.chance(0.01)) sent.push({ batch: { ...batch, t: batch.t + stepMs }, receivedAtMs, orderMs });
    }
    length = board.length;
    bootedMs += mono + Math.floor(random.between(0, 600_000));
  }
  return sent.toSorted((a, b) => a.orderMs - b.orderMs);
};

/** What the three statements that search by time find, at the same places for the same seed. */
const foundIn = async (sql: Sql, machineId: string, random: Random) => {
  const boots = await readBoots(sql, machineId);
  const [first, last] = [boots[0]?.from_ms ?? 0, Math.max(...boots.map((boot) => boot.to_ms))];
  const spans = [
    { fromMs: first, toMs: last },
    { fromMs: last - 1_800_000, toMs: last },
    ...Array.from({ length: 6 }, () => {
      const fromMs = Math.floor(random.between(first - 600_000, last));
      return { fromMs, toMs: fromMs + Math.floor(random.between(60_000, 3_600_000)) };
    }),
  ];
  const steps = [];
  for (const span of spans) steps.push(await readSteps(sql, boots, span, Math.floor(random.between(20, 800))));
  const ids = [...new Set(boots.map((boot) => boot.recording_id))];
  const places = [];
  for (let n = 0; n < 60; n++) {
    const place = await findPlace(sql, ids, Math.floor(random.between(first - 100_000, last + 100_000)));
    places.push(place && { ...place, stored_ago_ms: 0 });
  }
  return { boots: boots.map(({ has_unindexed: _unindexed, ...boot }) => boot), steps, places };
};

export const countUnindexed = async (sql: Database) => {
  const [row] = await sql<{ all: number; sealed: number }[]>`
    SELECT count(*) AS "all", count(*) FILTER (WHERE first_seq < sealed_seq) AS sealed
    FROM recording_chunks c JOIN recordings r ON r.id = c.recording_id WHERE NOT in_time_index`;
  return { all: row?.all ?? 0, sealed: row?.sealed ?? 0 };
};

/** Compares with an index that has every chunk. */
export const expectSameWithAllIndexed = async (sql: Database, machineId: string, seed: number) => {
  const found = await foundIn(sql, machineId, createRandom(seed));
  const rolledBack = new Error('rolled back');
  const compared = sql.begin(async (tx) => {
    await tx`UPDATE recording_chunks SET in_time_index = true`;
    expect(found).toEqual(await foundIn(tx, machineId, createRandom(seed)));
    throw rolledBack;
  });
  await expect(compared).rejects.toBe(rolledBack);
  return found;
};

/**
 * Stores a random journal and compares on the way, before and after sealing. Returns how many of the searched places were
 * found, the same with and without an index of all chunks.
 */
export const placesFoundAlike = async (seed: number): Promise<number> => {
  await using database = await openMigratedDatabase();
  const { sql } = database;
  const random = createRandom(seed);
  const { id } = await registerMachine(sql, serial);
  // A new journal the day after.
  const journal = [...journalOf(random, begunMs, 3), ...journalOf(random, begunMs + 86_400_000, 2)];
  let mostUnindexed = 0;
  let placesFound = 0;
  for (const [n, { batch, receivedAtMs }] of journal.entries()) {
    await commitMessages(sql, [messageOf(serial, batch, receivedAtMs)]);
    if (n % 200 !== 199) continue;
    if (random.chance(0.7)) await sealStreams(sql);
    if (random.chance(0.3))
      await sql`DELETE FROM recording_chunks WHERE first_seq % 53 = ${Math.floor(random.between(0, 53))}`;
    const unindexed = await countUnindexed(sql);
    expect(unindexed.sealed).toBe(0);
    mostUnindexed = Math.max(mostUnindexed, unindexed.all);
    const { places } = await expectSameWithAllIndexed(sql, id, seed + n);
    placesFound += places.filter((place) => place !== undefined).length;
  }
  expect(mostUnindexed).toBeGreaterThan(200);
  const sealed = await sql`SELECT FROM recordings WHERE sealed_seq > 0`;
  expect(sealed.length).toBeGreaterThan(0);
  return placesFound;
};
