import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { serviceUserName } from '@roastery/contract/mqtt';
import { freePort } from '@roastery/stack/ports';
import { startStack, type Stack } from '@roastery/stack/stack';
import type { SupervisedProcess } from '@roastery/stack/supervised-process';
import postgres from 'postgres';
import type { Bench, Measurement } from '@roastery/testing/bench';
import { createDatabaseOn } from '@roastery/testing/database-on-server';
import { notingCommits, readCommitDelays } from '../fleet/commit-delays.ts';
import { closeFleets, reportOf, startFleets } from '../fleet/fleet-process.ts';
import { cpuOf, pidsOfPostgres, untilAllHeard, untilAllStored } from '../fleet/measure-fleet.ts';
import { registerBoards, serialOf } from '@roastery/testing/fleet/register-boards';
import { startTaking, type Taken } from '@roastery/testing/lot-taking';
import { hasMosquitto, startMosquitto } from '@roastery/testing/mosquitto';
import { signIn } from '@roastery/testing/roastery-client';
import { askLogin } from '@roastery/testing/sending-board';
import { killProgram, startProgram } from '@roastery/testing/start-program';
import { startTestPostgres } from '@roastery/testing/test-postgres';
import { untilHttpOk, untilListening } from '@roastery/testing/until';

const boardsPerProcess = 5_000;
const firstStep = Number(process.env['FLEET_BOARDS'] ?? 3_000);
const maxBoards = Number(process.env['FLEET_MAX_BOARDS'] ?? 10_000);
const growth = 1.25;
const connectSeconds = 60;
const measuredSeconds = 20;
/** By then the programs are compiled. */
const settlingSeconds = 20;
/** One, two and three apis take turns so often: a computer is not equally fast for minutes. */
const turns = 3;
const maxP99Ms = 1_000;
/** In a storm each of two people at an api waits this long between two movements, to leave the processor to the boards. */
const betweenTakingMs = 20;
/** A full computer starts an api slowly. */
const patience = { timeoutMs: 120_000 };
/** Boards that request their login at the same time, and all that do. */
const asking = 40;
const askingBoards = 1_000;

/** The broker was killed, and the apis in turn while the boards returned. */
interface Storm {
  /** Until all boards were acknowledged again. */
  readonly seconds: number;
  readonly taken: Taken;
}

interface Step {
  readonly boards: number;
  readonly p99Ms: number;
  readonly missing: number;
  /** CPU of each, µs for each sample of all boards. */
  readonly apis: readonly number[];
  readonly broker: number;
  readonly postgres: number;
  readonly fleet: number;
  /** Of all of them, in cores. */
  readonly cores: number;
  /** Where there was one. */
  readonly storm: Storm | undefined;
}

interface BenchedBroker {
  pid(): number;
  kill(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}
/** Our own, unless Mosquitto is installed or one of them is named. */
const brokerName = process.env['BENCH_BROKER'] ?? (hasMosquitto ? 'mosquitto' : 'ours');

const startOurs = (env: Record<string, string>): BenchedBroker => {
  const program = startProgram('broker', env);
  return {
    pid: () => program.pid ?? 0,
    kill: () => killProgram(program, patience),
    start: async () => void (await untilListening(Number(env['MQTT_PORT']))),
    close: () => program.stop(3_000),
  };
};

interface Running {
  readonly admin: Stack['admin'];
  readonly apis: readonly { readonly url: string; readonly process: SupervisedProcess }[];
  readonly broker: BenchedBroker;
  readonly mqttPort: number;
  readonly sql: postgres.Sql;
  readonly serials: readonly string[];
}

/** Apis behind a broker, Mosquitto with the files of `deploy/brokers`, on a fresh database, and boards that are registered. */
const withApis = async <T>(
  apiCount: number,
  boards: number,
  settings: Readonly<Record<string, string>>,
  work: (running: Running) => Promise<T>,
): Promise<T> => {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'roastery-two-apis-'));
  await using server = await startTestPostgres({ fsync: 'on', max_connections: '60', ...notingCommits });
  await using database = await createDatabaseOn(server.url);
  const apis: Running['apis'][number][] = [];
  let running: BenchedBroker | undefined;
  const users = Object.fromEntries(Array.from({ length: boards }, (_, n) => [serialOf(n), serialOf(n)]));
  await using stack = await startStack({
    dataDir,
    databaseUrl: database.url,
    logLevel: 'warn',
    servers: {
      async start({ api, broker }) {
        const secret = { [serviceUserName]: api['BROKER_SECRET'] ?? '' };
        const started =
          brokerName === 'ours'
            ? startOurs({ ...broker, MAX_CONNECTIONS: `${boards + 10}`, MAX_CONNECTIONS_PER_ADDRESS: `${boards + 10}` })
            : await startMosquitto(Number(broker['MQTT_PORT']), { ...users, ...secret });
        running = started;
        for (let n = 0; n < apiCount; n++) {
          const port = n === 0 ? Number(api['PORT']) : await freePort();
          const env = { ...api, MQTT_SHARED_INGEST: 'true', ...settings, PORT: String(port) };
          apis.push({ url: `http://127.0.0.1:${port}`, process: startProgram('api', env) });
        }
        return {
          close: async () => {
            await Promise.all(apis.map(({ process }) => process.stop(3_000)));
            await started.close();
          },
        };
      },
    },
  });
  if (running === undefined) throw new Error('no broker');
  for (const { url } of apis) await untilHttpOk(`${url}/readyz`);
  const sql = postgres(database.url, { max: 1, onnotice: () => undefined });
  try {
    const serials = await registerBoards(sql, boards);
    return await work({ admin: stack.admin, apis, broker: running, mqttPort: stack.ports.mqtt, sql, serials });
  } finally {
    await sql.end();
    await rm(dataDir, { recursive: true, force: true });
  }
};

/** Users that dynamic security creates a second when many boards connect for the first time. */
const measureUsers = (boards: number): Promise<number> =>
  withApis(1, boards, { MOSQUITTO_DYNAMIC_SECURITY: 'true' }, async ({ apis, serials }) => {
    const begun = performance.now();
    for (let from = 0; from < boards; from += asking)
      await Promise.all(
        serials
          .slice(from, from + asking)
          .map((serial) => askLogin(apis[0]?.url ?? '', { serial_number: serial, auth_token: serial })),
      );
    return boards / ((performance.now() - begun) / 1000);
  });

/**
 * Boards at 1 Hz with a batch a second.
 * @param isStormy ends with a storm when the work was measured
 */
const measure = (apiCount: number, boards: number, isStormy: boolean, say: (line: string) => void): Promise<Step> =>
  withApis(apiCount, boards, {}, async ({ admin, apis, broker, mqttPort, sql, serials }) => {
    const plan = { port: mqttPort, serials, channels: 3, samplesPerBatch: 1 };
    const fleets = startFleets(plan, { boardsPerProcess });
    try {
      const isConnected = (await untilAllHeard(fleets, boards, connectSeconds, say)) < Infinity;
      const storm = async (): Promise<Storm> => {
        const people = await Promise.all(apis.map(({ url }) => signIn(url, admin)));
        await using taking = await startTaking([...people, ...people], { pauseMs: betweenTakingMs });
        await broker.kill();
        const killed = performance.now();
        await broker.start();
        for (const { process, url } of apis) {
          await killProgram(process, patience);
          await untilHttpOk(`${url}/readyz`, patience);
        }
        const heard = await untilAllHeard(fleets, boards, 120, say);
        // Boards that were acknowledged before the last kill may have waited since.
        const stored = await untilAllStored(fleets, boards, 120);
        const seconds = heard + stored < Infinity ? (performance.now() - killed) / 1000 : Infinity;
        return { seconds, taken: await taking.stop() };
      };
      await sleep(settlingSeconds * 1_000);
      const pids = await pidsOfPostgres(sql);
      const costs = async () => ({
        apis: await Promise.all(apis.map(({ process }) => cpuOf([process.pid ?? 0]))),
        broker: await cpuOf([broker.pid()]),
        postgres: await cpuOf(pids),
        fleet: await cpuOf(fleets.map(({ pid }) => pid)),
      });
      const [before, begun, from] = [await costs(), await reportOf(fleets), Date.now()];
      await sleep(measuredSeconds * 1_000);
      const [after, end] = [await costs(), await reportOf(fleets)];
      const { p99Ms } = await readCommitDelays(sql, { samplesPerBatch: plan.samplesPerBatch, from, to: Date.now() });
      const stormy = isStormy ? await storm() : undefined;
      for (const fleet of fleets) fleet.stopCutting();
      let last = await reportOf(fleets);
      for (let second = 0; second < 60 && last.acknowledged < last.cut; second++) {
        await sleep(1_000);
        last = await reportOf(fleets);
      }
      const [row] = await sql<{ samples: string }[]>`SELECT sum(cardinality(dt_ms)) AS samples FROM recording_chunks`;
      const stored = Number(row?.samples ?? 0);
      const samples = end.acknowledged - begun.acknowledged;
      const micros = (seconds: number): number => (seconds * 1e6) / samples;
      const step: Step = {
        boards,
        p99Ms: isConnected ? p99Ms : Infinity,
        missing: Math.abs(last.cut - stored) + (last.cut - last.acknowledged),
        apis: after.apis.map((seconds, n) => micros(seconds - (before.apis[n] ?? 0))),
        broker: micros(after.broker - before.broker),
        postgres: micros(after.postgres - before.postgres),
        fleet: micros(after.fleet - before.fleet),
        cores: 0,
        storm: stormy,
      };
      const all = [...step.apis, step.broker, step.postgres, step.fleet].reduce((a, b) => a + b, 0);
      const cores = (all * samples) / measuredSeconds / 1e6;
      say(
        `${apiCount} api: ${boards} boards, p99 ${Math.round(step.p99Ms)} ms, ${Math.round(samples / measuredSeconds)} samples/s, ${step.missing} lost or doubled`,
      );
      say(
        `  µs a sample: apis ${step.apis.map((value) => value.toFixed(1)).join(' + ')}, broker ${step.broker.toFixed(1)}, Postgres ${Math.round(step.postgres)}, boards ${Math.round(step.fleet)}; ${cores.toFixed(2)} cores`,
      );
      if (stormy !== undefined)
        say(
          `  storm ${stormy.seconds.toFixed(1)} s; ${stormy.taken.stored} movements of the ledger, ${stormy.taken.confirmed} confirmed, ${stormy.taken.asked} requested`,
        );
      return { ...step, cores };
    } finally {
      await closeFleets(fleets);
    }
  });

const holds = ({ p99Ms, missing }: Step): boolean => p99Ms <= maxP99Ms && missing === 0;

/** The last number of boards that held; 0 where the first one did not. */
const grow = async (apiCount: number, first: Step, say: (line: string) => void): Promise<Step> => {
  if (!holds(first)) return { ...first, boards: 0 };
  let held = first;
  for (let boards = firstStep * growth; boards <= maxBoards; boards *= growth) {
    const step = await measure(apiCount, Math.round(boards), false, say);
    if (!holds(step)) break;
    held = step;
  }
  return held;
};

const medianOf = (steps: readonly Step[], read: (step: Step) => number): number =>
  steps.map(read).toSorted((a, b) => a - b)[steps.length >> 1] ?? Number.NaN;
const busiest = ({ apis }: Step): number => Math.max(...apis);
const ofBroker = ({ broker }: Step): number => broker;
const ofPostgres = ({ postgres: micros }: Step): number => micros;

const run = async (say: (line: string) => void): Promise<Measurement[]> => {
  if (brokerName === 'mosquitto' && !hasMosquitto) throw new Error('needs `apt install mosquitto`');
  say(`broker: ${brokerName}`);
  const [ones, twos, threes]: [Step[], Step[], Step[]] = [[], [], []];
  for (let turn = 0; turn < turns; turn++) {
    ones.push(await measure(1, firstStep, turn === 0, say));
    twos.push(await measure(2, firstStep, turn === 0, say));
    threes.push(await measure(3, firstStep, false, say));
  }
  const [first, firstOfTwo] = [ones[0], twos[0]];
  if (first === undefined || firstOfTwo === undefined) throw new Error('no turn');
  const [one, two] = [await grow(1, first, say), await grow(2, firstOfTwo, say)];
  const count = firstStep.toLocaleString('en-US');
  return [
    {
      what: 'boards at 1 Hz behind two apis, p99 ≤ 1 s',
      value: two.boards,
      unit: 'boards',
      against: { what: 'one api', value: one.boards },
    },
    {
      what: '… cores in use, boards and Postgres included',
      value: two.cores,
      unit: 'cores',
      against: { what: 'one api', value: one.cores },
    },
    { what: '… p99', value: two.p99Ms, unit: 'ms', against: { what: 'one api', value: one.p99Ms } },
    {
      what: '… samples lost or doubled',
      value: [...ones, ...twos, ...threes, one, two].reduce((sum, { missing }) => sum + missing, 0),
      unit: 'samples',
      aim: { of: 'value', atMost: 0 },
    },
    {
      what: `${count} boards again acknowledged, the broker killed, apis in turn during it`,
      value: firstOfTwo.storm?.seconds ?? Infinity,
      unit: 's',
      aim: { of: 'value', atMost: 60 },
    },
    {
      what: '… movements of the ledger wrong',
      value: [first, firstOfTwo].reduce((sum, { storm }) => sum + (storm?.taken.wrong ?? Infinity), 0),
      unit: 'movements',
      aim: { of: 'value', atMost: 0 },
    },
    {
      what: `CPU of one api, ${count} boards`,
      value: medianOf(ones, busiest),
      unit: 'µs/sample',
      against: { what: 'the busier of two', value: medianOf(twos, busiest) },
      aim: { of: 'ratio', atLeast: 1 / 0.55 },
    },
    {
      what: '… CPU of Postgres, two apis',
      value: medianOf(twos, ofPostgres),
      unit: 'µs/sample',
      against: { what: 'one api', value: medianOf(ones, ofPostgres) },
    },
    {
      what: `CPU of the broker for each further api, ${count} boards`,
      value: (medianOf(threes, ofBroker) - medianOf(ones, ofBroker)) / 2,
      unit: 'µs/sample',
      aim: { of: 'value', atMost: 1 },
    },
    {
      what: '… CPU of the busiest of three apis',
      value: medianOf(threes, busiest),
      unit: 'µs/sample',
      against: { what: 'one api', value: medianOf(ones, busiest) },
    },
    ...(brokerName === 'mosquitto'
      ? [
          {
            what: `users of Mosquitto made by dynamic security, the first ${askingBoards.toLocaleString('en-US')}`,
            value: await measureUsers(askingBoards),
            unit: 'users/s',
          },
        ]
      : []),
  ];
};

export default { title: 'Several apis', onlyWhenNamed: true, run } satisfies Bench;
