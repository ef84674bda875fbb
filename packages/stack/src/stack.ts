import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { claimFolder } from './folder-claim.ts';
import { startMachine, type MachineOptions, type RunningMachine } from './machine.ts';
import { createPartRunner } from './part-runner.ts';
import { runDemoOperator } from './demo/demo-operator.ts';
import { liveMachine } from './demo/demo-roastery.ts';
import { seedDemo, type DemoPlace } from './demo/seed-demo.ts';
import {
  apiEnvironment,
  apiUrlOf,
  brokerEnvironment,
  localAddress,
  mqttUrlOf,
  type StackPlan,
  publicAddress,
  mqttPublicUrlOf,
} from './stack-environment.ts';
import { choosePorts, type StackPorts } from './stack-ports.ts';
import { openSecrets } from './stack-secrets.ts';
import { supervisePostgres, type SupervisedPostgres } from './supervised-postgres.ts';
import type { SupervisedProcess } from './supervised-process.ts';

export interface StackOptions {
  /** Everything that is kept between starts: database, secrets, the agents' journals. */
  dataDir: string;
  /** Where the portal and the broker listen (default 127.0.0.1). Database and broker management stay on loopback. */
  host?: string;
  /** Free ports for those not given. */
  ports?: { http?: number; mqtt?: number };
  publicUrl?: string | undefined;
  /** Software for boards (default: `dist/release/packages` of the repository, where there is one). */
  packagesDir?: string;
  /** An external Postgres instead of the embedded one. */
  databaseUrl?: string | undefined;
  /** Settings for the embedded Postgres. */
  databaseSettings?: Record<string, string>;
  /** The first admin; the password is generated when not given. */
  admin?: { email?: string; password?: string | undefined };
  /** Seeds the demo roastery and runs its live machine (default false). */
  demo?: boolean | { timeFactor: number };
  logLevel?: string;
  /** Environment of the broker beside the stack's own, such as its limits. */
  brokerSettings?: Readonly<Record<string, string>>;
  /** Node arguments of the api's process, for instrumentation. */
  apiNodeArgs?: readonly string[];
  /** Runs broker and api elsewhere than in processes of this stack: tests run them in a process that stays warm. */
  servers?: { start(environments: ServersEnvironment): Promise<{ close(): Promise<void> }> };
  /** Called with each line of a process's output, and with the stack's own messages (as `stack`). */
  onLine?: (processName: string, line: string) => void;
  /** Aborts the start: everything open is closed and `startStack` rejects. */
  signal?: AbortSignal;
}

/** The settings of broker and api of a stack. */
export interface ServersEnvironment {
  broker: Record<string, string>;
  api: Record<string, string>;
}

export interface Stack {
  /** The portal's address, and beneath it the api's and the broker's. */
  url: string;
  apiUrl: string;
  mqttUrl: string;
  /** Where boards of the network reach the broker. */
  mqttPublicUrl: string;
  ports: StackPorts;
  databaseUrl: string;
  admin: { email: string; password: string };
  /** True when this start created the secrets in `dataDir`. */
  isFirstStart: boolean;
  /**
   * A running part: `postgres` (embedded only), `api` and `broker` (unless `servers` runs them), and
   * `simulator-<serial>`, `agent-<serial>` of each machine.
   * @throws with the names of all parts when there is none of that name
   */
  part(name: string): SupervisedProcess;
  /** Process ids of all parts that run right now. */
  pids(): number[];
  /** Runs a simulator and an agent for a machine that is registered; see `MachineOptions`. */
  startMachine(options: MachineOptions): Promise<RunningMachine>;
  /** Resolves when `/readyz` is green. */
  untilReady(timeoutMs?: number): Promise<void>;
  /** Stops everything in order, within 10 s. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const REPOSITORY = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..', '..');

/** How long each part gets for a clean end, in the order in which they are stopped; together under 10 s. */
const GRACE_MS = { machines: 2_500, api: 4_000, broker: 1_000, postgres: 2_000 };

/**
 * Starts the whole roastery, each part in its own process that is restarted when it dies: Postgres, api with portal,
 * broker, and with `demo` a simulated machine with its agent. Resolves when the api is ready.
 * @throws CannotStart with one line for the user: a port or folder in use, a part that doesn't start
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  const host = options.host ?? '127.0.0.1';
  const onLine = options.onLine ?? (() => undefined);
  const say = (line: string) => onLine('stack', line);
  const ports = await choosePorts(host, options.ports ?? {});
  await mkdir(options.dataDir, { recursive: true });
  const release = await claimFolder(options.dataDir);
  const processes: Record<string, SupervisedProcess> = {};
  const machines: RunningMachine[] = [];
  const leaving = new AbortController();
  let operator: Promise<void> = Promise.resolve();
  let served: { close(): Promise<void> } | undefined;

  const stop = (name: string, graceMs: number) => processes[name]?.stop(graceMs) ?? Promise.resolve();
  const close = async () => {
    leaving.abort();
    await operator;
    await Promise.all(machines.map((machine) => machine.stop(GRACE_MS.machines)));
    await served?.close();
    await stop('api', GRACE_MS.api);
    await stop('broker', GRACE_MS.broker);
    await stop('postgres', GRACE_MS.postgres);
    await release();
  };

  try {
    const secrets = await openSecrets(options.dataDir);
    const database = await openDatabase(options, say);
    if (database !== undefined) processes['postgres'] = database;
    const plan: StackPlan = {
      repository: REPOSITORY,
      dataDir: options.dataDir,
      host,
      ports,
      databaseUrl: database?.url ?? options.databaseUrl ?? '',
      publicUrl: options.publicUrl ?? `http://${publicAddress(host)}:${ports.http}`,
      secrets,
      admin: {
        email: options.admin?.email ?? 'admin@roastery.example',
        password: options.admin?.password ?? secrets.adminPassword,
      },
      logLevel: options.logLevel ?? 'info',
      packagesDir: options.packagesDir,
    };
    const runner = createPartRunner({ repository: REPOSITORY, onLine, processes, signal: options.signal });
    const untilReady = (timeoutMs = 60_000) =>
      runner.untilOk('api', `http://${localAddress(host)}:${ports.http}/readyz`, timeoutMs);

    const environments: ServersEnvironment = {
      broker: { ...brokerEnvironment(plan), ...options.brokerSettings },
      api: apiEnvironment(plan),
    };
    if (options.servers === undefined) {
      const nodeArgs = [...(options.apiNodeArgs ?? [])];
      runner.start({ name: 'broker', script: 'broker/dist/program/main.js', env: environments.broker });
      runner.start({ name: 'api', script: 'api/dist/program/main.js', env: environments.api, nodeArgs });
    } else {
      served = await options.servers.start(environments);
    }
    await untilReady();

    const startOne = async (machine: MachineOptions) => {
      const running = await startMachine(plan, runner, machine);
      machines.push(running);
      return running;
    };
    const startDemo = async (timeFactor: number) => {
      const origin = `http://${localAddress(host)}:${ports.http}`;
      const place: DemoPlace = { dataDir: options.dataDir, origin, mqttUrl: mqttUrlOf(plan), admin: plan.admin, say };
      const serial = liveMachine.serial_number;
      const token = (await seedDemo(place))[serial]?.token;
      if (token === undefined) return say(`${serial} is registered by another person; there is no live roast`);
      await startOne({ serial, token, timeFactor });
      operator = runDemoOperator(place, leaving.signal);
    };
    if (options.demo !== undefined && options.demo !== false) {
      await startDemo(options.demo === true ? 1 : options.demo.timeFactor);
    }
    return {
      url: plan.publicUrl,
      apiUrl: apiUrlOf(plan),
      mqttUrl: mqttUrlOf(plan),
      mqttPublicUrl: mqttPublicUrlOf(plan),
      ports,
      databaseUrl: plan.databaseUrl,
      admin: plan.admin,
      isFirstStart: secrets.isNew,
      part: (name) => {
        const part = processes[name];
        if (part === undefined) throw new Error(`no part "${name}" among ${Object.keys(processes).join(', ')}`);
        return part;
      },
      pids: () => Object.values(processes).flatMap(({ pid }) => (pid === undefined ? [] : [pid])),
      startMachine: startOne,
      untilReady,
      close,
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openDatabase(
  options: StackOptions,
  say: (line: string) => void,
): Promise<SupervisedPostgres | undefined> {
  if (options.databaseUrl !== undefined) return undefined;
  const onLine = options.onLine ?? (() => undefined);
  // Postgres logs every start and checkpoint; failed queries are logged by the api.
  const isChatty = options.logLevel === 'debug' || options.logLevel === 'trace';
  return supervisePostgres(
    {
      dataDir: options.dataDir,
      log: {
        info: (line) => onLine('postgres', line),
        debug: isChatty ? (line) => onLine('postgres', line) : () => undefined,
      },
      ...(options.databaseSettings === undefined ? {} : { settings: options.databaseSettings }),
    },
    (reason) => say(`postgres ended (${reason}); starting it again`),
  );
}
