import { spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repositoryRoot } from '@roastery/testing/shared-data';
import { untilProcessGone } from '@roastery/testing/until';
import { startEmbeddedPostgres } from './embedded-postgres.ts';

const log = { info: () => undefined, debug: () => undefined };

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  try {
    return await sql.unsafe(text);
  } finally {
    await sql.end();
  }
}

describe('embedded Postgres', () => {
  let home: string;
  let folder: string;
  beforeAll(async () => {
    // A path with a space and no access for others, as for `npm start` below a home folder.
    home = await mkdtemp(path.join(tmpdir(), 'roastery-pg-'));
    folder = path.join(home, 'my roastery');
    await chmod(home, 0o700);
  });
  afterAll(() => rm(home, { recursive: true, force: true }));

  it('keeps its data across a stop and a start', async () => {
    const first = await startEmbeddedPostgres({ dataDir: folder, log });
    await query(first.url, 'CREATE TABLE lot (coffee text)');
    await query(first.url, `INSERT INTO lot VALUES ('Yirgacheffe ☕')`);
    await first.close();
    await untilProcessGone(first.pid);

    await using second = await startEmbeddedPostgres({ dataDir: folder, log });
    expect(await query(second.url, 'SELECT coffee FROM lot')).toEqual([{ coffee: 'Yirgacheffe ☕' }]);
  });

  it('keeps committed data when the postmaster is killed, and restarts immediately', async () => {
    const first = await startEmbeddedPostgres({ dataDir: folder, log });
    await query(first.url, 'CREATE TABLE roast (n int)');
    await query(first.url, 'INSERT INTO roast VALUES (1), (2), (3)');
    process.kill(first.pid, 'SIGKILL');
    await first.exited;

    await using second = await startEmbeddedPostgres({ dataDir: folder, port: first.port, log });
    expect(await query(second.url, 'SELECT count(*)::int AS n FROM roast')).toEqual([{ n: 3 }]);
    expect(second.url).toBe(first.url);
  });

  it('uses the same encoding, collation and durability everywhere', async () => {
    await using database = await startEmbeddedPostgres({ dataDir: folder, log });
    const [settings] = await query(
      database.url,
      `SELECT current_setting('server_encoding') AS encoding, current_setting('fsync') AS fsync,
        current_setting('synchronous_commit') AS commit, current_setting('listen_addresses') AS listens,
        current_setting('TimeZone') AS zone, (SELECT datcollate FROM pg_database WHERE datname = 'roastery') AS collation,
        (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) AS superuser`,
    );
    expect(settings).toEqual({
      encoding: 'UTF8',
      fsync: 'on',
      commit: 'on',
      listens: '127.0.0.1',
      zone: 'UTC',
      collation: 'C',
      superuser: false,
    });
  });

  it('refuses connections without the password, which only its owner can read', async () => {
    await using database = await startEmbeddedPostgres({ dataDir: folder, log });
    const wrong = new URL(database.url);
    wrong.password = 'roastery';
    await expect(query(wrong.href, 'SELECT 1')).rejects.toThrow(/password authentication failed/);
    for (const name of ['password', 'superuser-password']) {
      const file = path.join(folder, 'postgres', name);
      expect((await stat(file)).mode & 0o777).toBe(0o600);
      expect((await readFile(file, 'utf8')).trim()).toMatch(/^[\w-]{43}$/);
    }
  });

  it('refuses a folder that another running start uses', async () => {
    await using database = await startEmbeddedPostgres({ dataDir: folder, log });
    expect(await startElsewhere(folder, {})).toMatch(new RegExp(`in use by process ${process.pid}`));
    expect(await query(database.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('does not outlive a program that is killed', async () => {
    const pid = await startAndBeKilled(folder);
    await untilProcessGone(pid);
    await using again = await startEmbeddedPostgres({ dataDir: folder, log });
    expect(await query(again.url, 'SELECT count(*)::int AS n FROM bean')).toEqual([{ n: 1 }]);
  });

  const hindrance = otherUserHindrance();
  it.skipIf(hindrance !== '')(`runs under another user's id${hindrance}`, async () => {
    const other = path.join(home, 'of another user');
    await chmod(home, 0o755);
    await mkdir(other);
    await chmod(other, 0o777);
    expect(await startElsewhere(other, { uid: 65_534, gid: 65_534 })).toBe('1');
  });
});

/** Why this computer can't run the test: only root can change its user, who must be able to read this repository. */
function otherUserHindrance(): string {
  if (process.getuid?.() !== 0) return ' (skipped: only root can become another user)';
  for (let folder = repositoryRoot(); folder !== '/'; folder = path.dirname(folder)) {
    if ((statSync(folder).mode & 0o1) === 0) return ` (skipped: other users can't enter ${folder})`;
  }
  return '';
}

const MODULE = path.join(repositoryRoot(), 'packages', 'stack', 'dist', 'embedded-postgres.js');

/** Starts in its own process, runs `SELECT 1`, stops; returns the output. */
function startElsewhere(dataDir: string, identity: { uid?: number; gid?: number }): Promise<string> {
  const body = `
    const [row] = await sql\`SELECT 1 AS one\`;
    await sql.end();
    await database.close();
    console.log(row.one);`;
  return run(body, dataDir, identity);
}

/** Starts in its own process, which writes a row and kills itself; returns the postmaster's process id. */
async function startAndBeKilled(dataDir: string): Promise<number> {
  const body = `
    await sql\`CREATE TABLE bean AS SELECT 1 AS n\`;
    process.stdout.write(String(database.pid), () => process.kill(process.pid, 'SIGKILL'));`;
  return Number(await run(body, dataDir, {}));
}

function run(body: string, dataDir: string, identity: { uid?: number; gid?: number }): Promise<string> {
  const script = `
    import postgres from 'postgres';
    const { startEmbeddedPostgres } = await import(process.argv[1]);
    const start = () => startEmbeddedPostgres({ dataDir: process.argv[2], log: { info() {}, debug() {} } });
    const database = await start().catch((error) => {
      console.log(error.message);
      process.exit(1);
    });
    const sql = postgres(database.url);
    ${body}`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script, MODULE, dataDir], {
    cwd: path.dirname(path.dirname(MODULE)),
    env: { PATH: process.env['PATH'] ?? '' },
    stdio: ['ignore', 'pipe', 'inherit'],
    ...identity,
  });
  let said = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => resolve(said.trim()));
  });
}
