import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '@roastery/stack/embedded-postgres';
import { freePort } from '@roastery/stack/ports';
import { processesWorkingIn } from '@roastery/stack/running-processes';
import postgres from 'postgres';
import { openCuttableLine } from './cuttable-line.ts';
import { until } from './until.ts';

const standbyName = 'standby';
const log = { info: () => undefined, debug: () => undefined };

/** A server of the pair. */
const serverOf = (server: EmbeddedPostgres, dataDir: string, password: string) => {
  const all = async (signal: NodeJS.Signals): Promise<void> => {
    // The postmaster first, so that no further process starts.
    for (const pid of [server.pid, ...(await processesWorkingIn(join(dataDir, 'postgres', 'cluster')))]) {
      try {
        process.kill(pid, signal);
      } catch (error) {
        // It has already ended.
        if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
      }
    }
  };
  return {
    /** This server alone. */
    url: server.url,
    port: server.port,
    /** Runs a statement as superuser. */
    async run<T extends postgres.Row>(statement: string): Promise<T[]> {
      const superuser = { username: 'postgres', password };
      const sql = postgres(server.url, { ...superuser, max: 1, onnotice: () => undefined });
      try {
        return [...(await sql.unsafe<T[]>(statement))];
      } finally {
        await sql.end();
      }
    },
    /** Ends it like a power cut. */
    async kill(): Promise<void> {
      await all('SIGKILL');
      await server.exited;
    },
    /** It accepts connections but answers nothing. */
    freeze: () => all('SIGSTOP'),
    thaw: () => all('SIGCONT'),
  };
};

/**
 * A primary and a hot standby that streams from it, over a connection that can be cut. A synchronous standby confirms
 * each commit. The standby is a copy of the stopped primary's files: there is no pg_basebackup among the embedded
 * programs.
 */
export const startPostgresPair = async ({ isSynchronous }: { isSynchronous: boolean }) => {
  const folder = await mkdtemp(join(tmpdir(), 'roastery-postgres-pair-'));
  const [first, second] = [join(folder, 'first'), join(folder, 'second')];
  await (await startEmbeddedPostgres({ dataDir: first, log })).close();
  await promisify(execFile)('cp', ['-a', first, second]);
  await writeFile(join(second, 'postgres', 'cluster', 'standby.signal'), '');
  const password = (await readFile(join(first, 'postgres', 'superuser-password'), 'utf8')).trim();

  const settings = { fsync: 'off', wal_retrieve_retry_interval: '200ms' };
  const port = await freePort();
  const line = await openCuttableLine(port);
  const conninfo = `host=127.0.0.1 port=${line.port} user=postgres password=${password} application_name=${standbyName}`;
  const [primary, standby] = await Promise.all([
    startEmbeddedPostgres({
      dataDir: first,
      port,
      log,
      settings: { ...settings, ...(isSynchronous ? { synchronous_standby_names: standbyName } : {}) },
    }),
    startEmbeddedPostgres({ dataDir: second, log, settings: { ...settings, primary_conninfo: conninfo } }),
  ]);
  const servers = { primary: serverOf(primary, first, password), standby: serverOf(standby, second, password) };
  await until('the standby to stream', async () => {
    const [row] = await servers.primary.run<{ n: number }>('SELECT count(*)::int AS n FROM pg_stat_replication');
    return row?.n === 1;
  });
  const address = new URL(primary.url);
  return {
    ...servers,
    /** Both servers, in the form of the api's setting. */
    url: primary.url.replace(address.host, `${address.host},127.0.0.1:${standby.port}`),
    cutReplication: line.cut,
    promote: () => servers.standby.run('SELECT pg_promote()'),
    async [Symbol.asyncDispose](): Promise<void> {
      await line.cut();
      await servers.primary.thaw();
      await Promise.all([primary.close(0), standby.close(0)]);
      await rm(folder, { recursive: true, force: true });
    },
  };
};
