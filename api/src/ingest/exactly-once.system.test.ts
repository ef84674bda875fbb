import { createHash, randomUUID } from 'node:crypto';
import type { JournalBatch } from '@roastery/contract/mqtt';
import { createJournalBoard } from '@roastery/testing/journal-board';
import { describe, expect, it } from 'vitest';
import { openDatabase, type Database } from '../db/sql.ts';
import { readSamples } from '../recordings/read-samples.ts';
import { messageOf, openMigratedDatabase, registerMachine, roastOn, silentLog } from '../testing/ingest-fixture.ts';
import { commitMessages } from './store-batch.ts';
import type { Committed } from './commit.ts';
import type { JournalMessage } from '../recordings/recordings.ts';
import { fromNow } from '../testing/present.ts';

const roastId = '0190a8c0-0000-7000-8000-000000000001';

const stored = async (sql: Database) => {
  const [recording] = await sql<
    { id: string; committed: string }[]
  >`SELECT id, committed_now(recordings)::text AS committed FROM recordings`;
  if (recording === undefined) throw new Error('nothing was recorded');
  const samples = await readSamples(sql, { recordingId: recording.id, fromSeq: 0, toSeq: 1e9 });
  const curve = JSON.stringify([samples.seq, samples.monoMs, [...samples.channels]]);
  const [roast] = await sql`
    SELECT id, status, charge_mono_ms, drop_mono_ms, charge_seq, drop_seq, duration_seconds, charge_temp, drop_temp,
           first_crack_time, first_crack_temp, development_time_seconds, development_time_ratio
    FROM roasts`;
  return {
    hash: createHash('sha256').update(curve).digest('hex'),
    samples,
    committed: recording.committed,
    roast,
    recordings: await sql`SELECT count(*) AS n FROM recordings`.then(([row]) => row?.['n'] as number),
  };
};

const shuffled = <T>(items: readonly T[], random: () => number): T[] => {
  const copy = [...items];
  for (let last = copy.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [copy[last], copy[other]] = [copy[other] as T, copy[last] as T];
  }
  return copy;
};

/** Small and fast, seeded: a failure can be repeated. */
const seeded = (seed: number) => () => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return seed / 2 ** 32;
};

const ingest = async (
  sql: Database,
  messages: readonly JournalMessage[],
  random: () => number,
): Promise<Committed[]> => {
  const answers: Committed[] = [];
  let from = 0;
  while (from < messages.length) {
    const to = from + 1 + Math.floor(random() * 12);
    answers.push(await commitMessages(sql, messages.slice(from, to)));
    from = to;
  }
  return answers;
};

describe('commit: exactly once', () => {
  const epoch = '00112233445566aa';
  const boot = randomUUID();
  const wallOffsetMs = fromNow(-3_600_000);

  const inOrder = async () => {
    await using database = await openMigratedDatabase();
    await registerMachine(database.sql, 'RM15-1');
    const board = createJournalBoard({ epoch, boot, wallOffsetMs });
    roastOn(board, roastId);
    await ingest(
      database.sql,
      board.batches().map((batch) => messageOf('RM15-1', batch)),
      () => 0,
    );
    return { board, result: await stored(database.sql) };
  };
  type InOrder = ReturnType<typeof inOrder>;
  let once: InOrder | undefined;
  /** The same for all tests: they only compare with it. */
  const inOrderOnce = (): InOrder => (once ??= inOrder());

  it('stores every sample with its time and values, and the roast with its window', async () => {
    const { board, result } = await inOrderOnce();
    const sent = board.entries().flatMap((entry, seq) => (entry.kind === 'sample' ? [{ seq, ...entry }] : []));
    expect(result.samples.seq).toEqual(sent.map((entry) => entry.seq));
    expect(result.samples.monoMs).toEqual(sent.map((entry) => entry.mono));
    expect(result.samples.channels.get('bean_temp')).toEqual(sent.map((entry) => entry.values[0]));
    expect(result.samples.channels.get('heat_power')).toEqual(sent.map((entry) => entry.values[2]));
    expect(result.committed).toBe(`{[0,${board.length})}`);
    expect(result.roast).toMatchObject({
      status: 'completed',
      charge_mono_ms: 65_000,
      duration_seconds: 603,
      charge_temp: 99.6,
      drop_temp: 196.1,
      first_crack_time: 481,
      development_time_seconds: 122,
    });
  });

  it.each([1, 2, 3])(
    'gives the same curve and roast when batches are shuffled, repeated three times and split differently (%i)',
    async (seed) => {
      const { result: expected } = await inOrderOnce();
      const random = seeded(seed);
      await using database = await openMigratedDatabase();
      await registerMachine(database.sql, 'RM15-1');
      const board = createJournalBoard({ epoch, boot, wallOffsetMs });
      roastOn(board, roastId);
      const cuts = [20, 7, 33].flatMap((size) => board.batches(() => 1 + Math.floor(random() * size)));
      const batches = shuffled([...cuts, ...cuts, ...cuts], random);
      const answers = await ingest(
        database.sql,
        batches.map((batch) => messageOf('RM15-1', batch)),
        random,
      );
      const result = await stored(database.sql);
      expect(result.hash).toBe(expected.hash);
      expect(result.roast).toEqual(expected.roast);
      expect(result.committed).toBe(expected.committed);
      const sum = (count: (answer: Committed) => number) => answers.reduce((total, answer) => total + count(answer), 0);
      expect({ samples: sum((answer) => answer.samples), conflicts: sum((answer) => answer.conflicts) }).toEqual({
        samples: 720,
        conflicts: 0,
      });
    },
  );

  it('stores each entry once when two instances receive all messages', async () => {
    const { result: expected } = await inOrderOnce();
    await using database = await openMigratedDatabase();
    const other = openDatabase({ url: database.url, log: silentLog });
    await registerMachine(database.sql, 'RM15-1');
    const board = createJournalBoard({ epoch, boot, wallOffsetMs });
    roastOn(board, roastId);
    const of = (seed: number) => {
      const random = seeded(seed);
      const batches = shuffled(
        board.batches(() => 1 + Math.floor(random() * 15)),
        random,
      );
      return { random, messages: batches.map((batch) => messageOf('RM15-1', batch)) };
    };
    const [one, two] = [of(11), of(12)];
    await Promise.all([ingest(database.sql, one.messages, one.random), ingest(other, two.messages, two.random)]);
    await other.end();
    const result = await stored(database.sql);
    expect(result.hash).toBe(expected.hash);
    expect(result.roast).toEqual(expected.roast);
    expect(result.recordings).toBe(1);
  });

  it('stores each sample once when two instances receive a stream in order, sample by sample', async () => {
    await using database = await openMigratedDatabase();
    const other = openDatabase({ url: database.url, log: silentLog });
    await registerMachine(database.sql, 'RM15-1');
    const board = createJournalBoard({ epoch, boot, wallOffsetMs });
    for (let n = 0; n < 150; n++) board.sample(n * 1000, 100 + n, 150, 50);
    const messages = board.batches(() => 1).map((batch) => messageOf('RM15-1', batch));
    const commitAll = async (sql: Database): Promise<number> => {
      let samples = 0;
      for (const message of messages) samples += (await commitMessages(sql, [message])).samples;
      return samples;
    };
    const [one, two] = await Promise.all([commitAll(database.sql), commitAll(other)]);
    await other.end();
    const result = await stored(database.sql);
    expect(one + two).toBe(150);
    expect(result.samples.seq).toEqual(Array.from({ length: 150 }, (_, seq) => seq));
    expect(result.committed).toBe('{[0,150)}');
  });

  it('writes the recording’s row once a minute while samples continue it, and at once for everything else', async () => {
    await using database = await openMigratedDatabase();
    const { sql } = database;
    await registerMachine(sql, 'RM15-1');
    const board = createJournalBoard({ epoch, boot, wallOffsetMs });
    for (let n = 0; n < 40; n++) board.sample(n * 1000, 100 + n, 150, 50);
    board.event(40_000, { type: 'start', agent_version: '1.0.0' });
    const batches = board.batches(() => 10);
    const start = fromNow(0);
    const row = async () =>
      (await sql`SELECT committed::text AS written, committed_now(recordings)::text AS now FROM recordings`)[0];
    const commit = (index: number, afterMs: number) =>
      commitMessages(sql, [messageOf('RM15-1', batches[index] as JournalBatch, start + afterMs)]);
    await commit(0, 0);
    expect(await row()).toEqual({ written: '{[0,10)}', now: '{[0,10)}' });
    await commit(1, 1000);
    expect(await row()).toEqual({ written: '{[0,10)}', now: '{[0,20)}' });
    expect(await commit(1, 2000)).toMatchObject({
      samples: 0,
      acknowledgements: [{ ranges: [{ start: 0, end: 20 }] }],
    });
    await commit(2, 61_000);
    expect(await row()).toEqual({ written: '{[0,30)}', now: '{[0,30)}' });
    await commit(4, 62_000);
    expect(await row()).toEqual({ written: '{[0,30),[40,41)}', now: '{[0,30),[40,41)}' });
    await commit(3, 63_000);
    expect(await row()).toEqual({ written: '{[0,41)}', now: '{[0,41)}' });
  });
});

describe('commit: refusals', () => {
  it.each([
    { what: 'bean_temp', moved: { ms: 0, degrees: 895 } },
    { what: 'time', moved: { ms: 300, degrees: 0 } },
  ])('keeps the first content of a sequence number and reports a second one with another $what', async (other) => {
    const { what, moved } = other;
    await using database = await openMigratedDatabase();
    await registerMachine(database.sql, 'RM15-1');
    const first = createJournalBoard({ epoch: '00112233445566aa' });
    const second = createJournalBoard({ epoch: '00112233445566aa', boot: first.boot });
    for (let n = 0; n < 10; n++) {
      first.sample(n * 1000, 100 + n, 150, 50);
      const { ms, degrees } = n === 4 ? moved : { ms: 0, degrees: 0 };
      second.sample(n * 1000 + ms, 100 + n + degrees, 150, 50);
    }
    for (const batch of first.batches()) await commitMessages(database.sql, [messageOf('RM15-1', batch)]);
    const [batch] = second.batches();
    const answer = await commitMessages(database.sql, [messageOf('RM15-1', batch as JournalBatch)]);
    expect(answer).toMatchObject({ samples: 0, conflicts: 1 });
    expect(answer.acknowledgements[0]?.ranges).toEqual([{ start: 0, end: 10 }]);
    expect((await stored(database.sql)).samples.channels.get('bean_temp')?.[4]).toBe(104);
    const [row] = await database.sql`SELECT reason FROM quarantine`;
    expect(row?.['reason']).toBe(`sequence number claimed twice: seq 4 has another ${what}`);
  });

  it('quarantines an unreadable message with its reason and acknowledges the claimed entries, once', async () => {
    await using database = await openMigratedDatabase();
    await registerMachine(database.sql, 'RM15-1');
    const board = createJournalBoard();
    for (let n = 0; n < 5; n++) board.sample(n * 1000, 100, 150, 50);
    const [good] = board.batches();
    const bad = { ...(good as Extract<JournalBatch, { k: 'samples' }>), s: [[1, 2]] };
    const answer = await commitMessages(database.sql, [messageOf('RM15-1', bad)]);
    expect(answer.quarantined).toBe(1);
    expect(answer.acknowledgements).toMatchObject([{ epoch: board.epoch, ranges: [{ start: 0, end: 5 }] }]);
    const again = await commitMessages(database.sql, [messageOf('RM15-1', bad)]);
    expect(again.quarantined).toBe(0);
    expect(again.acknowledgements).toMatchObject([{ ranges: [{ start: 0, end: 5 }] }]);
    const rows = await database.sql`SELECT reason, serial_number, payload FROM quarantine`;
    expect(rows).toHaveLength(1);
    expect(rows[0]?.['reason']).toContain('s: s needs one column per channel in ch');
    expect(JSON.parse(String(rows[0]?.['payload']))).toEqual(JSON.parse(JSON.stringify(bad)));
  });

  it('quarantines and acknowledges batches of unknown and archived machines', async () => {
    await using database = await openMigratedDatabase();
    const { id: archived } = await registerMachine(database.sql, 'OLD');
    await database.sql`UPDATE machines SET archived_at = now() WHERE id = ${archived}`;
    const board = createJournalBoard();
    board.sample(0, 100, 150, 50);
    const messages = board.batches().flatMap((batch) => [messageOf('UNKNOWN', batch), messageOf('OLD', batch)]);
    const answer = await commitMessages(database.sql, messages);
    expect(answer.acknowledgements.map((ack) => ack.serialNumber)).toEqual(['UNKNOWN', 'OLD']);
    const rows = await database.sql`SELECT reason FROM quarantine`;
    expect(rows.map((row) => row['reason'])).toEqual(
      Array.from({ length: 2 }, () => 'no machine has this serial number, or it is archived'),
    );
    expect(await database.sql`SELECT 1 FROM recordings`).toHaveLength(0);
  });

  it("can't change a roast of another machine", async () => {
    await using database = await openMigratedDatabase();
    await registerMachine(database.sql, 'RM15-1');
    await registerMachine(database.sql, 'EVIL');
    const board = createJournalBoard();
    roastOn(board, roastId);
    for (const batch of board.batches()) await commitMessages(database.sql, [messageOf('RM15-1', batch)]);
    const before = await stored(database.sql);
    const evil = createJournalBoard();
    for (let n = 0; n < 2000; n++) evil.sample(n * 1000, 20, 20, 0);
    evil.event(2_000_000, { type: 'roast', roast_id: roastId, state: 'aborted' });
    evil.event(2_000_000, {
      type: 'mark',
      roast_id: roastId,
      kind: 'drop',
      at_seq: 500,
      at_mono: 500_000,
      temp: 20,
      origin: 'machine',
      confidence: 1,
      provisional: false,
    });
    for (const batch of evil.batches(() => 500)) await commitMessages(database.sql, [messageOf('EVIL', batch)]);
    const [roast] = await database.sql`SELECT status, drop_temp, duration_seconds FROM roasts WHERE id = ${roastId}`;
    expect(roast).toEqual({
      status: 'completed',
      drop_temp: 196.1,
      duration_seconds: before.roast?.['duration_seconds'],
    });
  });
});
