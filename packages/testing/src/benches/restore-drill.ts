import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { listDevices, restoreHistory } from '@roastery/contract/fleet';
import { deleteRoast, listRoasts } from '@roastery/contract/roasts';
import { startStack } from '@roastery/stack/stack';
import postgres from 'postgres';
import type { Bench, Measurement } from '../bench.ts';
import { createDatabaseOn, type TestDatabase } from '../database-on-server.ts';
import { differences, readDelivered, type Delivered, type Differences } from '../endurance/delivered.ts';
import { registerTestMachine, signIn } from '../roastery-client.ts';
import { startTestPostgres } from '../test-postgres.ts';
import { until } from '../until.ts';

const serial = 'DRILL-1';
/** An hour of the machine in three minutes of the clock, a reading for every two of its seconds. */
const timeFactor = 20;
const hz = 10;
const hourSeconds = Number(process.env['BENCH_SECONDS'] ?? 3600 / timeFactor);
const patience = { timeoutMs: 240_000, everyMs: 1000 };
/** So long nothing of a sealed stream may arrive. */
const sealedMs = 15_000;

/** Copies, renames and makes databases under names of one run, and removes them at its end. */
const manageDatabases = (serverUrl: string, { url, name }: TestDatabase) => {
  const sql = postgres(serverUrl, { max: 1, onnotice: () => undefined });
  const fullName = (word: string): string => (word === name ? name : `${name}_${word}`);
  /** Connections are ended; the api makes new ones at any moment. */
  const alone = (database: string, run: () => Promise<unknown>) =>
    until(`${database} to be free`, async () => {
      await sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = ${database}`;
      await run();
      return true;
    });
  return {
    urlOf: (word: string): string => url.replace(name, fullName(word)),
    create: (word: string) => sql`CREATE DATABASE ${sql(fullName(word))}`,
    copy: (from: string, to: string) =>
      alone(fullName(from), () => sql`CREATE DATABASE ${sql(fullName(to))} TEMPLATE ${sql(fullName(from))}`),
    rename: (from: string, to: string) =>
      alone(fullName(from), () => sql`ALTER DATABASE ${sql(fullName(from))} RENAME TO ${sql(fullName(to))}`),
    [Symbol.asyncDispose]: () => sql.end(),
  };
};

/**
 * The server is lost while the board records on. A backup is a copy that Postgres makes of the database
 * (`CREATE DATABASE … TEMPLATE`): there is no pg_dump for the embedded Postgres, and that `deploy/backup.sh` and `restore.sh`
 * give back every row is for `deploy/backup.system.test.ts` to show.
 */
const drill = async (dataDir: string, say: (line: string) => void): Promise<Measurement[]> => {
  await using server = await startTestPostgres({ fsync: 'on' });
  await using database = await createDatabaseOn(server.url);
  await using manager = manageDatabases(server.url, database);
  await using stack = await startStack({ dataDir, databaseUrl: database.url });
  const read = (): Promise<Delivered> => readDelivered(database.url);
  const completed = async (): Promise<number> => (await read()).roasts.length;
  /** As with a new server: no process, retained message or connection of the one before is left. */
  const loseServer = async (keptAs: string): Promise<Delivered> => {
    await manager.rename(database.name, keptAs);
    for (const part of ['api', 'broker']) stack.part(part).kill('SIGKILL');
    return readDelivered(manager.urlOf(keptAs));
  };
  say('a first roast, which is deleted, and a backup in the middle of the second');
  const client = await signIn(stack.url, stack.admin);
  const { auth_token: token } = await registerTestMachine(client, serial);
  const machine = await stack.startMachine({ serial, token, timeFactor, hz, start: 'preheat', seed: 1 });
  await until('the first roast', async () => (await completed()) === 1, patience);
  const deleted = (await client.call(listRoasts)).roasts.find(({ status }) => status === 'completed')?.id ?? '';
  await client.call(deleteRoast, { params: { id: deleted } });
  const running = await until(
    'the second roast',
    async () => (await client.call(listRoasts)).roasts.find(({ status }) => status === 'in_progress')?.id,
    patience,
  );
  await manager.copy(database.name, 'backup');
  const saved = await readDelivered(manager.urlOf('backup'));

  say('an hour on, which the backup does not hold');
  await stack.untilReady();
  await sleep(hourSeconds * 1000);
  await until('the roast of the backup to end', async () => (await read()).statusOf(running) === 'completed', patience);
  const lost = await loseServer('lost');

  say('the server is gone: the backup is restored, and the board records on');
  await manager.rename('backup', database.name);
  await stack.untilReady(patience.timeoutMs);
  const restoring = performance.now();
  const isBack = async (all: Delivered): Promise<boolean> =>
    Object.values(differences(all, await read())).every((count) => count === 0);
  await until('the lost hour', () => isBack(lost), patience).catch((error: unknown) => say(String(error)));
  const restoredAfter = (performance.now() - restoring) / 1000;
  const missing = differences(lost, await read());
  const deletedIsBack = (await read()).statusOf(deleted) !== undefined;

  say('no backup at all: an empty database, the machine registered anew and the board paired with it');
  const all = await loseServer('restored');
  await manager.create(database.name);
  await stack.untilReady(patience.timeoutMs);
  const anew = await signIn(stack.url, stack.admin);
  const registered = await registerTestMachine(anew, serial);
  await machine.stop();
  await stack.startMachine({ serial, token: registered.auth_token, timeFactor, hz, start: 'preheat', seed: 2 });
  const sealed = await until(
    'the sealed history',
    async () => (await anew.call(listDevices)).devices[0]?.sealed_history,
    patience,
  );
  await sleep(sealedMs);
  const sentSealed = (await read()).epochs.filter((epoch) => all.epochs.includes(epoch)).length;
  await anew.call(restoreHistory, { params: { id: registered.id }, body: { epochs: sealed.epochs } });
  await until('the restored history', () => isBack(all), patience).catch((error: unknown) => say(String(error)));
  const missingInEmpty = differences(all, await read());

  const none = { aim: { of: 'value', atMost: 0 } } as const;
  const since = lost.samples.size - saved.samples.size;
  const rowsOf = (before: Delivered, { samples, doubled, marks, roasts }: Differences): Measurement[] => [
    { what: '  samples missing', value: samples, unit: `of ${before.samples.size}`, ...none },
    { what: '  samples stored twice', value: doubled, unit: 'samples', ...none },
    { what: '  marks missing', value: marks, unit: `of ${before.marks.length}`, ...none },
    { what: '  completed roasts missing', value: roasts, unit: `of ${before.roasts.length}`, ...none },
  ];
  return [
    {
      what: 'backup restored: samples it lacked',
      value: since,
      unit: 'samples',
      aim: { of: 'value', atLeast: 0.9 * hourSeconds * hz },
    },
    ...rowsOf(lost, missing),
    { what: '  deleted roasts that came back', value: Number(deletedIsBack), unit: 'roasts', ...none },
    { what: '  all back after', value: restoredAfter, unit: 's' },
    { what: 'empty database: sealed streams sent unconfirmed', value: sentSealed, unit: 'streams', ...none },
    ...rowsOf(all, missingInEmpty),
  ];
};

export default {
  title: 'Restore drill: a backup of an hour ago, and no backup at all',
  onlyWhenNamed: true,
  mustReach: true,
  run: async (say) => {
    const dataDir = await mkdtemp(join(tmpdir(), 'roastery-drill-'));
    try {
      return await drill(dataDir, say);
    } finally {
      await rm(dataDir, { recursive: true, force: true });
    }
  },
} satisfies Bench;
