import { randomBytes } from 'node:crypto';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { migratedTemplate } from '@roastery/api/testing/ingest-fixture';
import type { Bench, Measurement } from '@roastery/testing/bench';
import { createDatabaseOn } from '@roastery/testing/database-on-server';
import { registerBoards } from '@roastery/testing/fleet/register-boards';
import { startTaking } from '@roastery/testing/lot-taking';
import { signIn } from '@roastery/testing/roastery-client';
import { startTestPostgres } from '@roastery/testing/test-postgres';
import { until } from '@roastery/testing/until';
import postgres from 'postgres';
import { notingCommits } from '../fleet/commit-delays.ts';
import { closeFleets, reportOf, startFleets, type Fleet } from '../fleet/fleet-process.ts';
import { cpuOf, pidsOfPostgres } from '../fleet/measure-fleet.ts';
import { needsHosts, openHosts, type Host, type Hosts } from '../fleet/hosts.ts';

const boards = Number(process.env['FLEET_BOARDS'] ?? 3_000);
/** How long a host is away. */
const awaySeconds = Number(process.env['AWAY_SECONDS'] ?? 60);
/** Of the rounds only those that match, as `a broker killed`. */
const wanted = new RegExp(process.env['HOSTS_ROUNDS'] ?? '');
const settleSeconds = 10;
const countedSeconds = 20;
const maxCommitSeconds = 15;
const patience = { timeoutMs: 180_000 };
const [apiPort, managementPort] = [3000, 18083];
const secret = randomBytes(16).toString('hex');
const admin = { email: 'admin@roastery.example', password: secret };

/** Forwards connections from the hub to the chosen place. */
const startForwarder = async (host: string, port: number, choose: () => { host: string; port: number }) => {
  const sockets = new Set<Socket>();
  const join = (one: Socket, other: Socket): void => {
    sockets.add(one);
    one.on('error', () => one.destroy());
    one.once('close', () => {
      sockets.delete(one);
      other.destroy();
    });
    one.pipe(other);
  };
  const server = createServer((near) => {
    const far = connect(choose());
    join(near, far);
    join(far, near);
  });
  await new Promise<void>((resolve) => {
    server.listen(port, host, resolve);
  });
  return {
    place: `${host}:${port}`,
    async [Symbol.asyncDispose](): Promise<void> {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

const answers = ({ address }: Host, page: 'healthz' | 'readyz'): Promise<boolean> =>
  fetch(`http://${address}:${apiPort}/${page}`, { signal: AbortSignal.timeout(1000) }).then(
    ({ ok }) => ok,
    () => false,
  );

/** As HAProxy does: connections go to the apis that answer. By `healthz`: an api is ready when a broker has accepted it. */
const startBalancer = async ({ hub, apis }: Hosts) => {
  let alive: readonly Host[] = apis;
  let turn = 0;
  const look = async (): Promise<void> => {
    const states = await Promise.all(apis.map((api) => answers(api, 'healthz')));
    alive = apis.filter((_, n) => states[n] === true);
  };
  const timer = setInterval(() => void look(), 1000);
  const forwarder = await startForwarder(hub, apiPort, () => {
    const chosen = alive[(turn += 1) % Math.max(1, alive.length)];
    return chosen === undefined ? { host: hub, port: 1 } : { host: chosen.address, port: apiPort };
  });
  return {
    url: `http://${forwarder.place}`,
    async [Symbol.asyncDispose](): Promise<void> {
      clearInterval(timer);
      await forwarder[Symbol.asyncDispose]();
    },
  };
};

/** Returns the addresses of the brokers. */
const startPrograms = (hosts: Hosts, databaseUrl: string): string[] => {
  const urls = hosts.brokers.map(({ address }) => `mqtt://${address}:1883`);
  const common = { BROKER_SECRET: secret, LOG_LEVEL: 'error' };
  for (const host of hosts.apis)
    host.start({
      ...common,
      DATABASE_URL: databaseUrl,
      HOST: host.address,
      PORT: String(apiPort),
      PUBLIC_URL: `http://${hosts.hub}:${apiPort}`,
      MQTT_URLS: urls.join(),
      MQTT_SHARED_INGEST: 'true',
      BROKER_MANAGEMENT_URLS: hosts.brokers.map(({ address }) => `http://${address}:${managementPort}`).join(),
      SECRET_KEY: secret.repeat(2),
      ADMIN_EMAIL: admin.email,
      ADMIN_PASSWORD: admin.password,
      METRICS_TOKEN: secret,
      DRAIN_SECONDS: '0',
    });
  for (const host of hosts.brokers)
    host.start({
      ...common,
      HOST: host.address,
      MQTT_PORT: '1883',
      MANAGEMENT_HOST: host.address,
      MANAGEMENT_PORT: String(managementPort),
      API_URL: `http://${hosts.hub}:${apiPort}/api/v1`,
      MAX_CONNECTIONS: `${boards * 2}`,
      MAX_CONNECTIONS_PER_ADDRESS: `${boards * 2}`,
    });
  return urls;
};

const messagesOf = async ({ address }: Host): Promise<number> => {
  const headers = { authorization: `Bearer ${secret}` };
  const text = await (await fetch(`http://${address}:${apiPort}/metrics`, { headers })).text();
  return Number(/^ingest_messages_total (\d+)$/m.exec(text)?.[1]);
};
/** Of the journal messages of some seconds, the share of each api; and the CPU of each part, in cores. */
const measureShares = async ({ apis, brokers }: Hosts, sql: postgres.Sql, fleets: readonly Fleet[]) => {
  const parts = {
    apis: apis.map(({ pid }) => pid),
    brokers: brokers.map(({ pid }) => pid),
    Postgres: await pidsOfPostgres(sql),
    boards: fleets.map(({ pid }) => pid),
  };
  const used = () => Promise.all(Object.values(parts).map(cpuOf));
  const [before, cpuBefore] = [await Promise.all(apis.map(messagesOf)), await used()];
  await sleep(countedSeconds * 1000);
  const received = (await Promise.all(apis.map(messagesOf))).map((count, n) => count - (before[n] ?? 0));
  const cores = (await used()).map((seconds, n) => (seconds - (cpuBefore[n] ?? 0)) / countedSeconds);
  return {
    shares: received.map((count) => count / received.reduce((sum, one) => sum + one, 0)),
    cores: Object.keys(parts).map((part, n) => `${part} ${cores[n]?.toFixed(2)}`),
  };
};

/**
 * The second that waited longest for its commit, of those that were cut in this time, in s: how long, until an api received it,
 * and how late in this time it was cut.
 */
const longestCommit = async (sql: postgres.Sql, from: number, to: number) => {
  const [row] = await sql<{ seconds: number; received: number; at: number }[]>`
    SELECT extract(epoch FROM pg_xact_commit_timestamp(c.xmin))::float8 - (c.mono_ms + cut.dt) / 1000.0::float8 AS seconds,
           extract(epoch FROM c.received_at)::float8 - (c.mono_ms + cut.dt) / 1000.0::float8 AS received,
           (c.mono_ms + cut.dt - ${from}) / 1000.0::float8 AS at
    FROM recording_chunks c, unnest(c.dt_ms) AS cut (dt) WHERE c.mono_ms + cut.dt BETWEEN ${from} AND ${to}
    ORDER BY 1 DESC LIMIT 1`;
  return row ?? { seconds: Infinity, received: Infinity, at: 0 };
};

const faults = ['killed', 'frozen', 'cut off'] as const;
type Fault = (typeof faults)[number];
const begin = async (host: Host, fault: Fault): Promise<void> => {
  if (fault === 'killed') await host.kill();
  else if (fault === 'frozen') host.signal('SIGSTOP');
  else host.cut();
};
const end = (host: Host, fault: Fault): void => {
  if (fault === 'killed') host.start();
  else if (fault === 'frozen') host.signal('SIGCONT');
  else host.mend();
};

/** Boards stay where they are: the brokers, those with most boards first. */
const brokersByBoards = async ({ brokers }: Hosts): Promise<Host[]> => {
  const counted = brokers.map(async (broker) => {
    const text = await (await fetch(`http://${broker.address}:${managementPort}/metrics`)).text();
    return {
      broker,
      boards: Number(/^roastery_broker_connections\{listener="tcp",state="device"\} (\d+)$/m.exec(text)?.[1]),
    };
  });
  return (await Promise.all(counted)).toSorted((one, other) => other.boards - one.boards).map(({ broker }) => broker);
};

interface Round {
  readonly what: string;
  readonly fault: Fault;
  readonly choose: (brokers: readonly Host[]) => readonly Host[];
}
/** Each fault at the broker with most boards, at another api, and at two hosts at once. */
const roundsOf = ({ apis }: Hosts): Round[] =>
  faults
    .flatMap<Round>((fault, n) => [
      { what: 'a broker', fault, choose: (brokers) => brokers.slice(0, 1) },
      { what: 'an api', fault, choose: () => apis.slice(n, n + 1) },
      { what: 'a broker and an api', fault, choose: (brokers) => [...brokers.slice(0, 1), ...apis.slice(n, n + 1)] },
      { what: 'two brokers', fault, choose: (brokers) => brokers.slice(0, 2) },
      { what: 'two apis', fault, choose: () => apis.filter((_, at) => at !== n) },
    ])
    .filter(({ what, fault }) => wanted.test(`${what} ${fault}`));

const run = async (say: (line: string) => void): Promise<Measurement[]> => {
  if (needsHosts !== '') throw new Error(needsHosts);
  await using hosts = openHosts(3, 3);
  await using server = await startTestPostgres({ max_connections: '100', ...notingCommits });
  await using database = await createDatabaseOn(server.url, migratedTemplate);
  const inside = new URL(database.url);
  const place = { host: '127.0.0.1', port: Number(inside.port) };
  await using postgresAtHub = await startForwarder(hosts.hub, 5432, () => place);
  await using balancer = await startBalancer(hosts);
  const sql = postgres(database.url, { max: 1, onnotice: () => undefined });
  const serials = await registerBoards(sql, boards);
  inside.host = postgresAtHub.place;
  const urls = startPrograms(hosts, inside.href);
  const areReady = async (): Promise<boolean> =>
    (await Promise.all(hosts.apis.map((api) => answers(api, 'readyz')))).every(Boolean);
  await until('all apis', areReady, patience);
  const fleets = startFleets({ port: 0, brokers: urls, serials, channels: 3, samplesPerBatch: 1 });
  const allHeard = () =>
    until('all boards', async () => (await reportOf(fleets)).heard === boards, patience).catch(
      async (error: unknown) => {
        say(`  ${JSON.stringify(await reportOf(fleets))}`);
        throw error;
      },
    );
  try {
    await allHeard();
    const { shares, cores } = await measureShares(hosts, sql, fleets);
    say(`share of each api: ${shares.map((share) => share.toFixed(3)).join(', ')}; cores: ${cores.join(', ')}`);
    await using taking = await startTaking([await signIn(balancer.url, admin)], { pauseMs: 50 });
    const longest: { readonly of: string; readonly seconds: number }[] = [];
    for (const { what, fault, choose } of roundsOf(hosts)) {
      const those = choose(await brokersByBoards(hosts));
      const from = Date.now();
      for (const host of those) await begin(host, fault);
      await sleep(awaySeconds * 1000);
      for (const host of those) end(host, fault);
      await until('all apis', areReady, patience);
      await allHeard();
      const to = Date.now();
      await sleep(settleSeconds * 1000);
      const { seconds, received, at } = await longestCommit(sql, from, to);
      longest.push({ of: `${what} ${fault}`, seconds });
      say(
        `  ${what} ${fault}: all stored within ${seconds.toFixed(1)} s; this one cut after ${at.toFixed(1)} s, received after ${received.toFixed(1)} s more`,
      );
    }
    for (const fleet of fleets) fleet.stopCutting();
    const isDelivered = async (): Promise<boolean> => {
      const { cut, acknowledged } = await reportOf(fleets);
      return cut === acknowledged;
    };
    await until('everything to be acknowledged', isDelivered, patience);
    const { cut } = await reportOf(fleets);
    const [stored] = await sql<{ samples: number; different: number }[]>`
      SELECT count(*)::int AS samples, count(DISTINCT (recording_id, first_seq + place - 1))::int AS different
      FROM recording_chunks, unnest(dt_ms) WITH ORDINALITY AS cut (dt, place)`;
    const taken = await taking.stop();
    const [different = 0, samples = 0] = [stored?.different, stored?.samples];
    const worst = longest.toSorted((one, other) => other.seconds - one.seconds)[0];
    const none = { of: 'value', atMost: 0 } as const;
    const count = boards.toLocaleString('en-US');
    return [
      {
        what: `samples lost, ${count} boards, three brokers, three apis`,
        value: cut - different,
        unit: 'samples',
        aim: none,
      },
      { what: '… doubled', value: samples - different, unit: 'samples', aim: none },
      { what: '… movements of the ledger wrong', value: taken.wrong, unit: 'movements', aim: none },
      {
        what: `… longest time to commit (${worst?.of ?? 'none'})`,
        value: worst?.seconds ?? Infinity,
        unit: 's',
        aim: { of: 'value', atMost: maxCommitSeconds },
      },
      {
        what: '… journal messages of the busiest api',
        value: Math.max(...shares),
        unit: 'of all',
        against: { what: 'a third', value: 1 / 3 },
        aim: { of: 'ratio', atMost: 1.1 },
      },
    ];
  } finally {
    await closeFleets(fleets);
    await sql.end();
  }
};

export default { title: 'Brokers and apis, each on its own host', onlyWhenNamed: true, run } satisfies Bench;
