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
import { createDatabaseOn } from '@roastery/testing/database-on-server';
import { mosquittoProgram } from '@roastery/testing/mosquitto';
import { startTestPostgres } from '@roastery/testing/test-postgres';
import { untilListening } from '@roastery/testing/until';
import { closeFleets, reportOf, startFleets, type Fleet } from './fleet-process.ts';
import {
  connectSeconds,
  cpuOf,
  measuredSeconds,
  pidsOfPostgres,
  postgresSettings,
  untilAllHeard,
} from './measure-fleet.ts';
import { serialOf } from '@roastery/testing/fleet/register-boards';

const secret = 'a-secret-for-benches';

interface Broker {
  readonly child: ChildProcess;
  readonly close: () => void;
}

/** Our broker, with a stub that accepts every client. */
const startOwnBroker = async (port: number, boards: number): Promise<Broker> => {
  const api = createServer((request, response) => {
    let text = '';
    request.on('data', (part: Buffer) => (text += part.toString()));
    request.on('end', () => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ result: 'allow', is_superuser: text.includes(`"${serviceUserName}"`) }));
    });
  }).listen(0, '127.0.0.1');
  await once(api, 'listening');
  const limit = String(boards * 2);
  const env = {
    API_URL: `http://127.0.0.1:${portOf(api)}`,
    BROKER_SECRET: secret,
    MQTT_PORT: String(port),
    MANAGEMENT_PORT: String(await freePort()),
    MAX_CONNECTIONS: limit,
    MAX_CONNECTIONS_PER_ADDRESS: limit,
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

/** How the usual consumer managed a number of boards. */
export interface UsualStep {
  readonly boards: number;
  readonly isConnected: boolean;
  /** CPU of the whole chain except the boards, µs per sample. */
  readonly brokerMicros: number;
  readonly consumerMicros: number;
  readonly postgresMicros: number;
  /** Mean delay from cutting a sample to its row, at the end of the measurement. */
  readonly delaySeconds: number;
  readonly missing: number;
}

/**
 * Whether rows come at the pace of the boards, and all of them. No board learns when its row is stored, so unlike ours
 * there is no p99; a mean of a second is the easier limit.
 */
export const doesHold = ({ isConnected, delaySeconds, missing }: UsualStep): boolean =>
  isConnected && delaySeconds <= 1 && missing === 0;

/**
 * Boards that send the same messages at 1 Hz, journals with QoS 1 as usual, to a consumer that inserts one row for
 * each. A board does not learn what is stored, and a repeat costs an INSERT.
 */
export const measureUsual = async (
  boards: number,
  broker: 'own' | 'mosquitto',
  say: (line: string) => void,
): Promise<UsualStep> => {
  const folder = await mkdtemp(join(tmpdir(), 'roastery-peer-'));
  await using server = await startTestPostgres(postgresSettings);
  await using database = await createDatabaseOn(server.url);
  const sql = postgres(database.url, { max: 1, onnotice: () => undefined });
  await sql`
    CREATE TABLE usual_rows (topic text NOT NULL, epoch text NOT NULL, seq bigint NOT NULL, at timestamptz NOT NULL,
      one real, two real, three real, PRIMARY KEY (topic, epoch, seq))`;
  const port = await freePort();
  const { child, close } = await (broker === 'own' ? startOwnBroker(port, boards) : startMosquitto(port, folder));
  const script = fileURLToPath(new URL('../../dist/fleet/usual-consumer.js', import.meta.url));
  let consumer: ChildProcess | undefined;
  let fleets: readonly Fleet[] = [];
  try {
    await untilListening(port);
    consumer = fork(script, [String(port), database.url, serviceUserName, secret]);
    await once(consumer, 'message');
    const serials = Array.from({ length: boards }, (_, n) => serialOf(n));
    fleets = startFleets({ port, serials, channels: 3, samplesPerBatch: 1, isUsual: true });
    const isConnected = (await untilAllHeard(fleets, boards, connectSeconds, say)) < Infinity;
    /** Samples cut and rows stored. The rows are counted later, so what waits is not overstated. */
    const count = async () => {
      const { cut } = await reportOf(fleets);
      const [row] = await sql<{ rows: number }[]>`SELECT count(*)::int AS rows FROM usual_rows`;
      const rows = row?.rows ?? 0;
      return { rows, waiting: cut - rows };
    };
    // What waited while boards connected.
    for (let second = 0; second < connectSeconds && (await count()).waiting > boards / 2; second++) await sleep(1_000);
    await sleep(3_000);
    const pids = await pidsOfPostgres(sql);
    const costs = async () => ({
      broker: await cpuOf([child.pid ?? 0]),
      consumer: await cpuOf([consumer?.pid ?? 0]),
      postgres: await cpuOf(pids),
    });
    const [before, begun] = [await costs(), await count()];
    await sleep(measuredSeconds * 1_000);
    const [after, end] = [await costs(), await count()];
    const micros = (part: 'broker' | 'consumer' | 'postgres'): number =>
      ((after[part] - before[part]) * 1e6) / (end.rows - begun.rows);
    for (const fleet of fleets) fleet.stopCutting();
    let last = await count();
    for (let second = 0; second < 30 && last.waiting > 0; second++) {
      await sleep(1_000);
      last = await count();
    }
    return {
      boards,
      isConnected,
      brokerMicros: micros('broker'),
      consumerMicros: micros('consumer'),
      postgresMicros: micros('postgres'),
      // At one sample a second from each board.
      delaySeconds: end.waiting / boards,
      missing: last.waiting,
    };
  } finally {
    await closeFleets(fleets);
    consumer?.kill('SIGKILL');
    child.kill('SIGKILL');
    close();
    await sql.end();
    await rm(folder, { recursive: true, force: true });
  }
};
