import { randomBytes } from 'node:crypto';
import { entryCount, type JournalBatch } from '@roastery/contract/mqtt';
import { createJournalBoard } from '@roastery/testing/journal-board';
import { describe, expect, it } from 'vitest';
import { isCollision } from '../db/postgres-errors.ts';
import type { Database } from '../db/sql.ts';
import { readSamples } from '../recordings/read-samples.ts';
import { messageOf, openMigratedDatabase, registerMachine, roastOn } from '../testing/ingest-fixture.ts';
import { commitMessages } from './store-batch.ts';
import type { Acknowledgement } from '../recordings/recordings.ts';
import type { JournalMessage } from '../recordings/recordings.ts';
import { type SeqRanges, withRange } from '../db/seq-ranges.ts';

const serial = 'CONT-1';
const roastId = '0190a8c0-0000-7000-8000-000000000007';
const newEpoch = (): string => randomBytes(8).toString('hex');

/** The roast of `roastOn` by a board that switched to another stream twice during it. */
const splitJournal = (isChange = (_: JournalBatch, index: number): boolean => index === 18 || index === 24) => {
  const board = createJournalBoard();
  roastOn(board, roastId);
  const whole = board.batches();
  const changes = whole.flatMap((batch, index) => (isChange(batch, index) ? [batch.seq] : []));
  const epochs = [board.epoch, ...changes.map(newEpoch)];
  const streams = epochs.map((epoch, index) => {
    const [from, to] = [changes[index - 1] ?? 0, changes[index] ?? Infinity];
    const continues = index === 0 ? undefined : { epoch: board.epoch, seq: from };
    return whole
      .filter(({ seq }) => seq >= from && seq < to)
      .map((batch): JournalBatch => ({ ...batch, epoch, ...(continues ? { continues } : {}) }));
  });
  return { board, epochs, changes, streams, batches: streams.flat() };
};

const stored = async (sql: Database) => {
  const recordings = await sql<{ id: string }[]>`SELECT id FROM recordings ORDER BY id`;
  const samples = await Promise.all(
    recordings.map(({ id }) => readSamples(sql, { recordingId: id, fromSeq: 0, toSeq: 1e9 })),
  );
  const roasts = await sql`
    SELECT id, status, charge_mono_ms, drop_mono_ms, charge_seq, drop_seq, duration_seconds, charge_temp, drop_temp
    FROM roasts`;
  return { samples, roasts: [...roasts] };
};
const commitAll = async (sql: Database, batches: readonly JournalBatch[]): Promise<Acknowledgement[]> => {
  const all: Acknowledgement[] = [];
  for (const batch of batches) all.push(...(await commitMessages(sql, [messageOf(serial, batch)])).acknowledgements);
  return all;
};
const monosOf = (batch: JournalBatch): number[] => (batch.k === 'samples' ? batch.dt.map((dt) => batch.mono + dt) : []);
const entriesOf = (ranges: Acknowledgement['ranges'] = []): [number, number][] =>
  ranges.map(({ start, end }) => [start, end]);

describe('continuing streams', () => {
  it('stores a roast over three streams as one recording and one roast, in any order of arrival', async () => {
    const { board, epochs, changes, batches } = splitJournal();
    await using whole = await openMigratedDatabase();
    await registerMachine(whole.sql, serial);
    await commitAll(whole.sql, board.batches());
    const expected = await stored(whole.sql);
    expect(expected.roasts).toMatchObject([{ id: roastId, status: 'completed' }]);
    const orders = [batches, batches.toReversed(), [...batches, ...batches.toReversed()]];
    for (const order of orders) {
      await using database = await openMigratedDatabase();
      await registerMachine(database.sql, serial);
      const acknowledgements = await commitAll(database.sql, order);
      expect(await stored(database.sql)).toEqual(expected);
      // Each stream is acknowledged its own entries.
      const last = epochs.map((epoch) => acknowledgements.findLast((ack) => ack.epoch === epoch)?.ranges);
      expect(last.map(entriesOf)).toEqual([[[0, changes[0]]], [changes], [[changes[1], board.length]]]);
    }
  });

  it('stores a stream in its own recording when other entries hold its sequence numbers', async () => {
    const { board, changes, streams } = splitJournal();
    const [first = [], second = [], third = []] = streams;
    await using database = await openMigratedDatabase();
    const { sql } = database;
    await registerMachine(sql, serial);
    await commitAll(sql, [...first, ...second]);
    const other = third.map((batch) => ({ ...batch, continues: { epoch: board.epoch, seq: (changes[1] ?? 0) - 10 } }));
    await commitAll(sql, other);
    const { samples } = await stored(sql);
    expect(samples.map(({ seq }) => seq.length).reduce((a, b) => a + b)).toBe(720);
    expect(samples).toHaveLength(2);
  });

  it('loses no sample of a board that continued the first stream after a restart', async () => {
    const { board, changes, streams } = splitJournal();
    const taken = changes[0] ?? 0;
    await using database = await openMigratedDatabase();
    const { sql } = database;
    await registerMachine(sql, serial);
    await commitAll(sql, streams.slice(0, 2).flat());
    // The board lost its second stream before writing it to disk, so it uses the numbers from `taken` on again, with
    // other readings.
    const after = createJournalBoard({ epoch: board.epoch, boot: board.boot });
    for (let seq = 0; seq < taken + 60; seq++) after.sample(1e6 + seq * 1000, 20, 20, 0);
    const acknowledgements = await commitAll(
      sql,
      after.batches(() => 40, taken - 10),
    );
    expect(entriesOf(acknowledgements.at(-1)?.ranges)).toEqual([
      [0, taken],
      [taken, taken + 60],
    ]);
    const { samples } = await stored(sql);
    const own = samples.find(({ monoMs }) => (monoMs[0] ?? 0) >= 1e6);
    expect(own?.seq).toEqual(Array.from({ length: 60 }, (_, index) => taken + index));
  });

  it('stores the batches of a continued stream in concurrent transactions', async () => {
    const { board, changes, streams } = splitJournal();
    const taken = changes[0] ?? 0;
    await using database = await openMigratedDatabase();
    const { sql } = database;
    await registerMachine(sql, serial);
    await commitAll(sql, streams.slice(0, 2).flat());
    const after = createJournalBoard({ epoch: board.epoch, boot: board.boot });
    for (let seq = 0; seq < taken + 60; seq++) after.sample(1e6 + seq * 1000, 20, 20, 0);
    const messages = after.batches(() => 10, taken).map((batch) => messageOf(serial, batch));
    // Like the api's writer: retries transactions that collide.
    const commit = async (message: JournalMessage): Promise<unknown> =>
      commitMessages(sql, [message]).catch((error: unknown) =>
        isCollision(error) ? commit(message) : Promise.reject(error),
      );
    await Promise.all(messages.map(commit));
    const { samples } = await stored(sql);
    const own = samples.filter(({ monoMs }) => (monoMs[0] ?? 0) >= 1e6);
    expect(own.map(({ seq }) => seq.length)).toEqual([60]);
  });

  it('notes a gap in the recording that contains it, whichever stream reports it', async () => {
    const { board, changes, streams } = splitJournal();
    const [, second = []] = streams;
    const taken = changes[0] ?? 0;
    // A restart on a disk that still failed continued the first stream at numbers that the second one already uses.
    const numbers = { from: taken + 20, length: 40 };
    const last = createJournalBoard({ epoch: newEpoch(), boot: board.boot });
    for (let seq = 0; seq < numbers.from + numbers.length; seq++) last.sample(2e6 + seq * 1000, 20, 20, 0);
    const hole = { from: taken - 45, to: taken - 26 };
    last.event(3e6, { type: 'gap', from_seq: hole.from, to_seq: hole.to, reason: 'damaged' });
    last.event(3e6, { type: 'start', agent_version: '1.0.0' });
    const continues = { epoch: board.epoch, seq: numbers.from };
    const third = last.batches(() => 20, numbers.from).map((batch): JournalBatch => ({ ...batch, continues }));
    // The same for a stream that continues under its own numbers, some of which the second stream uses.
    const again = createJournalBoard({ epoch: board.epoch, boot: board.boot });
    for (let seq = 0; seq < taken + 60; seq++) again.sample(1e6 + seq * 1000, 20, 20, 0);
    again.event(2e6, { type: 'gap', from_seq: hole.from, to_seq: hole.to, reason: 'damaged' });
    const diverted = again.batches(() => 20, taken);

    for (const reporting of [third, diverted]) {
      await using database = await openMigratedDatabase();
      const { sql } = database;
      await registerMachine(sql, serial);
      const begun = board.batches(() => 1).filter(({ seq }) => seq < hole.from || (seq > hole.to && seq < taken));
      await commitAll(sql, [...begun, ...second, ...reporting]);
      await commitAll(sql, reporting);
      const [roast] = await sql<{ recording_id: string }[]>`SELECT recording_id FROM roasts WHERE id = ${roastId}`;
      const notes = await sql`
        SELECT recording_id, from_seq, to_seq, reason FROM recording_notes WHERE kind = 'gap'`;
      expect([...notes]).toEqual([
        { recording_id: roast?.recording_id, from_seq: hole.from, to_seq: hole.to, reason: 'damaged' },
      ]);
      expect(await sql`SELECT id FROM recordings`).toHaveLength(2);
    }
  });

  it('stores entries once that arrive from memory and again from the failed disk, and those that differ', async () => {
    // The second stream begins with the marks of the charge.
    const { board, changes, streams, epochs } = splitJournal(({ k }, index) => k === 'events' && index < 5);
    const [first = [], second = []] = streams;
    const taken = changes[0] ?? 0;
    // Some seconds were written but not synced: the start after a kill reads them under the epoch of the first stream.
    const found = board.batches(() => 3).filter(({ seq }) => seq >= taken && seq < taken + 6);
    expect(found.map(({ k }) => k)).toEqual(['events', 'samples', 'samples']);
    const leftOver = found.at(-1);
    const foundEnd = leftOver === undefined ? 0 : leftOver.seq + entryCount(leftOver);
    // Then that stream continues under numbers that were used in memory.
    const again = createJournalBoard({ epoch: board.epoch, boot: board.boot });
    for (let seq = 0; seq < foundEnd + 30; seq++) again.sample(4e6 + seq * 1000, 20, 20, 0);
    const after = again.batches(() => 10, foundEnd);
    const orders = [
      [[...first, ...second], found, after],
      [[...first, ...second], found.toReversed(), found, after],
      [first, [...second, ...found, ...after]],
      [first, second, [...after, ...found]],
      [first, found, second, after],
    ];
    for (const order of orders) {
      await using database = await openMigratedDatabase();
      const { sql } = database;
      await registerMachine(sql, serial);
      const acknowledged: Acknowledgement[] = [];
      for (const batches of order) {
        const messages = batches.map((batch) => messageOf(serial, batch));
        acknowledged.push(...(await commitMessages(sql, messages)).acknowledgements);
      }
      const { samples } = await stored(sql);
      const monoMs = samples.flatMap((each) => each.monoMs);
      expect(new Set(monoMs).size).toBe(monoMs.length);
      const sent = new Set([...first, ...second, ...after].flatMap(monosOf));
      expect(new Set(monoMs)).toEqual(sent);
      const ofFirst = acknowledged.findLast(({ epoch }) => epoch === epochs[0]);
      expect(entriesOf(ofFirst?.ranges.reduce<SeqRanges>(withRange, []))).toEqual([[0, foundEnd + 30]]);
      expect(await sql`SELECT id FROM quarantine`).toHaveLength(0);
    }
  });
});
