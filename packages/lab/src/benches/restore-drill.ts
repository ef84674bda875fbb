import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { listDevices, restoreHistory } from '@roastery/contract/fleet';
import { deleteRoast, listRoasts } from '@roastery/contract/roasts';
import { freePort } from '@roastery/stack/ports';
import { startStack } from '@roastery/stack/stack';
import postgres from 'postgres';
import type { Bench, Measurement } from '@roastery/testing/bench';
import { createDatabaseOn, type TestDatabase } from '@roastery/testing/database-on-server';
import { differences, readDelivered, type Delivered, type Differences } from '@roastery/testing/endurance/delivered';
import { registerTestMachine, signIn } from '@roastery/testing/roastery-client';
import { repositoryRoot } from '@roastery/testing/shared-data';
import { serverFolder, startSystemPostgres } from '@roastery/testing/system-postgres';
import { startTestPostgres } from '@roastery/testing/test-postgres';
import { until } from '@roastery/testing/until';

const serial = 'DRILL-1';
/** An hour of the machine in three minutes of the clock, a reading for every two of its seconds. */
const timeFactor = 20;
const hz = 10;
const hourSeconds = Number(process.env['BENCH_SECONDS'] ?? 3600 / timeFactor);
const patience = { timeoutMs: 240_000, everyMs: 1000 };
/** How long nothing of a sealed stream may arrive. */
const sealedMs = 15_000;

/** A server, with backup and restore of a database. */
interface DrillServer {
  readonly url: string;
  readonly means: string;
  backUp(database: string): void | Promise<void>;
  restore(database: string): void | Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const savedName = (database: string): string => `${database}_saved`;

/** The installed Postgres with its pg_dump and pg_restore, driven by the scripts of `deploy/`. */
const startWithScripts = async (bin: string): Promise<DrillServer> => {
  const port = await freePort();
  const server = startSystemPostgres(bin, port);
  const folder = await mkdtemp(join(tmpdir(), 'roastery-backups-'));
  const run = (database: string, script: string, ...args: string[]): string => {
    const settings = { ...server.env, PGDATABASE: database, BACKUP_DIR: folder };
    const place = join(repositoryRoot(), 'deploy', script);
    return execFileSync('sh', [place, ...args], { env: settings, encoding: 'utf8' }).trim();
  };
  let dump = '';
  return {
    url: `postgres://roastery@127.0.0.1:${port}/postgres`,
    means: 'deploy/backup.sh and restore.sh',
    backUp: (database) => {
      dump = run(database, 'backup.sh');
    },
    // First under another name: the api would create its schema in an empty database of its own name.
    restore: (database) => {
      server.query('postgres', `CREATE DATABASE ${savedName(database)}`);
      run(savedName(database), 'restore.sh', dump);
      server.query('postgres', `ALTER DATABASE ${savedName(database)} RENAME TO ${database}`);
    },
    [Symbol.asyncDispose]: async () => {
      server[Symbol.dispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
};

/** The embedded Postgres, which comes without pg_dump: a backup is a copy that the server makes. */
const startWithCopies = async (): Promise<DrillServer> => {
  const server = await startTestPostgres({ fsync: 'on' });
  const sql = postgres(server.url, { max: 1, onnotice: () => undefined });
  return {
    url: server.url,
    means: 'CREATE DATABASE … TEMPLATE, since no Postgres with pg_dump is installed',
    backUp: (database) =>
      alone(sql, database, () => sql`CREATE DATABASE ${sql(savedName(database))} TEMPLATE ${sql(database)}`),
    restore: async (database) => {
      await sql`ALTER DATABASE ${sql(savedName(database))} RENAME TO ${sql(database)}`;
    },
    [Symbol.asyncDispose]: async () => {
      await sql.end();
      await server.close();
    },
  };
};

/** Connections are ended; the api opens new ones at any time. */
const alone = async (sql: postgres.Sql, database: string, run: () => Promise<unknown>): Promise<void> => {
  await until(`${database} to be free`, async () => {
    await sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = ${database}`;
    await run();
    return true;
  });
};

/** Renames and creates databases under names of one run. */
const manageDatabases = (serverUrl: string, { url, name }: TestDatabase) => {
  const sql = postgres(serverUrl, { max: 1, onnotice: () => undefined });
  const fullName = (word: string): string => (word === name ? name : `${name}_${word}`);
  return {
    urlOf: (word: string): string => url.replace(name, fullName(word)),
    create: (word: string) => sql`CREATE DATABASE ${sql(fullName(word))}`,
    rename: (from: string, to: string) =>
      alone(sql, fullName(from), () => sql`ALTER DATABASE ${sql(fullName(from))} RENAME TO ${sql(fullName(to))}`),
    [Symbol.asyncDispose]: () => sql.end(),
  };
};

/**
 * The server is lost while the board continues recording. With an installed Postgres the backup is made and restored by
 * `deploy/backup.sh` and `restore.sh`. The embedded Postgres has no pg_dump; there the server copies the database.
 */
const drill = async (dataDir: string, say: (line: string) => void): Promise<Measurement[]> => {
  const bin = serverFolder();
  await using server = await (bin === undefined ? startWithCopies() : startWithScripts(bin));
  await using database = await createDatabaseOn(server.url);
  await using manager = manageDatabases(server.url, database);
  await using stack = await startStack({ dataDir, databaseUrl: database.url });
  const read = (): Promise<Delivered> => readDelivered(database.url);
  const completed = async (): Promise<number> => (await read()).roasts.length;
  /** As with a new server: no process, retained message or connection of the previous one is left. */
  const loseServer = async (keptAs: string): Promise<Delivered> => {
    await manager.rename(database.name, keptAs);
    for (const part of ['api', 'broker']) stack.part(part).kill('SIGKILL');
    return readDelivered(manager.urlOf(keptAs));
  };
  say(`a first roast, which is deleted, and a backup in the middle of the second (${server.means})`);
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
  await server.backUp(database.name);

  say('an hour on, which the backup does not hold');
  await stack.untilReady();
  await sleep(hourSeconds * 1000);
  await until('the roast of the backup to end', async () => (await read()).statusOf(running) === 'completed', patience);
  const lost = await loseServer('lost');

  say('the server is gone: the backup is restored, and the board records on');
  await server.restore(database.name);
  const saved = await readDelivered(database.url);
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
