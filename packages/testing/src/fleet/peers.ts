import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { serviceUserName } from '@roastery/contract/mqtt';
import { portOf } from '@roastery/runtime/system-errors';
import { freePort } from '@roastery/stack/ports';
import postgres from 'postgres';
import { createDatabaseOn } from '../database-on-server.ts';
import { mosquittoProgram } from '../mosquitto.ts';
import { cpuSeconds } from '../process-cost.ts';
import { startTestPostgres } from '../test-postgres.ts';
import { untilListening } from '../until.ts';
import { startFleet } from './fleet-process.ts';

const secret = 'a-secret-for-benches';
const measuredSeconds = 30;

interface Broker {
  readonly child: ChildProcess;
  readonly close: () => void;
}

/** Our broker, with a stub that accepts every client. */
const startOwnBroker = async (port: number): Promise<Broker> => {
  const api = createServer((request, response) => {
    let text = '';
    request.on('data', (part: Buffer) => (text += part.toString()));
    request.on('end', () => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ result: 'allow', is_superuser: text.includes(`"${serviceUserName}"`) }));
    });
  }).listen(0, '127.0.0.1');
  await once(api, 'listening');
  const env = {
    API_URL: `http://127.0.0.1:${portOf(api)}`,
    BROKER_SECRET: secret,
    MQTT_PORT: String(port),
    MANAGEMENT_PORT: String(await freePort()),
    MAX_CONNECTIONS: '40000',
    MAX_CONNECTIONS_PER_ADDRESS: '40000',
    LOG_LEVEL: 'warn',
  };
  const script = fileURLToPath(new URL('../../../../broker/dist/main.js', import.meta.url));
  return { child: spawn(process.execPath, [script], { env, stdio: 'ignore' }), close: () => void api.close() };
};

const startMosquitto = async (port: number, folder: string): Promise<Broker> => {
  const file = join(folder, 'mosquitto.conf');
  // Without the limits that would drop messages under load.
  const lines = [
    `listener ${port} 127.0.0.1`,
    'allow_anonymous true',
    'max_queued_messages 0',
    'max_inflight_messages 0',
  ];
  await writeFile(file, `${lines.join('\n')}\n`, { mode: 0o644 });
  return { child: spawn(mosquittoProgram, ['-c', file], { stdio: 'ignore' }), close: () => undefined };
};

/** CPU of the whole chain except the boards, µs per sample. */
export interface PeerCost {
  readonly broker: number;
  readonly consumer: number;
  readonly postgres: number;
  readonly missing: number;
}

/**
 * Boards that send the same messages at 1 Hz, journals with QoS 1 as usual, to a consumer that inserts one row for
 * each. A board does not learn what is stored, and a repeat costs an INSERT.
 */
export const measureUsual = async (boards: number, broker: 'own' | 'mosquitto'): Promise<PeerCost> => {
  const folder = await mkdtemp(join(tmpdir(), 'roastery-peer-'));
  await using server = await startTestPostgres({ fsync: 'on', max_connections: '60' });
  await using database = await createDatabaseOn(server.url);
  const sql = postgres(database.url, { max: 1, onnotice: () => undefined });
  await sql`
    CREATE TABLE usual_rows (topic text NOT NULL, epoch text NOT NULL, seq bigint NOT NULL, at timestamptz NOT NULL,
      one real, two real, three real, PRIMARY KEY (topic, epoch, seq))`;
  const port = await freePort();
  const { child, close } = await (broker === 'own' ? startOwnBroker(port) : startMosquitto(port, folder));
  const script = fileURLToPath(new URL('../../dist/fleet/usual-consumer.js', import.meta.url));
  let consumer: ChildProcess | undefined;
  const fleets: ReturnType<typeof startFleet>[] = [];
  try {
    await untilListening(port);
    consumer = fork(script, [String(port), database.url, serviceUserName, secret]);
    await once(consumer, 'message');
    const serials = Array.from({ length: boards }, (_, n) => `FLEET-${n}`);
    const wallOffsetMs = Date.now() - Math.round(performance.now()) - 3_600_000;
    fleets.push(startFleet({ port, serials, channels: 3, samplesPerBatch: 1, isUsual: true, wallOffsetMs }));
    const report = async () => (await Promise.all(fleets.map((fleet) => fleet.report())))[0] ?? missingFleet();
    for (let second = 0; second < 60 && (await report()).acknowledgedBoards < boards; second++) await sleep(1_000);
    await sleep(3_000);
    const pids = await sql<{ pid: number }[]>`SELECT pid FROM pg_stat_activity`;
    const costs = async () => ({
      broker: await cpuSeconds(child.pid ?? 0),
      consumer: await cpuSeconds(consumer?.pid ?? 0),
      postgres: (await Promise.all(pids.map(({ pid }) => cpuSeconds(pid).catch(() => 0)))).reduce((a, b) => a + b, 0),
    });
    const stored = async () =>
      (await sql<{ rows: number }[]>`SELECT count(*)::int AS rows FROM usual_rows`)[0]?.rows ?? 0;
    const [before, rows] = [await costs(), await stored()];
    await sleep(measuredSeconds * 1_000);
    const [after, samples] = [await costs(), (await stored()) - rows];
    for (const fleet of fleets) fleet.stopCutting();
    for (let second = 0; second < 30 && (await stored()) < (await report()).cut; second++) await sleep(1_000);
    const micros = (part: 'broker' | 'consumer' | 'postgres') => ((after[part] - before[part]) * 1e6) / samples;
    return {
      broker: micros('broker'),
      consumer: micros('consumer'),
      postgres: micros('postgres'),
      missing: (await report()).cut - (await stored()),
    };
  } finally {
    await Promise.all(fleets.map((fleet) => fleet.close()));
    consumer?.kill('SIGKILL');
    child.kill('SIGKILL');
    close();
    await sql.end();
    await rm(folder, { recursive: true, force: true });
  }
};

const missingFleet = (): never => {
  throw new Error('no boards');
};
