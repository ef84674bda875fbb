import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Where Debian keeps the newest Postgres server, when one is installed. */
export const serverFolder = (): string | undefined => {
  const base = '/usr/lib/postgresql';
  if (!existsSync(base)) return undefined;
  const newest = readdirSync(base).sort((a, b) => Number(b) - Number(a))[0];
  const folder = newest === undefined ? undefined : path.join(base, newest, 'bin');
  return folder !== undefined && existsSync(path.join(folder, 'initdb')) ? folder : undefined;
};

const idOfPostgres = (flag: '-u' | '-g'): number =>
  Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));

/** Postgres refuses to run as root; then it runs under the account of its package. */
export const account = (): { uid?: number; gid?: number } => {
  if (process.getuid?.() !== 0) return {};
  return { uid: idOfPostgres('-u'), gid: idOfPostgres('-g') };
};

export interface SystemPostgres {
  /** libpq's variables for this server, without a database. */
  readonly env: Record<string, string>;
  /** Runs SQL in a database and returns its rows as psql prints them without a frame. */
  query(database: string, sql: string): string;
  [Symbol.dispose](): void;
}

/**
 * Starts the installed Postgres on a socket in a new folder, and removes both at the end.
 * @param port also on 127.0.0.1; without one only on the socket
 */
export const startSystemPostgres = (bin: string, port?: number): SystemPostgres => {
  const folder = mkdtempSync(path.join(tmpdir(), 'roastery-system-postgres-'));
  const data = path.join(folder, 'data');
  const as = account();
  mkdirSync(data, { mode: 0o700 });
  for (const each of [folder, data]) if (as.uid !== undefined && as.gid !== undefined) chownSync(each, as.uid, as.gid);
  chmodSync(folder, 0o755);
  const run = (program: string, args: string[]): void => {
    const result = spawnSync(path.join(bin, program), args, { ...as, cwd: folder, stdio: 'ignore' });
    if (result.status !== 0) throw new Error(`${program} ended with ${result.status}`);
  };
  run('initdb', [
    '--pgdata',
    data,
    '--username=roastery',
    '--auth=trust',
    '--encoding=UTF8',
    '--locale=C',
    '--no-sync',
  ]);
  const listening = port === undefined ? "-c listen_addresses=''" : `-c listen_addresses=127.0.0.1 -p ${port}`;
  const options = `${listening} -c unix_socket_directories=${folder} -c fsync=off -c max_connections=300`;
  run('pg_ctl', ['--pgdata', data, '--wait', '--silent', '--log', path.join(folder, 'log'), '-o', options, 'start']);
  const env = {
    PATH: `${bin}:${process.env['PATH'] ?? ''}`,
    PGHOST: folder,
    PGUSER: 'roastery',
    ...(port === undefined ? {} : { PGPORT: String(port) }),
  };
  return {
    env,
    query: (database, sql) =>
      execFileSync('psql', ['-X', '-q', '-A', '-t', '-v', 'ON_ERROR_STOP=1', '-d', database], {
        env,
        input: sql,
        encoding: 'utf8',
      }),
    [Symbol.dispose]() {
      run('pg_ctl', ['--pgdata', data, '--wait', '--silent', '--mode=immediate', 'stop']);
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
