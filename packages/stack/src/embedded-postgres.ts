import { spawn, type ChildProcess } from 'node:child_process';
import { chown, mkdir, realpath, rename, rm } from 'node:fs/promises';
import { userInfo } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { claimFolder } from './folder-claim.ts';
import { guardAgainstOrphaning } from './orphan-guard.ts';
import { freePort } from './ports.ts';
import { choosePostgresAccount, type Account } from './postgres-account.ts';
import { preparePostgresBinaries, type PostgresBinaries } from './postgres-binaries.ts';
import { newSecret, readIfPresent, writePrivateFile } from './private-file.ts';
import { identifyProcess, processesWorkingIn } from './running-processes.ts';

export interface EmbeddedPostgresOptions {
  /** Everything is in `postgres/` below it: the cluster, and its passwords (0600). Created when absent. */
  dataDir: string;
  /** On 127.0.0.1; a free one when not given. */
  port?: number;
  log: { info: (line: string) => void; debug: (line: string) => void };
  /** Server settings beyond ours, as in postgresql.conf. */
  settings?: Record<string, string>;
}

export interface EmbeddedPostgres {
  /** Database `roastery` as the role of that name, which owns it and may create databases but is no superuser. */
  url: string;
  port: number;
  /** Process id of the postmaster. */
  pid: number;
  /** Settles when the postmaster ends for any reason. */
  exited: Promise<void>;
  /**
   * Fast shutdown: sessions are closed, committed data is on disk. After `graceMs` (default 8,000) an immediate shutdown, from
   * which the next start recovers. Settles when every process has ended.
   */
  close(graceMs?: number): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Where a cluster is and how its programs are run. */
interface Cluster {
  home: string;
  folder: string;
  passwordFile: string;
  account: Account | undefined;
  binaries: PostgresBinaries;
}

const SHUTDOWN_MS = 8_000;

/**
 * Starts a real Postgres 18 from node_modules: about 1 s the first time, 0.1 s later. Data is kept between starts;
 * files of a killed postmaster are removed; root runs it under an unprivileged account.
 * @throws with one sentence when it cannot start
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const cluster = await openCluster(options);
  const release = await claimFolder(cluster.home);
  try {
    const isNew = await createCluster(cluster);
    await clearUpAfterCrash(cluster, options.log);
    const port = options.port ?? (await freePort());
    const postmaster = await startPostmaster(cluster, port, options);
    const exited = new Promise<void>((resolve) => postmaster.once('close', () => resolve()));
    const endGuard = guardAgainstOrphaning(postmaster.pid ?? 0, 'INT', identityOf(cluster.account));
    postmaster.once('close', endGuard);
    const close = async (graceMs = SHUTDOWN_MS) => {
      await stopPostmaster(postmaster, exited, graceMs);
      await release();
    };
    try {
      const url = await openDatabase(cluster, port, isNew);
      return { url, port, pid: postmaster.pid ?? 0, exited, close, [Symbol.asyncDispose]: () => close() };
    } catch (error) {
      await close();
      throw error;
    }
  } catch (error) {
    await release();
    throw error;
  }
}

async function openCluster({ dataDir, log }: EmbeddedPostgresOptions): Promise<Cluster> {
  await mkdir(dataDir, { recursive: true });
  const home = path.join(await realpath(dataDir), 'postgres');
  const account = await choosePostgresAccount(home);
  await mkdir(home, { recursive: true, mode: 0o700 });
  if (account !== undefined) await chown(home, account.uid, account.gid);
  const binaries = await preparePostgresBinaries(account, home);
  if (account !== undefined) log.info(`Postgres refuses to run as root, so it runs as the account ${account.name}`);
  if (binaries.copied !== undefined)
    log.info(`Postgres runs from ${binaries.copied.to}, since ${binaries.copied.because}`);
  return {
    home,
    folder: path.join(home, 'cluster'),
    passwordFile: path.join(home, 'superuser-password'),
    account,
    binaries,
  };
}

/** Creates the cluster in a temporary folder and moves it into place, so that an interrupted start leaves none or a complete one. */
async function createCluster(cluster: Cluster): Promise<boolean> {
  const version = await readIfPresent(path.join(cluster.folder, 'PG_VERSION'));
  if (version !== undefined) {
    if (version.trim() === cluster.binaries.major) return false;
    throw new Error(
      `${cluster.folder} was written by Postgres ${version.trim()}, and this is ${cluster.binaries.major}. Choose another folder with DATA_DIR=…`,
    );
  }
  const draft = `${cluster.folder}.draft`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { mode: 0o700 });
  if ((await readIfPresent(cluster.passwordFile)) === undefined)
    await writePrivateFile(cluster.passwordFile, `${newSecret()}\n`);
  if (cluster.account !== undefined) {
    await chown(draft, cluster.account.uid, cluster.account.gid);
    await chown(cluster.passwordFile, cluster.account.uid, cluster.account.gid);
  }
  await runInitdb(cluster, draft);
  await rename(draft, cluster.folder);
  return true;
}

async function runInitdb(cluster: Cluster, draft: string): Promise<void> {
  const [command, args] = withKnownUser(cluster, cluster.binaries.initdb, [
    `--pgdata=${nameOfFolder(cluster, draft)}`,
    `--pwfile=${nameOfFolder(cluster, draft)}/../${path.basename(cluster.passwordFile)}`,
    '--username=postgres',
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
  ]);
  const child = spawn(command, args, { ...processOptions(cluster, draft), stdio: ['ignore', 'ignore', 'pipe'] });
  const complaint = collect(child);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new Error(`initdb failed: ${complaint() || `exit code ${code}`}`);
}

/**
 * initdb requires a name for its user id. Where the id has none (a container started with a bare number) a user
 * namespace maps it to one that does; the files still belong to the bare number.
 */
function withKnownUser(cluster: Cluster, command: string, args: string[]): [string, string[]] {
  if (cluster.account !== undefined) return [command, args];
  try {
    userInfo();
    return [command, args];
  } catch {
    return ['unshare', ['--user', '--map-user=65534', command, ...args]];
  }
}

/**
 * How the programs reach a folder. Under another account it is their working directory, which the kernel enters before
 * it drops root: so data in a folder that only root can reach, such as below /root, can stay there.
 */
function nameOfFolder(cluster: Cluster, folder: string): string {
  return cluster.account === undefined ? folder : '/proc/self/cwd';
}

function processOptions(cluster: Cluster, folder: string) {
  // Only PATH of our environment: it may hold secrets, and PG* variables would change the server.
  return {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C', TZ: 'UTC' },
    ...identityOf(cluster.account),
  };
}

function identityOf(account: Account | undefined) {
  return account === undefined ? {} : { uid: account.uid, gid: account.gid };
}

/**
 * After this process was killed the postmaster may still run, and after the postmaster was killed its children may:
 * ends them and waits. Then a lock file whose process id now belongs to another program is removed, because Postgres
 * would trust it.
 */
async function clearUpAfterCrash(cluster: Cluster, log: EmbeddedPostgresOptions['log']): Promise<void> {
  const lockFile = path.join(cluster.folder, 'postmaster.pid');
  const lock = await readIfPresent(lockFile);
  if (lock === undefined) return;
  const lockedBy = Number(lock.split('\n')[0]);
  if (process.platform !== 'linux') return;
  const deadline = Date.now() + SHUTDOWN_MS;
  let remaining = await processesWorkingIn(cluster.folder);
  if (remaining.includes(lockedBy)) {
    log.info('Postgres of an earlier start still runs; stopping it');
    process.kill(lockedBy, 'SIGINT');
  }
  while (remaining.length > 0) {
    await sleep(50);
    remaining = await processesWorkingIn(cluster.folder);
    if (Date.now() > deadline) for (const pid of remaining) process.kill(pid, 'SIGKILL');
  }
  if ((await identifyProcess(lockedBy)) !== undefined) await rm(lockFile, { force: true });
}

async function startPostmaster(
  cluster: Cluster,
  port: number,
  options: EmbeddedPostgresOptions,
): Promise<ChildProcess> {
  const settings = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    timezone: 'UTC',
    log_timezone: 'UTC',
    ...options.settings,
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = spawn(cluster.binaries.postgres, ['-D', nameOfFolder(cluster, cluster.folder), ...flags], {
    ...processOptions(cluster, cluster.folder),
    stdio: ['ignore', 'ignore', 'pipe'],
    // Its own session: Ctrl-C reaches a whole process group, and the database must outlive the api.
    detached: true,
  });
  const complaint = collect(child);
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => reject(new Error(explainFailure(complaint(), port))));
    child.stderr?.on('data', (chunk: Buffer) => {
      const text = chunk.toString();
      for (const line of text.trimEnd().split('\n')) options.log.debug(line);
      // A standby accepts read-only ones.
      if (/database system is ready to accept (read-only )?connections/.test(text)) resolve();
    });
  });
  return child;
}

/** Collects the last 4,000 characters of a program's stderr. */
function collect(child: ChildProcess): () => string {
  let text = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    text = (text + chunk.toString()).slice(-4_000);
  });
  return () => text.trim();
}

function explainFailure(complaint: string, port: number): string {
  if (complaint.includes('Address already in use')) return `Port ${port} is in use, so Postgres can't listen there`;
  return `Postgres did not start: ${complaint || 'no output'}`;
}

async function stopPostmaster(postmaster: ChildProcess, exited: Promise<void>, graceMs: number): Promise<void> {
  // SIGINT is Postgres' fast shutdown; SIGQUIT leaves recovery to the next start.
  for (const signal of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
    if (postmaster.exitCode !== null || postmaster.signalCode !== null) break;
    postmaster.kill(signal);
    await Promise.race([exited, sleep(signal === 'SIGINT' ? graceMs : 1_000, undefined, { ref: false })]);
  }
  await exited;
}

/** Creates role and database on the first start; returns their address. */
async function openDatabase(cluster: Cluster, port: number, isNew: boolean): Promise<string> {
  const file = path.join(cluster.home, 'password');
  const known = isNew ? undefined : await readIfPresent(file);
  const password = known ?? newSecret();
  if (known === undefined) {
    const superuserPassword = ((await readIfPresent(cluster.passwordFile)) ?? '').trim();
    const sql = postgres({
      host: '127.0.0.1',
      port,
      user: 'postgres',
      password: superuserPassword,
      database: 'postgres',
      max: 1,
      // The driver would print them.
      onnotice: () => undefined,
    });
    try {
      const [roles, databases] = [
        await sql`SELECT FROM pg_roles WHERE rolname = 'roastery'`,
        await sql`SELECT FROM pg_database WHERE datname = 'roastery'`,
      ];
      if (roles.length === 0) await sql`CREATE ROLE roastery LOGIN CREATEDB`;
      // The password is base64url, so it needs no escaping.
      await sql.unsafe(`ALTER ROLE roastery PASSWORD '${password}'`);
      if (databases.length === 0) await sql`CREATE DATABASE roastery OWNER roastery`;
    } finally {
      await sql.end();
    }
    await writePrivateFile(file, password);
  }
  return `postgres://roastery:${password}@127.0.0.1:${port}/roastery`;
}
