import { openDatabase, type Database } from '@roastery/api/db/sql';
import { migrate } from '@roastery/api/db/migrate';
import { createBatchWriter } from '@roastery/api/ingest/batch-writer';
import { sealStreams } from '@roastery/api/ingest/chunks';
import type { SampleBatch } from '@roastery/contract/mqtt';
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
const boardsAt1Hz = 2000;
const batchesAt1Hz = 16;
const batchesOfUsual = 4;
const rowsPerCopy = 10_000;

const roasted = simulateRoast({ seed: 1, hz: 1, leadSeconds: 60 });
const channels = roasted.channels;
/** Real-looking values: sample n of machine m. */
const valueAt = (channel: (typeof channels)[number], n: number): number =>
  roasted.columns[channel][n % roasted.timesSeconds.length] ?? 0;

const registerMachines = async (sql: Database, count: number): Promise<void> => {
  const owner = uuidV7();
  await sql`INSERT INTO users (id, full_name, email, password_hash) VALUES (${owner}, 'Bench', 'bench@example.org', 'x')`;
  for (let machine = 0; machine < count; machine++) {
    await sql`
      INSERT INTO machines (id, owner_id, serial_number, display_name, machine_type, max_capacity_kg)
      VALUES (${uuidV7()}, ${owner}, ${`B-${machine}`}, 'Bench', 'RM15', 15)`;
  }
};

interface Message {
  readonly serialNumber: string;
  readonly payload: Buffer;
}

/** Payloads as they arrive from the broker, of all machines in turn. */
const payloadsOf = (size: number, perMachine: number, boardCount = machines): Message[] => {
  const boards = Array.from({ length: boardCount }, () => createJournalBoard({ channels }));
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

interface Cost {
  readonly perSecond: number;
  /** Of this process, microseconds. */
  readonly cpu: number;
  readonly walBytes: number;
}

/** What storing a batch costs that holds one sample, after the first batches of all boards. */
const costOf = async (
  sql: Database,
  messages: readonly Message[],
  store: (messages: readonly Message[]) => Promise<void>,
): Promise<Cost> => {
  const wal = async (): Promise<number> => {
    const [row] = await sql<{ bytes: number }[]>`SELECT pg_current_wal_lsn() - '0/0'::pg_lsn AS bytes`;
    return row?.bytes ?? 0;
  };
  await store(messages.slice(0, boardsAt1Hz));
  const rest = messages.slice(boardsAt1Hz);
  const [before, cpu, begun] = [await wal(), process.cpuUsage(), performance.now()];
  for (let from = 0; from < rest.length; from += boardsAt1Hz) await store(rest.slice(from, from + boardsAt1Hz));
  const seconds = (performance.now() - begun) / 1000;
  const used = process.cpuUsage(cpu);
  return {
    perSecond: rest.length / seconds,
    cpu: (used.user + used.system) / rest.length,
    walBytes: ((await wal()) - before) / rest.length,
  };
};

/** Boards at 1 Hz that send a batch a second: from the payload to the commit. */
const measureAt1Hz = async (sql: Database): Promise<Cost> => {
  let committed = 0;
  const writer = createBatchWriter({
    sql,
    log,
    onCommitted: ({ samples }) => void (committed += samples),
    onDropped: () => {
      throw new Error('a message found no room');
    },
  });
  const cost = await costOf(sql, payloadsOf(1, batchesAt1Hz, boardsAt1Hz), async (messages) => {
    const total = committed + messages.length;
    for (const { serialNumber, payload } of messages)
      writer.add({ topic: `roastery/v1/${serialNumber}/journal`, serialNumber, payload, receivedAtMs: Date.now() });
    await until('a batch of each board', () => committed === total, { timeoutMs: 120_000, everyMs: 1 });
  });
  await writer.close();
  return cost;
};

/** A usual consumer: each message is parsed and inserted as a row by a statement of its own, ten at a time. */
const measureUsual = async (sql: Database, url: string): Promise<Cost> => {
  const own = postgres(url, { max: 10, onnotice: () => undefined });
  await own.unsafe(`
    CREATE TABLE usual_rows (
      serial text NOT NULL, epoch text NOT NULL, seq bigint NOT NULL, at timestamptz NOT NULL,
      ${channels.map((channel) => `${channel} real`).join(', ')}, PRIMARY KEY (serial, epoch, seq))`);
  const cost = await costOf(sql, payloadsOf(1, batchesOfUsual, boardsAt1Hz), async (messages) => {
    await Promise.all(
      messages.map(({ serialNumber, payload }) => {
        const { epoch, seq, t, ch, s } = JSON.parse(payload.toString('utf8')) as SampleBatch;
        const values = Object.fromEntries(ch.map((channel, index) => [channel, s[index]?.[0] ?? null]));
        const row = { serial: serialNumber, epoch, seq, at: new Date(t), ...values };
        return own`INSERT INTO usual_rows ${own(row)} ON CONFLICT DO NOTHING`;
      }),
    );
  });
  await own.end();
  return cost;
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
  await registerMachines(sql, boardsAt1Hz);
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

  say('one sample a batch, as boards at 1 Hz send them');
  const at1Hz = await measureAt1Hz(sql);
  const usual = await measureUsual(sql, server.url);
  await sql.end();

  const copy = percentile(rates.copy, 0.5);
  const oneInsert = 'one INSERT a message';
  return [
    {
      what: `batches of one sample of ${boardsAt1Hz.toLocaleString('en-US')} boards`,
      value: at1Hz.perSecond,
      unit: 'batches/s',
      against: { what: oneInsert, value: usual.perSecond },
    },
    {
      what: '… CPU of the api',
      value: at1Hz.cpu,
      unit: 'µs/sample',
      against: { what: oneInsert, value: usual.cpu },
      aim: { of: 'ratio', atMost: 0.4 },
    },
    {
      what: '… WAL',
      value: at1Hz.walBytes,
      unit: 'bytes/sample',
      against: { what: oneInsert, value: usual.walBytes },
    },
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
