import { setTimeout as sleep } from 'node:timers/promises';
import { getRoastCurveColumns } from '@roastery/contract/roast-curves';
import type { Stack } from '@roastery/stack/stack';
import postgres from 'postgres';
import { percentile, type Measurement } from '@roastery/testing/bench';
import { readCommitDelays, type CommitDelays } from '../fleet/commit-delays.ts';
import { startFleet } from '../fleet/fleet-process.ts';
import { registerBoards } from '@roastery/testing/fleet/register-boards';
import { endpointUrl } from '@roastery/testing/roastery-client';
import { addressOf, type Caller } from './measure-calls.ts';
import type { PageCall } from '@roastery/testing/large-roastery/page-calls';
import { timedGet } from './timed-call.ts';

const readers = 20;
/** A reader opens a page and pauses. */
const pollMs = 1_000;
const boards = 200;
const samplesPerBatch = 4;
const seconds = Number(process.env['BENCH_SECONDS'] ?? 60);
const listLimitMs = 150;
/** Of the lists that took longest. */
const shownLists = 8;

export interface IngestingBoards {
  /** As used in the name of a figure. */
  readonly description: string;
  /** Of what arrived since a moment, ms since 1970. */
  commitDelays(from: number): Promise<CommitDelays>;
  close(): Promise<void>;
}

/** Boards that send a batch a second. Those of an earlier run on the same database send again. */
export const startBoards = async (stack: Stack): Promise<IngestingBoards> => {
  const sql = postgres(stack.databaseUrl, { max: 1, onnotice: () => undefined });
  const known = await sql<{ serial_number: string }[]>`
    SELECT serial_number FROM machines WHERE serial_number LIKE 'FLEET-%' ORDER BY serial_number`;
  const serials = known.length > 0 ? known.map((row) => row.serial_number) : await registerBoards(sql, boards);
  const [held] = await sql<{ samples: number }[]>`
    SELECT sum(cardinality(dt_ms))::float8 AS samples FROM recording_chunks`;
  const fleet = startFleet({ port: stack.ports.mqtt, serials, channels: 8, samplesPerBatch });
  return {
    description: `${boards} boards at 4 Hz, ${((held?.samples ?? 0) / 1e6).toFixed(1)} million samples`,
    commitDelays: (from) => readCommitDelays(sql, { samplesPerBatch, from, to: Date.now() }),
    async close() {
      await fleet.close();
      await sql.end();
    },
  };
};

interface Recorded {
  readonly id: string;
  readonly recording_id: string;
  readonly charge_seq: number;
  readonly drop_seq: number;
}

/** The chunks of one roast, as text: every way to its curve must read them. */
const readBare = (sql: postgres.Sql, { recording_id: id, charge_seq: charge, drop_seq: drop }: Recorded) => sql`
  SELECT first_seq, mono_ms, dt_ms::text, "values"::text FROM recording_chunks
   WHERE recording_id = ${id} AND first_seq BETWEEN ${charge - 249} AND ${drop} ORDER BY first_seq`;

/**
 * Readers while boards send: each reader opens a list, then the curve of a roast that was not opened before, and requests
 * the same chunks from Postgres.
 */
export const readDuringIngest = async (
  stack: Stack,
  caller: Caller,
  lists: readonly PageCall[],
  sending: IngestingBoards,
  say: (line: string) => void,
): Promise<Measurement[]> => {
  const sql = postgres(stack.databaseUrl, { max: readers, onnotice: () => undefined });
  const roasts = await sql<Recorded[]>`
    SELECT id, recording_id, charge_seq, drop_seq FROM roasts
     WHERE charge_seq IS NOT NULL AND drop_seq - charge_seq BETWEEN 500 AND 1000
     ORDER BY md5(id::text || now()) LIMIT ${readers * seconds}`;
  const slowest = new Map<string, number>();
  const times = { lists: [] as number[], curves: [] as number[], bare: [] as number[] };
  const begunAt = Date.now();
  const until = performance.now() + seconds * 1000;
  const read = async (reader: number): Promise<void> => {
    await sleep((reader / readers) * pollMs);
    for (let turn = reader; performance.now() < until; turn += readers) {
      const [list, roast] = [lists[turn % lists.length], roasts[turn % roasts.length]];
      if (list === undefined || roast === undefined) throw new Error('there is nothing to read');
      const open = async (address: string): Promise<number> => {
        const { status, ms } = await timedGet(address, caller.cookie, { whole: true });
        if (status !== 200) throw new Error(`${address} answered ${status}`);
        return ms;
      };
      const ms = await open(await addressOf(caller, list, turn));
      times.lists.push(ms);
      if (ms > (slowest.get(list.what) ?? 0)) slowest.set(list.what, ms);
      await sleep(pollMs);
      // In turn, so that neither always finds the chunks in memory.
      const curve = async () =>
        times.curves.push(await open(endpointUrl(caller.origin, getRoastCurveColumns, { id: roast.id })));
      const bare = async () => {
        const begun = performance.now();
        await readBare(sql, roast);
        times.bare.push(performance.now() - begun);
      };
      for (const one of turn % 2 === 0 ? [curve, bare] : [bare, curve]) await one();
      await sleep(pollMs);
    }
  };
  try {
    await Promise.all(Array.from({ length: readers }, (_, reader) => read(reader)));
  } finally {
    await sql.end();
  }
  for (const [what, ms] of [...slowest].sort(([, a], [, b]) => b - a).slice(0, shownLists))
    say(`${Math.round(ms)} ms ${what}`);
  const { p99Ms } = await sending.commitDelays(begunAt);
  const beside = `${readers} readers, ${sending.description}`;
  return [
    {
      what: `batch committed, p99: ${beside}`,
      value: p99Ms,
      unit: 'ms',
      aim: { of: 'value', atMost: 1000 },
    },
    {
      what: `lists, p95: ${beside}`,
      value: percentile(times.lists, 0.95),
      unit: 'ms',
      aim: { of: 'value', atMost: listLimitMs },
    },
    ...[0.5, 0.99].map((share): Measurement => ({
      what: `a curve over HTTP, p${share * 100}: ${beside}`,
      value: percentile(times.curves, share),
      unit: 'ms',
      against: { what: 'bare query', value: percentile(times.bare, share) },
      ...(share === 0.99 && { aim: { of: 'ratio', atMost: 2 } }),
    })),
  ];
};
