import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startStack, type Stack } from '@roastery/stack/stack';
import postgres from 'postgres';
import { createDatabaseOn } from '@roastery/testing/database-on-server';
import { cpuSeconds, residentMegabytes, sharedOutMegabytes } from '@roastery/testing/process-cost';
import { startTestPostgres } from '@roastery/testing/test-postgres';
import { notingCommits, readCommitDelays } from './commit-delays.ts';
import { closeFleets, reportOf, startFleets, type Fleet } from './fleet-process.ts';
import { registerBoards } from '@roastery/testing/fleet/register-boards';
import { startSlowFsync } from './slow-fsync.ts';

/** Boards that take longer to connect, or to deliver what waited until then, are too many. */
export const connectSeconds = 60;
export const measuredSeconds = 30;

/** Seconds until every board has an acknowledgement on its present connection. */
export const untilAllHeard = async (
  fleets: readonly Fleet[],
  boards: number,
  withinSeconds: number,
  say: (line: string) => void,
): Promise<number> => {
  const begun = performance.now();
  for (;;) {
    const { heard, open } = await reportOf(fleets);
    const seconds = (performance.now() - begun) / 1000;
    if (heard >= boards) return seconds;
    if (seconds > withinSeconds) {
      say(`  ${open} of ${boards} are connected and ${heard} acknowledged after ${withinSeconds} s`);
      return Infinity;
    }
    await sleep(250);
  }
};

export interface Step {
  readonly boards: number;
  readonly connectedSeconds: number;
  /** From the publication of a second to its commit. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly missing: number;
  /** Of the server, for a sample. */
  readonly acknowledgements: number;
  /** Batches of the measured time that were sent again. */
  readonly resent: number;
  readonly samplesPerSecond: number;
  /** CPU per sample. */
  readonly apiMicros: number;
  readonly brokerMicros: number;
  readonly postgresMicros: number;
  /** CPU of the boards themselves, which share the processor. */
  readonly boardsMicros: number;
  /** Share of the computer's processors that was in use, all programs together. */
  readonly busy: number;
  readonly brokerKilobytes: number;
  /** Memory, MB: of the api, of all processes of Postgres, and of the boards. */
  readonly apiMegabytes: number;
  readonly postgresMegabytes: number;
  readonly boardsMegabytes: number;
  /** Until all boards were acknowledged again, for each storm. */
  readonly stormSeconds: readonly number[];
}

/** The processes that are killed at the same moment. */
export type Storm = readonly ('broker' | 'api')[];

export interface Load {
  readonly channels: number;
  readonly samplesPerBatch: number;
  /** As in the plan of a fleet. */
  readonly sendEverySeconds?: number;
  /** Added duration of each disk sync, ms. */
  readonly fsyncMs?: number;
}

/** As the capacity page asks for. */
export const postgresSettings = {
  fsync: 'on',
  max_connections: '60',
  shared_buffers: '2GB',
  max_wal_size: '4GB',
  ...notingCommits,
};

interface Running {
  readonly stack: Stack;
  readonly sql: postgres.Sql;
  readonly fleets: readonly Fleet[];
  /** Of the broker without boards. */
  readonly idleMegabytes: number;
}

/** Runs boards on a fresh database. */
const withFleet = async <T>(boards: number, load: Load, work: (running: Running) => Promise<T>): Promise<T> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'roastery-fleet-'));
  await using server = await startTestPostgres(postgresSettings);
  await using database = await createDatabaseOn(server.url);
  await using slow = load.fsyncMs === undefined ? undefined : await startSlowFsync(database.url, load.fsyncMs);
  const limits = String(boards * 2);
  await using stack = await startStack({
    dataDir,
    databaseUrl: slow?.url ?? database.url,
    logLevel: 'warn',
    brokerSettings: { MAX_CONNECTIONS: limits, MAX_CONNECTIONS_PER_ADDRESS: limits },
  });
  const sql = postgres(database.url, { max: 1, onnotice: () => undefined });
  const serials = await registerBoards(sql, boards);
  const idleMegabytes = (await residentMegabytes(stack.part('broker').pid ?? 0)).now;
  const { channels, samplesPerBatch, sendEverySeconds = 1 } = load;
  const fleets = startFleets({ port: stack.ports.mqtt, serials, channels, samplesPerBatch, sendEverySeconds });
  try {
    return await work({ stack, sql, fleets, idleMegabytes });
  } finally {
    await closeFleets(fleets);
    await sql.end();
    await rm(dataDir, { recursive: true, force: true });
  }
};

/** What a board holds on average beside what is under way: up to three seconds whose acknowledgements are merged. */
const heldSeconds = 2;

/**
 * Seconds until the boards have half a second of data waiting on average besides, which is in flight; Infinity where that
 * takes too long. What they gather does not wait.
 */
export const untilAllStored = async (
  fleets: readonly Fleet[],
  perSecond: number,
  maxSeconds: number,
): Promise<number> => {
  const from = performance.now();
  for (;;) {
    const { due, acknowledged } = await reportOf(fleets);
    const seconds = (performance.now() - from) / 1000;
    if (due - acknowledged <= perSecond * (heldSeconds + 0.5)) return seconds;
    if (seconds > maxSeconds) return Infinity;
    await sleep(500);
  }
};

const percent = (share: number): string => `${(100 * share).toFixed(0)} %`;

/** One number of boards: all connect at once, 30 s of work or one gathering, the storms in turn, and the data in Postgres. */
export const measure = (
  boards: number,
  load: Load,
  say: (line: string) => void,
  storms: readonly Storm[] = [['broker', 'api']],
): Promise<Step> =>
  withFleet(boards, load, async ({ stack, sql, fleets, idleMegabytes }) => {
    const { sendEverySeconds = 1 } = load;
    // A board that gathers is acknowledged only after its first batch.
    const connectedSeconds = await untilAllHeard(fleets, boards, connectSeconds + sendEverySeconds - 1, say);
    say(`${boards} boards: all acknowledged after ${connectedSeconds.toFixed(1)} s`);
    const storedSeconds =
      connectedSeconds + (await untilAllStored(fleets, boards * load.samplesPerBatch, connectSeconds));
    say(`  what waited was acknowledged after ${storedSeconds.toFixed(1)} s`);
    await sleep(3_000);
    const cost = await costs(stack, sql, fleets);
    const begun = await reportOf(fleets);
    const from = Date.now();
    await sleep(Math.max(measuredSeconds, sendEverySeconds) * 1000);
    const after = await costs(stack, sql, fleets);
    const end = await reportOf(fleets);
    const { samplesPerBatch, fsyncMs = 0 } = load;
    const measured = { samplesPerBatch, isGathered: sendEverySeconds > 1, from, to: Date.now() };
    const { p50Ms, p99Ms } = await readCommitDelays(sql, measured);
    const samples = end.acknowledged - begun.acknowledged;
    const seconds = after.clock - cost.clock;
    const coreOf = (part: 'boards' | 'broker' | 'api' | 'postgres'): string =>
      percent((after[part] - cost[part]) / seconds);
    const memory = await memoryOf(stack, sql, fleets);
    const brokerMegabytes = (await residentMegabytes(stack.part('broker').pid ?? 0)).now;
    say(`  ${Math.round(samples / seconds)} samples/s, p99 ${Math.round(p99Ms)} ms, ${end.lost} connections lost`);
    say(
      `  boards ${coreOf('boards')}, broker ${coreOf('broker')}, api ${coreOf('api')}, Postgres ${coreOf('postgres')} of a core`,
    );

    const stormSeconds: number[] = [];
    for (const storm of storms) {
      // The next one begins when the backlog of the last one is stored.
      if (stormSeconds.length > 0) await untilAllStored(fleets, boards * load.samplesPerBatch, connectSeconds);
      for (const part of storm) process.kill(stack.part(part).pid ?? 0, 'SIGKILL');
      await sleep(2_000);
      // Boards stay connected while only the api is away, so their backlog is what shows that it is back.
      const seconds =
        2 +
        (storm.includes('broker')
          ? await untilAllHeard(fleets, boards, 120, say)
          : await untilAllStored(fleets, boards * load.samplesPerBatch, 120));
      say(`  killed: ${storm.join(' and ')}; all back and acknowledged in ${seconds.toFixed(1)} s`);
      stormSeconds.push(seconds);
    }

    for (const fleet of fleets) fleet.stopCutting();
    let last = await reportOf(fleets);
    for (let second = 0; second < 60 && last.acknowledged < last.cut; second++) {
      await sleep(1_000);
      last = await reportOf(fleets);
    }
    const [row] = await sql<{ samples: string }[]>`SELECT sum(cardinality(dt_ms)) AS samples FROM recording_chunks`;
    const stored = Number(row?.samples ?? 0);
    say(`  ${last.cut} samples cut, ${last.acknowledged} acknowledged, ${stored} stored`);
    return {
      boards,
      connectedSeconds,
      // The proxy delays the answers of Postgres.
      p50Ms: p50Ms + fsyncMs,
      p99Ms: p99Ms + fsyncMs,
      missing: Math.abs(last.cut - stored) + (last.cut - last.acknowledged),
      acknowledgements: (end.acknowledgements - begun.acknowledgements) / samples,
      resent: end.resent - begun.resent,
      samplesPerSecond: samples / seconds,
      apiMicros: ((after.api - cost.api) * 1e6) / samples,
      brokerMicros: ((after.broker - cost.broker) * 1e6) / samples,
      postgresMicros: ((after.postgres - cost.postgres) * 1e6) / samples,
      boardsMicros: ((after.boards - cost.boards) * 1e6) / samples,
      busy: (after.busy - cost.busy) / (after.all - cost.all),
      brokerKilobytes: ((brokerMegabytes - idleMegabytes) * 1000) / boards,
      ...memory,
      stormSeconds,
    };
  });

/** Boards that are connected and send only pings. */
export const measureIdle = (boards: number, say: (line: string) => void): Promise<number> =>
  withFleet(boards, { channels: 3, samplesPerBatch: 0 }, async ({ stack, fleets, idleMegabytes }) => {
    for (let second = 0; second < connectSeconds && (await reportOf(fleets)).open < boards; second++)
      await sleep(1_000);
    await sleep(measuredSeconds * 1_000);
    const { now } = await residentMegabytes(stack.part('broker').pid ?? 0);
    say(`${(await reportOf(fleets)).open} idle boards, broker ${now.toFixed(0)} MB`);
    return ((now - idleMegabytes) * 1000) / boards;
  });

/** CPU time of these processes so far, s; those that have ended count as 0. */
export const cpuOf = async (pids: readonly number[]): Promise<number> =>
  (await Promise.all(pids.map((pid) => cpuSeconds(pid).catch(() => 0)))).reduce((all, seconds) => all + seconds, 0);

export const pidsOfPostgres = async (sql: postgres.Sql): Promise<number[]> =>
  (await sql<{ pid: number }[]>`SELECT pid FROM pg_stat_activity`).map(({ pid }) => pid);

const memoryOf = async (stack: Stack, sql: postgres.Sql, fleets: readonly Fleet[]) => ({
  apiMegabytes: await sharedOutMegabytes([stack.part('api').pid ?? 0]),
  postgresMegabytes: await sharedOutMegabytes(await pidsOfPostgres(sql)),
  boardsMegabytes: await sharedOutMegabytes(fleets.map(({ pid }) => pid)),
});

/** The clock, s, and CPU time so far: of the programs, of all current Postgres processes, and of the computer (used and total). */
const costs = async (stack: Stack, sql: postgres.Sql, fleets: readonly Fleet[]) => {
  const times = cpus().map((cpu) => cpu.times);
  const all = times.reduce((ms, { user, nice, sys, idle, irq }) => ms + user + nice + sys + idle + irq, 0) / 1000;
  return {
    clock: performance.now() / 1000,
    api: await cpuOf([stack.part('api').pid ?? 0]),
    broker: await cpuOf([stack.part('broker').pid ?? 0]),
    postgres: await cpuOf(await pidsOfPostgres(sql)),
    boards: await cpuOf(fleets.map(({ pid }) => pid)),
    busy: all - times.reduce((ms, { idle }) => ms + idle, 0) / 1000,
    all,
  };
};
