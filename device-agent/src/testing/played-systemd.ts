import { spawn, type ChildProcess } from 'node:child_process';
import { chownSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseEnv } from 'node:util';
import { openNotifySocket } from '@roastery/testing/notify-socket';

export interface PlayedUnit {
  /** Folder that the package is installed in, as if it were `/`. */
  readonly root: string;
  /** User and group of the service: the tests cover its write permissions. */
  readonly user: number;
  /** Instead of the unit's `WatchdogSec`, `TimeoutStartSec` and `RestartSec`. */
  readonly watchdogMs: number;
  readonly startMs: number;
  readonly restartMs: number;
}

type Result = 'success' | 'exit-code' | 'signal' | 'watchdog' | 'timeout' | 'protocol';

const name = 'roastery-agent';

/** To the whole group, as with `KillMode=control-group`. Returns whether the group still had processes. */
const signal = (to: ChildProcess, kind: NodeJS.Signals | 0): boolean => {
  try {
    return to.pid !== undefined && process.kill(-to.pid, kind);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
    return false;
  }
};

const lingerMs = 5000;
/** Continues only when the last process of the group has ended. */
const clearGroup = async (of: ChildProcess): Promise<void> => {
  signal(of, 'SIGKILL');
  const until = performance.now() + lingerMs;
  while (signal(of, 0) && performance.now() < until) await sleep(20);
};

const end = (child: ChildProcess): Promise<{ code: number | null; by: NodeJS.Signals | null }> =>
  new Promise((resolve) => {
    child.on('exit', (code, by) => resolve({ code, by }));
  });

/**
 * Runs the installed unit as systemd does: the commands before and after, READY and WATCHDOG over a real notify socket,
 * SIGTERM and SIGABRT to the whole group, the result in the environment, and restarts. Nothing is sandboxed.
 */
export const playSystemd = async ({ root, user, watchdogMs, startMs, restartMs }: PlayedUnit) => {
  const socket = await openNotifySocket(user);
  const [state, runtime, config] = ['var/lib', 'run', 'etc'].map((place) => join(root, place, name)) as [
    string,
    string,
    string,
  ];
  const commandOf = (key: string): { program: string; words: string[] } => {
    const unit = readFileSync(join(root, `usr/lib/systemd/system/${name}.service`), 'utf8');
    const line = new RegExp(`^${key}=([-+]*)(\\S+) (.*)$`, 'm').exec(unit);
    if (line === null) throw new Error(`the unit has no ${key}`);
    return { program: join(root, line[2] ?? ''), words: (line[3] ?? '').split(' ') };
  };
  const env = (): NodeJS.ProcessEnv => ({
    PATH: process.env['PATH'],
    ...parseEnv(readFileSync(join(config, 'settings.env'), 'utf8')),
    ...parseEnv(readFileSync(join(config, 'agent.env'), 'utf8')),
    RUNTIME_DIRECTORY: runtime,
    STATE_DIRECTORY: state,
  });

  let main: ChildProcess | undefined;
  const now = { told: false, unplugged: false };
  let log = '';
  const results: Result[] = [];
  const run = (key: string, more: NodeJS.ProcessEnv, uid: number | undefined): ChildProcess => {
    const { program, words } = commandOf(key);
    const child = spawn(program, words, {
      env: { ...env(), ...more },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
      ...(uid === undefined ? {} : { uid, gid: uid }),
    });
    child.stdout.on('data', (data) => (log += String(data)));
    child.stderr.on('data', (data) => (log += String(data)));
    return child;
  };
  const onwards = (): number => socket.messages.length;

  /** READY in time, then WATCHDOG in time; returns when one of them is missing, or the program has ended. */
  const supervise = async (from: number, ended: Promise<unknown>): Promise<'ended' | 'watchdog' | 'timeout'> => {
    const program = { runs: true };
    void ended.then(() => (program.runs = false));
    const isReady = (): boolean => socket.messages.slice(from).some((message) => message.includes('READY=1'));
    const began = performance.now();
    while (program.runs && !isReady()) {
      if (performance.now() - began > startMs) return 'timeout';
      await sleep(20);
    }
    let [heard, at] = [onwards(), performance.now()];
    while (program.runs) {
      if (onwards() > heard) [heard, at] = [onwards(), performance.now()];
      if (performance.now() - at > watchdogMs) return 'watchdog';
      await sleep(20);
    }
    return 'ended';
  };

  const once = async (): Promise<void> => {
    for (const folder of [state, runtime]) {
      mkdirSync(folder, { recursive: true });
      chownSync(folder, user, user);
    }
    await end(run('ExecStartPre', {}, undefined));
    if (now.unplugged) return;
    const from = onwards();
    const child = run('ExecStart', { NOTIFY_SOCKET: socket.path, WATCHDOG_USEC: String(watchdogMs * 1000) }, user);
    main = child;
    const ending = end(child);
    const sign = await supervise(from, ending);
    if (sign !== 'ended') {
      signal(child, sign === 'watchdog' ? 'SIGABRT' : 'SIGTERM');
      await Promise.race([ending, sleep(1000)]);
      signal(child, 'SIGKILL');
    }
    const { code, by } = await ending;
    main = undefined;
    await clearGroup(child);
    if (now.unplugged) return;
    const isReady = socket.messages.slice(from).some((message) => message.includes('READY=1'));
    const result: Result =
      sign !== 'ended'
        ? sign
        : code === 0
          ? isReady || now.told
            ? 'success'
            : 'protocol'
          : by === null
            ? 'exit-code'
            : 'signal';
    results.push(result);
    const how = { EXIT_CODE: by === null ? 'exited' : 'killed', EXIT_STATUS: by === null ? String(code) : by.slice(3) };
    await end(run('ExecStopPost', { SERVICE_RESULT: result, ...how }, undefined));
    rmSync(runtime, { recursive: true, force: true });
  };

  let running: Promise<void> = Promise.resolve();
  const start = (): void => {
    Object.assign(now, { told: false, unplugged: false });
    running = (async () => {
      while (!now.told && !now.unplugged) {
        await once();
        if (!now.told && !now.unplugged) await sleep(restartMs);
      }
    })();
  };
  const stop = async (): Promise<void> => {
    now.told = true;
    if (main) signal(main, 'SIGTERM');
    await running;
  };
  const cutPower = async (): Promise<void> => {
    now.unplugged = true;
    if (main) signal(main, 'SIGKILL');
    await running;
    rmSync(runtime, { recursive: true, force: true });
  };
  return {
    start,
    stop,
    /** Everything ends at once without a signal; data in memory is lost. */
    cutPower,
    /** How each run ended that was not stopped by a test. */
    results,
    log: (): string => log,
    async [Symbol.asyncDispose]() {
      await cutPower();
      await socket[Symbol.asyncDispose]();
    },
  };
};
