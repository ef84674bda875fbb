import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { hashToken } from '@roastery/api/http/secrets';
import { clientIdOf, topicOf } from '@roastery/contract/mqtt';
import { startStack } from '@roastery/stack/stack';
import { uuidV7 } from '@roastery/runtime/uuid';
import { connectAsync, type MqttClient } from 'mqtt';
import postgres from 'postgres';
import type { Bench, Measurement } from '@roastery/testing/bench';
import { createDatabaseOn } from '@roastery/testing/database-on-server';
import { createJournalBoard } from '@roastery/testing/journal-board';
import { hangPostgres } from '@roastery/testing/hung-postgres';
import { residentMegabytes } from '@roastery/testing/process-cost';
import { startTestPostgres } from '@roastery/testing/test-postgres';
import { until } from '@roastery/testing/until';

const boards = 500;
/** A drained backlog: the largest batches that boards send, which compress many times. */
const samplesPerBatch = 600;
const channels = Array.from({ length: 8 }, (_, n) => `channel_${n}`);
const batchesPerBoard = 8;
const hungSeconds = 60;

const payloadsOf = (): Buffer[] => {
  const board = createJournalBoard({ channels });
  for (let n = 0; n < samplesPerBatch * batchesPerBoard; n++)
    board.sample(n * 250, ...channels.map((_, column) => (n % 7 === column ? null : 150 + (n % 50) / 10)));
  return board.batches(() => samplesPerBatch).map((batch) => gzipSync(JSON.stringify(batch)));
};

const connectBoards = async (sql: postgres.Sql, mqttUrl: string): Promise<MqttClient[]> => {
  const owner = uuidV7();
  await sql`INSERT INTO users (id, full_name, email, password_hash) VALUES (${owner}, 'Bench', 'bench@example.org', 'x')`;
  const clients: MqttClient[] = [];
  for (let n = 0; n < boards; n++) {
    const [id, serial] = [uuidV7(), `HUNG-${n}`];
    await sql`
      INSERT INTO machines (id, owner_id, serial_number, display_name, machine_type, max_capacity_kg)
      VALUES (${id}, ${owner}, ${serial}, 'Bench', 'RM15', 15)`;
    await sql`
      INSERT INTO machine_credentials (id, machine_id, token_hash, origin)
      VALUES (${uuidV7()}, ${id}, ${hashToken(serial)}, 'registration')`;
    const settings = { clientId: clientIdOf(serial), username: serial, password: serial, reconnectPeriod: 0 };
    clients.push(await connectAsync(mqttUrl, settings));
  }
  return clients;
};

const run = async (say: (line: string) => void): Promise<Measurement[]> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'roastery-hung-'));
  await using server = await startTestPostgres();
  await using database = await createDatabaseOn(server.url);
  await using stack = await startStack({ dataDir, databaseUrl: database.url });
  const sql = postgres(database.url, { max: 1, onnotice: () => undefined });
  const pid = stack.part('api').pid ?? 0;
  say(`${boards} boards connect`);
  const clients = await connectBoards(sql, stack.mqttUrl);
  const payloads = payloadsOf();
  const before = await residentMegabytes(pid);
  await sql.end();
  const hung = await hangPostgres(database.url);
  let after = before;
  let sent = 0;
  try {
    say(`Postgres hangs for ${hungSeconds} s while every board sends its backlog again and again`);
    const end = Date.now() + hungSeconds * 1000;
    for (let round = 0; Date.now() < end; round++) {
      for (const [n, client] of clients.entries()) {
        if (!client.connected) continue;
        const topic = topicOf(`HUNG-${n}`, 'journal');
        sent += 1;
        client.publish(topic, payloads[round % batchesPerBoard] ?? '', { qos: 0 });
        const status = { v: 1, online: true, session: 's', t: Date.now() + round };
        client.publish(topicOf(`HUNG-${n}`, 'status'), JSON.stringify(status), { qos: 0 });
      }
      await sleep(500);
    }
    after = await residentMegabytes(pid);
  } finally {
    hung.resume();
  }
  say('Postgres is back');
  const watch = postgres(database.url, { max: 1 });
  await until(
    'what waited to be stored',
    async () => (await watch<{ n: string }[]>`SELECT count(*) AS n FROM recording_chunks`)[0]?.n !== '0',
    { timeoutMs: 120_000, everyMs: 500 },
  );
  await watch.end();
  for (const client of clients) client.end(true);
  await rm(dataDir, { recursive: true, force: true });
  return [
    { what: 'messages sent while it hung', value: sent, unit: 'messages', aim: { of: 'value', atLeast: boards } },
    { what: 'api before', value: before.now, unit: 'MB' },
    { what: 'api at most, with 500 boards', value: after.most, unit: 'MB', aim: { of: 'value', atMost: 350 } },
  ];
};

export default {
  title: 'Memory of the api while Postgres hangs',
  onlyWhenNamed: true,
  mustReach: true,
  run,
} satisfies Bench;
