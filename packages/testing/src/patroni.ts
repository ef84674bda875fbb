import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '@roastery/stack/ports';
import { processesWorkingIn } from '@roastery/stack/running-processes';
import { repositoryRoot } from './shared-data.ts';
import { account, serverFolder } from './system-postgres.ts';
import { until } from './until.ts';

const isThere = (program: string): boolean => {
  try {
    execFileSync('which', [program], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};
const postgresBin = serverFolder();
export const hasPatroni = postgresBin !== undefined && ['patroni', 'etcd', 'haproxy'].every(isThere);
/** For the title of a test that needs it. */
export const needsPatroni = hasPatroni ? '' : ' (skipped: needs `apt install patroni etcd-server haproxy postgresql`)';

const password = 'a-password-of-tests';
const names = ['db-1', 'db-2'] as const;
type NodeName = (typeof names)[number];
const deployed = (file: string): string =>
  readFileSync(path.join(repositoryRoot(), 'deploy', 'postgres', file), 'utf8');

interface Ports {
  readonly postgres: number;
  readonly rest: number;
}

/**
 * Two servers with the files of `deploy/postgres`, except for ports and folders, with one etcd, behind HAProxy. Everything
 * of a server is killed or stopped at once, as when its computer is lost or hangs.
 */
export const startPatroni = async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'roastery-patroni-'));
  const as = account();
  const own = (place: string): string => {
    if (as.uid !== undefined && as.gid !== undefined) chownSync(place, as.uid, as.gid);
    return place;
  };
  own(folder);
  const write = (name: string, text: string): string => {
    writeFileSync(path.join(folder, name), text, { mode: 0o600 });
    return own(path.join(folder, name));
  };
  const run = (program: string, args: string[], env: Record<string, string> = {}): ChildProcess =>
    spawn(program, args, { ...as, cwd: folder, env: { ...process.env, ...env }, stdio: 'ignore' });

  const [etcdPort, peerPort, proxyPort] = [await freePort(), await freePort(), await freePort()];
  const etcdUrl = `http://127.0.0.1:${etcdPort}`;
  const peers = `http://127.0.0.1:${peerPort}`;
  const etcdFile = deployed('etcd.conf.yml')
    .replace(/^data-dir: .*$/m, `data-dir: ${path.join(folder, 'etcd')}`)
    .replaceAll(/http:\/\/[\w.-]+:2380/g, peers)
    .replaceAll(/http:\/\/[\w.-]+:2379/g, etcdUrl)
    .replace(/^initial-cluster: .*$/m, `initial-cluster: db-1=${peers}`);
  const others = [run('etcd', ['--config-file', write('etcd.yml', etcdFile)])];

  const ports = new Map<NodeName, Ports>();
  for (const name of names) ports.set(name, { postgres: await freePort(), rest: await freePort() });
  const portsOf = (name: NodeName): Ports => ports.get(name) ?? { postgres: 0, rest: 0 };
  const dataOf = (name: NodeName): string => path.join(folder, name, 'data');
  const nodes = new Map<NodeName, ChildProcess>();
  const start = (name: NodeName): void => {
    const { postgres, rest } = portsOf(name);
    mkdirSync(path.join(folder, name), { recursive: true, mode: 0o700 });
    own(path.join(folder, name));
    const file = deployed('patroni.yml')
      .replace(/^( {2}hosts:) .*$/m, `$1 127.0.0.1:${etcdPort}`)
      .replace(/^( {2}listen:) .*:8008$/m, `$1 127.0.0.1:${rest}`)
      .replace(/^( {2}listen:) .*:5432$/m, `$1 127.0.0.1:${postgres}`)
      .replace(/^( {2}data_dir:) .*$/m, `$1 ${dataOf(name)}`)
      .replace(/^( {2}bin_dir:) .*$/m, `$1 ${postgresBin}`)
      .replace(/^( {2}pgpass:) .*$/m, `$1 ${path.join(folder, name, 'pgpass')}`)
      .replace(/^( {4}unix_socket_directories:) .*$/m, `$1 ${path.join(folder, name)}`);
    const env = {
      PATRONI_NAME: name,
      PATRONI_RESTAPI_CONNECT_ADDRESS: `127.0.0.1:${rest}`,
      PATRONI_POSTGRESQL_CONNECT_ADDRESS: `127.0.0.1:${postgres}`,
      PATRONI_SUPERUSER_PASSWORD: password,
      PATRONI_REPLICATION_PASSWORD: password,
      PATRONI_REWIND_PASSWORD: password,
    };
    nodes.set(name, run('patroni', [write(`${name}.yml`, file)], env));
  };
  const signal = async (name: NodeName, kind: NodeJS.Signals): Promise<void> => {
    const patroni = nodes.get(name)?.pid;
    for (const pid of [...(patroni === undefined ? [] : [patroni]), ...(await processesWorkingIn(dataOf(name)))]) {
      try {
        process.kill(pid, kind);
      } catch (error) {
        // It has already ended.
        if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
      }
    }
  };
  const proxyFile = deployed('haproxy.cfg')
    .replace(/^( {2}bind) .*$/m, `$1 127.0.0.1:${proxyPort}`)
    .replace(' port 8008', '')
    .replaceAll(/^ {2}server (db-\d) .*$/gm, (_, name: NodeName) => {
      const { postgres, rest } = portsOf(name);
      return `  server ${name} 127.0.0.1:${postgres} port ${rest}`;
    });
  others.push(run('haproxy', ['-f', write('haproxy.cfg', proxyFile)]));

  const isRole = async (name: NodeName, role: string): Promise<boolean> => {
    const answer = await fetch(`http://127.0.0.1:${portsOf(name).rest}/${role}`, {
      signal: AbortSignal.timeout(2000),
    }).catch(() => undefined);
    return answer?.ok ?? false;
  };
  return {
    /** Removed at the end. */
    folder,
    start,
    kill: (name: NodeName) => signal(name, 'SIGKILL'),
    freeze: (name: NodeName) => signal(name, 'SIGSTOP'),
    thaw: (name: NodeName) => signal(name, 'SIGCONT'),
    isPrimary: (name: NodeName) => isRole(name, 'primary'),
    /** The other one waits for its confirmation before it commits. */
    isSynchronous: (name: NodeName) => isRole(name, 'sync'),
    /** Through HAProxy. */
    urlAs: (user: string, database: string) => `postgres://${user}:${password}@127.0.0.1:${proxyPort}/${database}`,
    async [Symbol.asyncDispose](): Promise<void> {
      for (const name of names) await signal(name, 'SIGKILL');
      const ended = others.map((child) => once(child, 'exit'));
      for (const child of others) child.kill('SIGKILL');
      await Promise.all(ended);
      await until('the files of the servers', () => {
        rmSync(folder, { recursive: true, force: true });
        return true;
      });
    },
  };
};
