import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase, type Database } from '@roastery/api/db/sql';
import { migrate } from '@roastery/api/db/migrate';
import { BatchWriter } from '@roastery/api/ingest/batch-writer';
import { sealStreams } from '@roastery/api/recordings/seal-chunks';
import type { SampleBatch } from '@roastery/contract/mqtt';
import { createLogger } from '@roastery/runtime/logger';
import { uuidV7 } from '@roastery/runtime/uuid';
import { simulateRoast } from '@roastery/simulator/simulate-roast';
import postgres from 'postgres';
import { percentile, type Bench, type Measurement } from '@roastery/testing/bench';
import { createJournalBoard } from '@roastery/testing/journal-board';
import { cpuSeconds } from '@roastery/testing/process-cost';
import { startTestPostgres } from '@roastery/testing/test-postgres';
import { until } from '@roastery/testing/until';

const log = createLogger('bench', 'silent');
const machines = 100;
/** Samples of a batch in a backlog, or of a slow board that gathers a minute. */
const backlogSamples = 60;
const batchesPerMachine = 40;
const rounds = 3;
/** Online boards send one batch per second: of one sample at 1 Hz, of four at 4 Hz. */
const boardsOnline = 2000;
const liveSamples = 4;
const batchesOnline = 16;
const batchesOfUsual = 4;
/** Long enough that all but a small part of each stream is sealed. */
const longStreams = { boards: 10, batches: 500 };
/** Ingest has two transactions at once. */
const connections = 2;
const rowsPerCopy = 10_000;

const roasted = simulateRoast({ seed: 1, hz: 1, leadSeconds: 60 });
const channels = roasted.channels;
/** Realistic values: sample n of machine m. */
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

/** Payloads as received from the broker, of all machines in turn. */
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

/** What storing a sample costs. */
interface Cost {
  readonly perSecond: number;
  /** Of this process, microseconds. */
  readonly cpu: number;
  /** Of all processes of Postgres, microseconds. */
  readonly postgresCpu: number;
  readonly walBytes: number;
}

const walBytes = async (sql: Database): Promise<number> => {
  const [row] = await sql<{ bytes: number }[]>`SELECT pg_current_wal_lsn() - '0/0'::pg_lsn AS bytes`;
  return row?.bytes ?? 0;
};

const postgresSeconds = async (sql: Database): Promise<number> => {
  const processes = await sql<{ pid: number }[]>`SELECT pid FROM pg_stat_activity`;
  const seconds = await Promise.all(processes.map(({ pid }) => cpuSeconds(pid)));
  return seconds.reduce((sum, each) => sum + each, 0);
};

/** The cost of this work, which stores so many samples over connections that are open. */
const costOf = async (sql: Database, samples: number, work: () => Promise<void>): Promise<Cost> => {
  const [wal, postgres, cpu, begun] = [
    await walBytes(sql),
    await postgresSeconds(sql),
    process.cpuUsage(),
    performance.now(),
  ];
  await work();
  const seconds = (performance.now() - begun) / 1000;
  const used = process.cpuUsage(cpu);
  return {
    perSecond: samples / seconds,
    cpu: (used.user + used.system) / samples,
    postgresCpu: (((await postgresSeconds(sql)) - postgres) * 1e6) / samples,
    walBytes: ((await walBytes(sql)) - wal) / samples,
  };
};

/**
 * From the payload to the commit: all work of ingest except the broker. A transaction holds `atOnce` messages or a few
 * more, so that online boards have one batch in it, like one that sends once a second.
 */
const measureIngest = async (
  sql: Database,
  { size, payloads, atOnce }: { size: number; payloads: readonly Message[]; atOnce: number },
): Promise<Cost> => {
  let committed = 0;
  const writer = new BatchWriter({
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
  const total = payloads.length * size;
  const cost = await costOf(sql, total, async () => {
    for (const [index, { serialNumber, payload }] of payloads.entries()) {
      const topic = `roastery/v1/${serialNumber}/journal`;
      writer.add({ topic, serialNumber, payload, receivedAtMs: Date.now() });
      // As from a socket: messages that were sent in between are handled.
      if (index % 50 === 49) await new Promise((resolve) => setImmediate(resolve));
      const room = (): boolean => (index + 1) * size - committed <= connections * atOnce * size;
      while (!room()) await sleep(1);
    }
    await until('all samples to be committed', () => committed === total, { timeoutMs: 120_000, everyMs: 1 });
  });
  await writer.close();
  return cost;
};

/** Lean rows of these machines in the order in which `size` samples of each arrive, as COPY takes them. */
const copyTexts = (firstRecording: number, boards: number, size: number, perBoard: number): string[] => {
  const texts: string[] = [];
  let lines: string[] = [];
  const flush = (): void => void texts.push(lines.splice(0).join(''));
  for (let from = 0; from < perBoard; from += size) {
    for (let board = 0; board < boards; board++) {
      for (let n = from; n < from + size; n++) {
        const at = new Date(1_790_000_000_000 + n * 1000).toISOString();
        const values = channels.map((channel) => valueAt(channel, n)).join('\t');
        lines.push(`${board}\t${firstRecording + board}\t${n}\t${at}\t${values}\n`);
        if (lines.length === rowsPerCopy) flush();
      }
    }
  }
  if (lines.length > 0) flush();
  return texts;
};

let recordings = 0;
/**
 * The fastest common way: lean rows by COPY as text, keyed by recording and sequence number, in large statements, over
 * as many connections. Only Postgres is measured: the texts are prepared. A repeat would fail.
 */
const measureCopy = async (
  sql: Database,
  copying: postgres.Sql,
  boards: number,
  size: number,
  perBoard: number,
): Promise<Cost> => {
  const texts = copyTexts(recordings, boards, size, perBoard);
  recordings += boards;
  const next = texts.values();
  const work = async (): Promise<void> => {
    for (const text of next) {
      const copy = await copying`COPY sample_rows FROM STDIN`.writable();
      await new Promise<void>((resolve, reject) => {
        copy.once('finish', resolve);
        copy.once('error', reject);
        copy.end(text);
      });
    }
  };
  return costOf(sql, boards * perBoard, async () => {
    await Promise.all(Array.from({ length: connections }, work));
  });
};

/** The cost of storing a batch of one sample, after the first batches of all boards. */
const costOfRounds = async (
  sql: Database,
  messages: readonly Message[],
  store: (messages: readonly Message[]) => Promise<void>,
): Promise<Cost> => {
  await store(messages.slice(0, boardsOnline));
  const rest = messages.slice(boardsOnline);
  return costOf(sql, rest.length, async () => {
    for (let from = 0; from < rest.length; from += boardsOnline) await store(rest.slice(from, from + boardsOnline));
  });
};

/** Boards at 1 Hz that send one batch per second: from the payload to the commit. */
const measureAt1Hz = async (sql: Database): Promise<Cost> => {
  let committed = 0;
  const writer = new BatchWriter({
    sql,
    log,
    onCommitted: ({ samples }) => void (committed += samples),
    onDropped: () => {
      throw new Error('a message found no room');
    },
  });
  const cost = await costOfRounds(sql, payloadsOf(1, batchesOnline, boardsOnline), async (messages) => {
    const total = committed + messages.length;
    for (const { serialNumber, payload } of messages)
      writer.add({ topic: `roastery/v1/${serialNumber}/journal`, serialNumber, payload, receivedAtMs: Date.now() });
    await until('a batch of each board', () => committed === total, { timeoutMs: 120_000, everyMs: 1 });
  });
  await writer.close();
  return cost;
};

/** A typical consumer: each message is parsed and inserted as a row by a statement of its own, ten at a time. */
const measureUsual = async (sql: Database, url: string): Promise<Cost> => {
  const own = postgres(url, { max: 10, onnotice: () => undefined });
  await own.unsafe(`
    CREATE TABLE usual_rows (
      serial text NOT NULL, epoch text NOT NULL, seq bigint NOT NULL, at timestamptz NOT NULL,
      ${channels.map((channel) => `${channel} real`).join(', ')}, PRIMARY KEY (serial, epoch, seq))`);
  const cost = await costOfRounds(sql, payloadsOf(1, batchesOfUsual, boardsOnline), async (messages) => {
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

/**
 * Like the sweeper once a minute, until nothing is left to do; then without the free space that deleted chunks leave.
 */
const sealAll = async (sql: Database): Promise<void> => {
  for (let round = 0; round < 50; round++) if ((await sealStreams(sql)) === 0) break;
  await sql`VACUUM FULL recording_chunks`;
};

/** Of each figure. */
const medianOf = (costs: readonly Cost[]): Cost => {
  const median = (of: (cost: Cost) => number): number => percentile(costs.map(of), 0.5);
  return {
    perSecond: median(({ perSecond }) => perSecond),
    cpu: median(({ cpu }) => cpu),
    postgresCpu: median((cost) => cost.postgresCpu),
    walBytes: median((cost) => cost.walBytes),
  };
};

/** Where the time goes, beside a peer. */
const costsBeside = (cost: Cost, peer: string, ofPeer: Cost, cpuAim?: Measurement['aim']): Measurement[] => {
  const beside = (what: string, unit: string, of: (cost: Cost) => number): Measurement => ({
    what,
    value: of(cost),
    unit,
    against: { what: peer, value: of(ofPeer) },
  });
  return [
    { ...beside('… CPU of the api', 'µs/sample', ({ cpu }) => cpu), ...(cpuAim !== undefined && { aim: cpuAim }) },
    beside('… CPU of Postgres', 'µs/sample', ({ postgresCpu }) => postgresCpu),
    beside('… WAL', 'bytes/sample', (each) => each.walBytes),
  ];
};

/** Samples per second beside COPY. */
const besideCopy = (
  what: string,
  costs: readonly Cost[],
  peer: string,
  ofCopy: readonly Cost[],
  atLeast: number,
): Measurement[] => {
  const [cost, copy] = [medianOf(costs), medianOf(ofCopy)];
  return [
    {
      what: `samples committed, ${what}`,
      value: cost.perSecond,
      unit: 'samples/s',
      against: { what: peer, value: copy.perSecond },
      aim: { of: 'ratio', atLeast },
    },
    ...costsBeside(cost, 'COPY', copy),
  ];
};

const run = async (say: (line: string) => void): Promise<Measurement[]> => {
  await using server = await startTestPostgres({ fsync: 'on' });
  const sql = openDatabase({ url: server.url, log, statementTimeoutMs: 60_000 });
  await migrate(sql, log);
  await registerMachines(sql, boardsOnline);
  await sql.unsafe(`
    CREATE TABLE sample_rows (
      machine integer NOT NULL, recording integer NOT NULL, seq bigint NOT NULL, at timestamptz NOT NULL,
      ${channels.map((channel) => `${channel} real`).join(', ')}, PRIMARY KEY (recording, seq))`);
  const copying = postgres(server.url, { max: connections, onnotice: () => undefined });
  const forget = () => sql`TRUNCATE recording_chunks, recordings CASCADE`;
  const costs = {
    backlog: [] as Cost[],
    backlogCopy: [] as Cost[],
    live: [] as Cost[],
    liveCopy: [] as Cost[],
  };

  const ofBacklog = backlogSamples * batchesPerMachine;
  for (let round = 0; round < rounds; round++) {
    say(`batches of ${backlogSamples}, round ${round + 1} of ${rounds}`);
    const payloads = payloadsOf(backlogSamples, batchesPerMachine);
    costs.backlog.push(await measureIngest(sql, { size: backlogSamples, payloads, atOnce: Number.POSITIVE_INFINITY }));
    // Machine by machine, which suits the index best.
    costs.backlogCopy.push(await measureCopy(sql, copying, machines, ofBacklog, ofBacklog));
  }
  const rowBytes = (await bytesOf(sql, 'sample_rows')) / (rounds * machines * ofBacklog);
  const unsealedBacklog = (await bytesOf(sql, 'recording_chunks')) / (rounds * machines * ofBacklog);

  await forget();
  const ofBoard = liveSamples * batchesOnline;
  for (let round = 0; round < rounds; round++) {
    say(`batches of ${liveSamples} of ${boardsOnline} boards, round ${round + 1} of ${rounds}`);
    const payloads = payloadsOf(liveSamples, batchesOnline, boardsOnline);
    costs.live.push(await measureIngest(sql, { size: liveSamples, payloads, atOnce: boardsOnline }));
    costs.liveCopy.push(await measureCopy(sql, copying, boardsOnline, liveSamples, ofBoard));
  }
  await copying.end();
  const unsealedLive = (await bytesOf(sql, 'recording_chunks')) / (rounds * boardsOnline * ofBoard);

  say('sealed');
  await forget();
  const long = payloadsOf(backlogSamples, longStreams.batches, longStreams.boards);
  await measureIngest(sql, { size: backlogSamples, payloads: long, atOnce: Number.POSITIVE_INFINITY });
  await sealAll(sql);
  const sealed = (await bytesOf(sql, 'recording_chunks')) / (long.length * backlogSamples);

  say('one sample a batch, as boards at 1 Hz send them');
  await forget();
  const at1Hz = await measureAt1Hz(sql);
  const unsealedAt1Hz = (await bytesOf(sql, 'recording_chunks')) / (boardsOnline * batchesOnline);
  const usual = await measureUsual(sql, server.url);
  await sql.end();

  const lean = 'lean rows';
  const disk = (what: string, value: number, atMost?: number): Measurement => ({
    what: `disk a sample, ${what}`,
    value,
    unit: 'bytes',
    against: { what: lean, value: rowBytes },
    ...(atMost !== undefined && { aim: { of: 'ratio', atMost } }),
  });
  const oneInsert = 'one INSERT a message';
  return [
    {
      what: `batches of one sample of ${boardsOnline.toLocaleString('en-US')} boards`,
      value: at1Hz.perSecond,
      unit: 'batches/s',
      against: { what: oneInsert, value: usual.perSecond },
    },
    ...costsBeside(at1Hz, oneInsert, usual, { of: 'ratio', atMost: 0.4 }),
    ...besideCopy(
      `batches of ${backlogSamples} × ${channels.length} channels`,
      costs.backlog,
      `COPY of ${lean}, ${connections} connections too`,
      costs.backlogCopy,
      4,
    ),
    ...besideCopy(
      `batches of ${liveSamples} of ${boardsOnline.toLocaleString('en-US')} boards`,
      costs.live,
      `COPY of ${lean} in this order`,
      costs.liveCopy,
      2,
    ),
    disk('unsealed, batches of 1', unsealedAt1Hz),
    disk(`unsealed, batches of ${liveSamples}`, unsealedLive, 1 / 3),
    disk(`unsealed, batches of ${backlogSamples}`, unsealedBacklog, 1 / 3),
    disk('sealed', sealed, 1 / 6),
  ];
};

export default { title: 'Storing samples', run } satisfies Bench;
