import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startStack, type Stack } from '@roastery/stack/stack';
import postgres from 'postgres';
import { percentile, type Bench, type Measurement } from '../bench.ts';
import { createDatabaseOn } from '../database-on-server.ts';
import { startFleet, type Fleet, type FleetReport } from '../fleet/fleet-process.ts';
import { measureUsual, type PeerCost } from '../fleet/peers.ts';
import { registerBoards } from '../fleet/register-boards.ts';
import { hasMosquitto } from '../mosquitto.ts';
import { cpuSeconds, residentMegabytes } from '../process-cost.ts';
import { startTestPostgres } from '../test-postgres.ts';

const boardsPerProcess = 5_000;
/** Boards of one step; the next step has 1.5 times as many. */
const firstStep = Number(process.env['FLEET_BOARDS'] ?? 1_000);
const maxBoards = Number(process.env['FLEET_MAX_BOARDS'] ?? 19_000);
/** Boards beside the usual consumer, and those that are idle. */
const comparedBoards = Number(process.env['FLEET_COMPARED'] ?? 3_000);
const connectSeconds = 60;
const measuredSeconds = 30;
const maxP99Ms = 1_000;
/** One batch per second. */
const fastHz = 4;

const sumOf = (reports: readonly FleetReport[]) => ({
  cut: reports.reduce((sum, { cut }) => sum + cut, 0),
  acknowledged: reports.reduce((sum, { acknowledged }) => sum + acknowledged, 0),
  lost: reports.reduce((sum, { lostConnections }) => sum + lostConnections, 0),
  open: reports.reduce((sum, { open }) => sum + open, 0),
  heard: reports.reduce((sum, { acknowledgedBoards }) => sum + acknowledgedBoards, 0),
  latencies: reports.flatMap(({ latenciesMs }) => latenciesMs),
});
const reportOf = async (fleets: readonly Fleet[]) => sumOf(await Promise.all(fleets.map((fleet) => fleet.report())));

/** Seconds until every board has an acknowledgement on its present connection. */
const untilAllHeard = async (fleets: readonly Fleet[], boards: number, withinSeconds: number): Promise<number> => {
  const begun = performance.now();
  for (;;) {
    const { heard } = await reportOf(fleets);
    const seconds = (performance.now() - begun) / 1000;
    if (heard >= boards || seconds > withinSeconds) return heard >= boards ? seconds : Infinity;
    await sleep(250);
  }
};

interface Step {
  readonly boards: number;
  readonly connectedSeconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly missing: number;
  readonly apiMicros: number;
  readonly brokerMicros: number;
  readonly postgresMicros: number;
  readonly brokerKilobytes: number;
  readonly stormSeconds: number;
}

interface Load {
  readonly channels: number;
  readonly samplesPerBatch: number;
}

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
  await using server = await startTestPostgres({ fsync: 'on', max_connections: '60' });
  await using database = await createDatabaseOn(server.url);
  const limits = String(maxBoards * 2);
  await using stack = await startStack({
    dataDir,
    databaseUrl: database.url,
    logLevel: 'warn',
    brokerSettings: { MAX_CONNECTIONS: limits, MAX_CONNECTIONS_PER_ADDRESS: limits },
  });
  const sql = postgres(database.url, { max: 1, onnotice: () => undefined });
  const serials = await registerBoards(sql, boards);
  const idleMegabytes = (await residentMegabytes(stack.part('broker').pid ?? 0)).now;
  const wallOffsetMs = Date.now() - Math.round(performance.now()) - 3_600_000;
  const fleets: Fleet[] = [];
  for (let from = 0; from < boards; from += boardsPerProcess) {
    const part = serials.slice(from, from + boardsPerProcess);
    fleets.push(startFleet({ port: stack.ports.mqtt, serials: part, ...load, wallOffsetMs }));
  }
  try {
    return await work({ stack, sql, fleets, idleMegabytes });
  } finally {
    await Promise.all(fleets.map((fleet) => fleet.close()));
    await sql.end();
    await rm(dataDir, { recursive: true, force: true });
  }
};

/** One number of boards: connect at once, 30 s of work, all processes killed, and what Postgres holds. */
const measure = (boards: number, load: Load, say: (line: string) => void): Promise<Step> =>
  withFleet(boards, load, async ({ stack, sql, fleets, idleMegabytes }) => {
    const connectedSeconds = await untilAllHeard(fleets, boards, connectSeconds);
    say(`${boards} boards: all acknowledged after ${connectedSeconds.toFixed(1)} s`);
    await sleep(3_000);
    const cost = await costs(stack, sql);
    const begun = await reportOf(fleets);
    await sleep(measuredSeconds * 1000);
    const after = await costs(stack, sql);
    const end = await reportOf(fleets);
    const samples = end.acknowledged - begun.acknowledged;
    const p99Ms = end.latencies.length === 0 ? Infinity : percentile(end.latencies, 0.99);
    const brokerMegabytes = (await residentMegabytes(stack.part('broker').pid ?? 0)).now;
    say(
      `  ${Math.round(samples / measuredSeconds)} samples/s, p99 ${Math.round(p99Ms)} ms, ${end.lost} connections lost`,
    );
    say(
      `  api ${(100 * (after.api - cost.api)) / measuredSeconds} %, broker ${(100 * (after.broker - cost.broker)) / measuredSeconds} % of a core`,
    );

    process.kill(stack.part('broker').pid ?? 0, 'SIGKILL');
    process.kill(stack.part('api').pid ?? 0, 'SIGKILL');
    await sleep(2_000);
    const stormSeconds = 2 + (await untilAllHeard(fleets, boards, 120));
    say(`  after broker and api were killed: all back and acknowledged in ${stormSeconds.toFixed(1)} s`);

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
      p50Ms: end.latencies.length === 0 ? Infinity : percentile(end.latencies, 0.5),
      p99Ms,
      missing: Math.abs(last.cut - stored) + (last.cut - last.acknowledged),
      apiMicros: ((after.api - cost.api) * 1e6) / samples,
      brokerMicros: ((after.broker - cost.broker) * 1e6) / samples,
      postgresMicros: ((after.postgres - cost.postgres) * 1e6) / samples,
      brokerKilobytes: ((brokerMegabytes - idleMegabytes) * 1000) / boards,
      stormSeconds,
    };
  });

/** Boards that are connected and send nothing but pings. */
const measureIdle = (boards: number, say: (line: string) => void): Promise<number> =>
  withFleet(boards, { channels: 3, samplesPerBatch: 0 }, async ({ stack, fleets, idleMegabytes }) => {
    for (let second = 0; second < connectSeconds && (await reportOf(fleets)).open < boards; second++)
      await sleep(1_000);
    await sleep(measuredSeconds * 1_000);
    const { now } = await residentMegabytes(stack.part('broker').pid ?? 0);
    say(`${(await reportOf(fleets)).open} idle boards, broker ${now.toFixed(0)} MB`);
    return ((now - idleMegabytes) * 1000) / boards;
  });

/** CPU of the programs so far, s; for Postgres all present processes. */
const costs = async (stack: Stack, sql: postgres.Sql): Promise<{ api: number; broker: number; postgres: number }> => {
  const processes = await sql<{ pid: number }[]>`SELECT pid FROM pg_stat_activity`;
  const ofPostgres = await Promise.all(processes.map(({ pid }) => cpuSeconds(pid).catch(() => 0)));
  return {
    api: await cpuSeconds(stack.part('api').pid ?? 0),
    broker: await cpuSeconds(stack.part('broker').pid ?? 0),
    postgres: ofPostgres.reduce((sum, seconds) => sum + seconds, 0),
  };
};

/** Grows the fleet until it is too slow or loses something; the last step that passed. */
const grow = async (load: Load, say: (line: string) => void): Promise<Step> => {
  let held: Step | undefined;
  for (let boards = firstStep; boards <= maxBoards; boards = Math.round(boards * 1.5)) {
    const step = await measure(boards, load, say);
    if (step.p99Ms > maxP99Ms || step.missing > 0 || step.connectedSeconds === Infinity) return held ?? step;
    held = step;
  }
  if (held === undefined) throw new Error('FLEET_BOARDS is larger than FLEET_MAX_BOARDS');
  return held;
};

const count = (value: number): string => value.toLocaleString('en-US', { maximumSignificantDigits: 2 });
const micros = (value: number): string => value.toLocaleString('en-US', { maximumSignificantDigits: 3 });
/** Rounded up, as when buying a machine. */
const tenths = (value: number): string => (Math.ceil(value * 10) / 10).toFixed(1);

/** The measured lines of "Capacity" in deploy/README.md, as written there. */
const capacityLines = (slow: Step, fast: Step): string[] => {
  const row = (what: string, of: (step: Step) => number, note = ''): string =>
    `| CPU of ${what} | ${micros(of(slow))} µs | ${micros(of(fast) * fastHz)} µs | \`fleet\`: ${micros(of(slow))} and ${micros(of(fast))} µs a sample${note} |`;
  const milliseconds = (step: Step, hz: number): number =>
    ((step.apiMicros + step.brokerMicros + step.postgresMicros) * hz) / 1000;
  const boards = fast.boards.toLocaleString('en-US');
  const halfBusy = count(500_000 / Math.max(slow.apiMicros, fast.apiMicros * fastHz));
  return [
    row('the api', (step) => step.apiMicros),
    row('the broker', (step) => step.brokerMicros, ', one live reading a second'),
    row('Postgres', (step) => step.postgresMicros),
    `- **Cores** = \`boards that roast at once × ${tenths(milliseconds(slow, 1))} ms\`, at 4 Hz ${tenths(milliseconds(fast, fastHz))} ms, … half busy with ${halfBusy} boards`,
    `- **Memory** = \`100 MB + ${count(Math.max(slow.brokerKilobytes, fast.brokerKilobytes))} KB × boards\` for the broker`,
    `- **A Monday morning**: … all ${boards} boards were connected and acknowledged within ${fast.stormSeconds.toFixed(1)} s`,
  ];
};

const run = async (say: (line: string) => void): Promise<Measurement[]> => {
  say('1 Hz, 3 channels');
  const slow = await grow({ channels: 3, samplesPerBatch: 1 }, say);
  say('4 Hz, 8 channels');
  const fast = await grow({ channels: 8, samplesPerBatch: fastHz }, say);
  say(`${comparedBoards} boards beside a usual consumer, and idle`);
  const ours = await measure(comparedBoards, { channels: 3, samplesPerBatch: 1 }, say);
  const chain = ours.brokerMicros + ours.apiMicros + ours.postgresMicros;
  const peers: { name: string; cost: PeerCost }[] = [
    { name: 'our broker, one INSERT a message', cost: await measureUsual(comparedBoards, 'own') },
  ];
  if (hasMosquitto)
    peers.push({ name: 'Mosquitto, one INSERT a message', cost: await measureUsual(comparedBoards, 'mosquitto') });
  const idleKilobytes = await measureIdle(comparedBoards, say);
  say('for "Capacity" in deploy/README.md:');
  for (const line of capacityLines(slow, fast)) say(line);
  return [
    ...peers.map(({ name, cost }): Measurement => {
      say(`${name}: broker ${cost.broker}, consumer ${cost.consumer}, Postgres ${cost.postgres} µs a sample`);
      say(`  ${cost.missing} samples missing`);
      return {
        what: `CPU without the boards, ${comparedBoards.toLocaleString('en-US')} boards at 1 Hz`,
        value: chain,
        unit: 'µs/sample',
        against: { what: name, value: cost.broker + cost.consumer + cost.postgres },
        aim: { of: 'ratio', atMost: 0.4 },
      };
    }),
    {
      what: `broker memory, ${comparedBoards.toLocaleString('en-US')} idle boards`,
      value: idleKilobytes,
      unit: 'KB/connection',
      aim: { of: 'value', atMost: 60 },
    },
    {
      what: 'boards at 1 Hz, p99 to the acknowledgement ≤ 1 s',
      value: slow.boards,
      unit: 'boards',
      aim: { of: 'value', atLeast: 19_000 },
    },
    { what: '… p50', value: slow.p50Ms, unit: 'ms' },
    { what: '… p99', value: slow.p99Ms, unit: 'ms' },
    { what: '… samples lost or doubled', value: slow.missing, unit: 'samples', aim: { of: 'value', atMost: 0 } },
    { what: '… all connected and acknowledged', value: slow.connectedSeconds, unit: 's' },
    {
      what: '… again, after broker and api were killed',
      value: slow.stormSeconds,
      unit: 's',
      aim: { of: 'value', atMost: 60 },
    },
    { what: '… CPU of the api', value: slow.apiMicros, unit: 'µs/sample' },
    { what: '… CPU of the broker', value: slow.brokerMicros, unit: 'µs/sample' },
    { what: '… CPU of Postgres', value: slow.postgresMicros, unit: 'µs/sample' },
    { what: '… broker memory', value: slow.brokerKilobytes, unit: 'KB/connection' },
    {
      what: 'samples/s at 4 Hz × 8 channels',
      value: fast.boards * fastHz,
      unit: 'samples/s',
      aim: { of: 'value', atLeast: 40_000 },
    },
    { what: '… p99', value: fast.p99Ms, unit: 'ms' },
    { what: '… CPU of the api', value: fast.apiMicros, unit: 'µs/sample' },
    { what: '… CPU of the broker', value: fast.brokerMicros, unit: 'µs/sample' },
    { what: '… CPU of Postgres', value: fast.postgresMicros, unit: 'µs/sample' },
    { what: '… samples lost or doubled', value: fast.missing, unit: 'samples', aim: { of: 'value', atMost: 0 } },
  ];
};

export default { title: 'A fleet of boards', onlyWhenNamed: true, run } satisfies Bench;
