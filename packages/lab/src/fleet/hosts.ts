import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { repositoryRoot } from '@roastery/testing/shared-data';

const ip = (...words: string[]): void => void execFileSync('ip', words, { stdio: 'pipe' });
const inHost = (name: string, ...words: string[]): void => ip('netns', 'exec', name, 'ip', ...words);

const canMakeHosts = (): boolean => {
  const name = `roastery-probe-${process.pid}`;
  try {
    ip('netns', 'add', name);
    ip('netns', 'del', name);
    return true;
  } catch {
    return false;
  }
};
/** Empty, or why there can't be any. */
export const needsHosts = canMakeHosts() ? '' : 'needs root and network namespaces (ip netns)';

/** A computer of a network that exists on this one only: a namespace with a cable to all others, and one program. */
export class Host {
  readonly address: string;
  readonly #name: string;
  readonly #cable: string;
  readonly #script: string;
  #env: Readonly<Record<string, string>> = {};
  #child: ChildProcess | undefined;

  constructor(name: string, cable: string, bridge: string, address: string, program: 'api' | 'broker') {
    this.address = address;
    this.#name = name;
    this.#cable = cable;
    this.#script = path.join(repositoryRoot(), program, 'dist', 'main.js');
    ip('netns', 'add', name);
    ip('link', 'add', cable, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name);
    ip('link', 'set', cable, 'master', bridge, 'up');
    inHost(name, 'addr', 'add', `${address}/24`, 'dev', 'eth0');
    inHost(name, 'link', 'set', 'eth0', 'up');
    inHost(name, 'link', 'set', 'lo', 'up');
  }

  start(env: Readonly<Record<string, string>> = this.#env): void {
    this.#env = env;
    // `ip` replaces itself by the program: signals reach it.
    this.#child = spawn('ip', ['netns', 'exec', this.#name, process.execPath, this.#script], {
      env: { PATH: process.env['PATH'], ...env },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  cut(): void {
    ip('link', 'set', this.#cable, 'down');
  }

  mend(): void {
    ip('link', 'set', this.#cable, 'up');
  }

  async remove(): Promise<void> {
    await this.kill();
    ip('netns', 'del', this.#name);
  }
}

/** Brokers and apis, each on a computer of its own; this process is at `hub`. */
export const openHosts = (brokers: number, apis: number) => {
  const net = `10.77.${process.pid % 250}`;
  const bridge = `rst${process.pid}`;
  ip('link', 'add', bridge, 'type', 'bridge');
  ip('addr', 'add', `${net}.1/24`, 'dev', bridge);
  ip('link', 'set', bridge, 'up');
  const make = (program: 'api' | 'broker', count: number, from: number): Host[] =>
    Array.from({ length: count }, (_, n) => {
      const name = `${bridge}-${program[0]}${n}`;
      return new Host(name, name, bridge, `${net}.${from + n}`, program);
    });
  const hosts = { brokers: make('broker', brokers, 11), apis: make('api', apis, 21) };
  return {
    hub: `${net}.1`,
    ...hosts,
    async [Symbol.asyncDispose](): Promise<void> {
      for (const host of [...hosts.brokers, ...hosts.apis]) await host.remove();
      ip('link', 'del', bridge);
    },
  };
};
export type Hosts = ReturnType<typeof openHosts>;
