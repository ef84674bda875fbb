import { openDatabase, type Database } from '@roastery/api/db/sql';
import { migrate } from '@roastery/api/db/migrate';
import { createBatchWriter } from '@roastery/api/ingest/batch-writer';
import { sealStreams } from '@roastery/api/ingest/chunks';
import { createLogger } from '@roastery/runtime/logger';
import { uuidV7 } from '@roastery/runtime/uuid';
import { simulateRoast } from '@roastery/simulator/simulate-roast';
import postgres from 'postgres';
import { percentile, type Bench, type Measurement } from '../bench.ts';
import { createJournalBoard } from '../journal-board.ts';
import { startTestPostgres } from '../test-postgres.ts';
import { until } from '../until.ts';

const log = createLogger('bench', 'silent');
const machines = 100;
/** Samples a machine sends in a round: a minute of a slow board, or a small piece of a backlog. */
const samplesPerBatch = 60;
const batchesPerMachine = 40;
const rounds = 3;
const rowsPerCopy = 10_000;

const roasted = simulateRoast({ seed: 1, hz: 1, leadSeconds: 60 });
const channels = roasted.channels;
/** Real-looking values: sample n of machine m. */
const valueAt = (channel: (typeof channels)[number], n: number): number =>
  roasted.columns[channel][n % roasted.timesSeconds.length] ?? 0;

const registerMachines = async (sql: Database): Promise<void> => {
  const owner = uuidV7();
  await sql`INSERT INTO users (id, full_name, email, password_hash) VALUES (${owner}, 'Bench', 'bench@example.org', 'x')`;
  for (let machine = 0; machine < machines; machine++) {
    await sql`
      INSERT INTO machines (id, owner_id, serial_number, display_name, machine_type, max_capacity_kg)
      VALUES (${uuidV7()}, ${owner}, ${`B-${machine}`}, 'Bench', 'RM15', 15)`;
  }
};

/** Payloads as they arrive from the broker, of all machines in turn. */
const payloadsOf = (size: number, perMachine: number): { serialNumber: string; payload: Buffer }[] => {
  const boards = Array.from({ length: machines }, () => createJournalBoard({ channels }));
  for (const board of boards) {
    for (let n = 0; n < size * perMachine; n++)
      board.sample(n * 1000, ...channels.map((channel) => valueAt(channel, n)));
  }
  const batches = boards.map((board) => board.batches(() => size));
  return Array.from({ length: perMachine }, (_, index) =>
    batches.map((ofBoard, machine) => ({
      serialNumber: `B-${machine}`,
      payload: Buffer.from(JSON.stringify(ofBoard[index])),
    })),
  ).flat();
};

/** From the payload to the commit, everything that ingest does but for the broker. Samples a second. */
const measureIngest = async (sql: Database, size: number, perMachine: number): Promise<number> => {
  const payloads = payloadsOf(size, perMachine);
  let committed = 0;
  const writer = createBatchWriter({
    sql,
    log,
    onCommitted: ({ samples }) => {
      committed += samples;
    },
    onDropped: () => {
      throw new Error('a message found no room');
    },
    maxQueuedBytes: 1024 * 1024 * 1024,
  });
  const begun = performance.now();
  for (const [index, { serialNumber, payload }] of payloads.entries()) {
    const topic = `roastery/v1/${serialNumber}/journal`;
    writer.add({ topic, serialNumber, payload, receivedAtMs: Date.now() });
    // As a socket would: messages that were sent in between get their turn.
    if (index % 50 === 49) await new Promise((resolve) => setImmediate(resolve));
  }
  const total = payloads.length * size;
  await until('all samples to be committed', () => committed === total, { timeoutMs: 120_000, everyMs: 1 });
  const seconds = (performance.now() - begun) / 1000;
  await writer.close();
  return total / seconds;
};

/**
 * The fastest usual way: rows by COPY as text, keyed by recording and sequence number; in large statements, and machine by
 * machine, which suits the index best. Samples a second.
 */
const measureCopy = async (url: string, size: number, perMachine: number): Promise<number> => {
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  await sql.unsafe(`
    CREATE TABLE IF NOT EXISTS sample_rows (
      machine_id uuid NOT NULL, recording_id uuid NOT NULL, seq bigint NOT NULL, at timestamptz NOT NULL,
      ${channels.map((channel) => `${channel} real`).join(', ')}, PRIMARY KEY (recording_id, seq))`);
  const ids = Array.from({ length: machines }, () => [uuidV7(), uuidV7()] as const);
  const perRound = size * perMachine;
  const begun = performance.now();
  let lines: string[] = [];
  const flush = async (): Promise<void> => {
    const copy = await sql`COPY sample_rows FROM STDIN`.writable();
    const text = lines.join('');
    lines = [];
    await new Promise<void>((resolve, reject) => {
      copy.once('finish', resolve);
      copy.once('error', reject);
      copy.end(text);
    });
  };
  for (const [machine, recording] of ids) {
    for (let n = 0; n < perRound; n++) {
      const at = new Date(1_790_000_000_000 + n * 1000).toISOString();
      lines.push(
        `${machine}\t${recording}\t${n}\t${at}\t${channels.map((channel) => valueAt(channel, n)).join('\t')}\n`,
      );
      if (lines.length === rowsPerCopy) await flush();
    }
  }
  if (lines.length > 0) await flush();
  const seconds = (performance.now() - begun) / 1000;
  await sql.end();
  return (perRound * machines) / seconds;
};

const bytesOf = async (sql: Database, table: string): Promise<number> => {
  const [row] = await sql<{ bytes: number }[]>`SELECT pg_total_relation_size(${table}::regclass) AS bytes`;
  return row?.bytes ?? 0;
};

/** As the sweeper does once a minute, until nothing is left to do; then without the room that deleted chunks leave to later ones. */
const sealAll = async (sql: Database): Promise<void> => {
  for (let round = 0; round < 50; round++) if ((await sealStreams(sql)) === 0) break;
  await sql`VACUUM FULL recording_chunks`;
};

const run = async (say: (line: string) => void): Promise<Measurement[]> => {
  await using server = await startTestPostgres({ fsync: 'on' });
  const sql = openDatabase({ url: server.url, log, statementTimeoutMs: 60_000 });
  await migrate(sql, log);
  await registerMachines(sql);
  const rates = { ingest: [] as number[], copy: [] as number[], live: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    say(`round ${round + 1} of ${rounds}`);
    rates.ingest.push(await measureIngest(sql, samplesPerBatch, batchesPerMachine));
    rates.copy.push(await measureCopy(server.url, samplesPerBatch, batchesPerMachine));
  }
  const samples = rounds * machines * samplesPerBatch * batchesPerMachine;
  await sealAll(sql);
  const bytes = { chunks: await bytesOf(sql, 'recording_chunks'), rows: await bytesOf(sql, 'sample_rows') };

  say('small batches, as boards that are online send them');
  await sql`TRUNCATE recording_chunks, recordings CASCADE`;
  rates.live.push(await measureIngest(sql, 4, 750));
  await sealAll(sql);
  const sealed = await bytesOf(sql, 'recording_chunks');
  await sql.end();

  const copy = percentile(rates.copy, 0.5);
  return [
    {
      what: `samples committed, batches of ${samplesPerBatch} × ${channels.length} channels`,
      value: percentile(rates.ingest, 0.5),
      unit: 'samples/s',
      against: { what: 'COPY of rows', value: copy },
      aim: { of: 'ratio', atLeast: 3 },
    },
    {
      what: 'samples committed, batches of 4',
      value: percentile(rates.live, 0.5),
      unit: 'samples/s',
      against: { what: 'COPY of rows', value: copy },
    },
    {
      what: 'disk a sample, batches of 60, sealed',
      value: bytes.chunks / samples,
      unit: 'bytes',
      against: { what: 'rows', value: bytes.rows / samples },
      aim: { of: 'ratio', atMost: 0.25 },
    },
    {
      what: 'disk a sample, batches of 4, sealed',
      value: sealed / (machines * 3000),
      unit: 'bytes',
      against: { what: 'rows', value: bytes.rows / samples },
      aim: { of: 'ratio', atMost: 0.25 },
    },
  ];
};

export default { title: 'Storing samples', run } satisfies Bench;
