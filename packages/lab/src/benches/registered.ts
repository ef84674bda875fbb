import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { migratedTemplate } from '@roastery/api/testing/ingest-fixture';
import { freePort } from '@roastery/stack/ports';
import type { SupervisedProcess } from '@roastery/stack/supervised-process';
import type { Bench, Measurement } from '@roastery/testing/bench';
import { createDatabaseOn } from '@roastery/testing/database-on-server';
import { registerBoards } from '@roastery/testing/fleet/register-boards';
import { residentMegabytes } from '@roastery/testing/process-cost';
import { killProgram, startProgram } from '@roastery/testing/start-program';
import { startTestPostgres } from '@roastery/testing/test-postgres';
import { until, untilHttpOk } from '@roastery/testing/until';
import postgres from 'postgres';
import { closeFleets, reportOf, startFleets } from '../fleet/fleet-process.ts';
import { untilAllHeard } from '../fleet/measure-fleet.ts';

const registered = Number(process.env['FLEET_REGISTERED'] ?? 100_000);
const connected = Number(process.env['FLEET_BOARDS'] ?? 2_000);
const patience = { timeoutMs: 300_000 };
const settleSeconds = 10;
const maxStartSeconds = 20;

/** Seconds that the work took. */
const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const begun = performance.now();
  await work();
  return (performance.now() - begun) / 1000;
};

const megabytes = async ({ pid }: SupervisedProcess): Promise<number> => (await residentMegabytes(pid ?? 0)).now;

/** A broker, and apis as they are started; each with its own ports. */
const openPrograms = async (databaseUrl: string) => {
  const secret = randomBytes(16).toString('hex');
  const [apiPort, mqttPort, managementPort] = [await freePort(), await freePort(), await freePort()];
  const common = { BROKER_SECRET: secret, LOG_LEVEL: 'error' };
  const broker = startProgram('broker', {
    ...common,
    MQTT_PORT: String(mqttPort),
    MANAGEMENT_PORT: String(managementPort),
    API_URL: `http://127.0.0.1:${apiPort}/api/v1`,
    MAX_CONNECTIONS: `${connected * 2}`,
    MAX_CONNECTIONS_PER_ADDRESS: `${connected * 2}`,
  });
  const programs = [broker];
  return {
    broker,
    mqttPort,
    /** Resolves when it is ready. */
    async startApi(port = apiPort): Promise<SupervisedProcess> {
      const program = startProgram('api', {
        ...common,
        DATABASE_URL: databaseUrl,
        PORT: String(port),
        PUBLIC_URL: `http://127.0.0.1:${apiPort}`,
        MQTT_URL: `mqtt://127.0.0.1:${mqttPort}`,
        MQTT_SHARED_INGEST: 'true',
        BROKER_MANAGEMENT_URL: `http://127.0.0.1:${managementPort}`,
        SECRET_KEY: secret.repeat(2),
        ADMIN_EMAIL: 'admin@roastery.example',
        ADMIN_PASSWORD: secret,
        DRAIN_SECONDS: '0',
      });
      programs.push(program);
      await untilHttpOk(`http://127.0.0.1:${port}/readyz`, { ...patience, everyMs: 20 });
      return program;
    },
    untilReady: () => untilHttpOk(`http://127.0.0.1:${apiPort}/readyz`, patience),
    /** Configs and plans that the broker has received. */
    async published(): Promise<number> {
      const text = await (await fetch(`http://127.0.0.1:${managementPort}/metrics`)).text();
      const counts = text.matchAll(/^roastery_broker_messages_in_total\{kind="(?:config|plan)"\} (\d+)$/gm);
      return Array.from(counts, ([, count]) => Number(count)).reduce((sum, one) => sum + one, 0);
    },
    async [Symbol.asyncDispose](): Promise<void> {
      for (const program of programs.toReversed()) await program.stop(3_000);
    },
  };
};

/** Resolves when two instances state that they receive the messages of their machines, by the same division. */
const bothReady = async (sql: postgres.Sql): Promise<void> => {
  const stated = new Map<string, string>();
  const listening = await sql.listen('ingest_instances_ready', (payload) => {
    const [id = '', key = ''] = payload.split(' ');
    stated.set(id, key);
  });
  const keys = (): string[] => [...stated.values()];
  await until('both apis', () => keys().some((key) => keys().filter((one) => one === key).length === 2), patience);
  await listening.unlisten();
};

/** Starts a second api, and measures until both receive the messages of their machines. */
const measureDivision = async (programs: Awaited<ReturnType<typeof openPrograms>>, sql: postgres.Sql) => {
  const waiting = bothReady(sql);
  const before = await megabytes(programs.broker);
  let second: SupervisedProcess | undefined;
  const seconds = await timed(async () => {
    second = await programs.startApi(await freePort());
    await waiting;
  });
  await sleep(settleSeconds * 1000);
  return {
    seconds,
    apiMegabytes: second === undefined ? NaN : await megabytes(second),
    brokerMegabytes: (await megabytes(programs.broker)) - before,
  };
};

const run = async (say: (line: string) => void): Promise<Measurement[]> => {
  await using server = await startTestPostgres({ fsync: 'on', max_connections: '60' });
  await using database = await createDatabaseOn(server.url, migratedTemplate);
  const sql = postgres(database.url, { max: 2, onnotice: () => undefined });
  const serials = await registerBoards(sql, registered);
  await sql`UPDATE machines SET config_rev = 1, board_settings = '{"hz": 1}'`;
  await using programs = await openPrograms(database.url);
  const begun = performance.now();
  const first = await programs.startApi();
  const startSeconds = (performance.now() - begun) / 1000;
  say(`ready after ${startSeconds.toFixed(1)} s, ${(await megabytes(first)).toFixed(0)} MB`);
  const areRetained = async (): Promise<boolean> =>
    (await sql<{ count: number }[]>`SELECT count(*)::int AS count FROM retained_messages`)[0]?.count === registered * 2;
  await until('configs and plans', areRetained, patience);
  const retainedSeconds = (performance.now() - begun) / 1000;
  const retainedMegabytes = await megabytes(programs.broker);
  say(`retained after ${retainedSeconds.toFixed(1)} s, ${retainedMegabytes.toFixed(0)} MB of the broker`);
  const fleets = startFleets({
    port: programs.mqttPort,
    serials: serials.slice(0, connected),
    channels: 3,
    samplesPerBatch: 1,
  });
  try {
    const heardSeconds = await untilAllHeard(fleets, connected, 120, say);
    const before = await programs.published();
    const againSeconds = await timed(async () => {
      await killProgram(first, patience);
      await programs.untilReady();
    });
    await sleep(settleSeconds * 1000);
    const apiMegabytes = await megabytes(first);
    say(`ready again after ${againSeconds.toFixed(1)} s, ${apiMegabytes.toFixed(0)} MB`);
    const division = await measureDivision(programs, sql);
    const again = (await programs.published()) - before;
    say(`both subscribed after ${division.seconds.toFixed(1)} s; ${again} published again`);
    for (const fleet of fleets) fleet.stopCutting();
    const isDelivered = async (): Promise<boolean> => {
      const { cut, acknowledged } = await reportOf(fleets);
      return cut === acknowledged;
    };
    await until('everything to be acknowledged', isDelivered, patience);
    const { cut } = await reportOf(fleets);
    const [stored] = await sql<{ samples: number }[]>`
      SELECT coalesce(sum(cardinality(dt_ms)), 0)::int AS samples FROM recording_chunks`;
    const ofAll = `${registered.toLocaleString('en-US')} registered machines`;
    const start = { of: 'value', atMost: maxStartSeconds } as const;
    const none = { of: 'value', atMost: 0 } as const;
    return [
      { what: `first start of an api until it is ready, ${ofAll}`, value: startSeconds, unit: 's', aim: start },
      { what: '… until the broker retains each config and plan', value: retainedSeconds, unit: 's' },
      { what: '… memory of the broker', value: retainedMegabytes, unit: 'MB' },
      {
        what: `${connected.toLocaleString('en-US')} boards connected and acknowledged`,
        value: heardSeconds,
        unit: 's',
      },
      { what: 'next start of the api until it is ready', value: againSeconds, unit: 's', aim: start },
      { what: '… memory of the api', value: apiMegabytes, unit: 'MB' },
      { what: 'second api until both are subscribed to their half', value: division.seconds, unit: 's', aim: start },
      { what: 'configs and plans published again by both', value: again, unit: 'messages', aim: none },
      { what: '… memory of the second api', value: division.apiMegabytes, unit: 'MB' },
      { what: '… of the broker for the subscriptions', value: division.brokerMegabytes, unit: 'MB' },
      { what: 'samples lost or doubled', value: Math.abs(cut - (stored?.samples ?? 0)), unit: 'samples', aim: none },
    ];
  } finally {
    await closeFleets(fleets);
    await sql.end();
  }
};

export default { title: 'Many registered machines', onlyWhenNamed: true, run } satisfies Bench;
