import { spawn, type ChildProcess } from 'node:child_process';
import { createBackoff, pause } from '@roastery/runtime/backoff';
import { realClock, type Clock } from '@roastery/runtime/clock';
import { splitLines } from './log-lines.ts';
import { guardAgainstOrphaning } from './orphan-guard.ts';

export interface ProcessPlan {
  name: string;
  /** Absolute path of the JavaScript to run, and its arguments. */
  script: string;
  /** Flags of Node itself. */
  nodeArgs?: readonly string[];
  args?: readonly string[];
  /** The whole environment; only PATH, HOME, TZ and LANG of ours are passed on. */
  env: Record<string, string>;
  /** Whether `send` reaches its standard input. */
  takesInput?: boolean;
  onLine: (line: string) => void;
  /** Called when it exited by itself and will be restarted. */
  onRestart: (reason: string) => void;
  clock?: Clock;
}

/** A child process that is restarted when it dies, until it is stopped. */
export interface SupervisedProcess {
  readonly name: string;
  /** `undefined` while it waits for its next start. */
  readonly pid: number | undefined;
  /** Number of restarts. */
  readonly restarts: number;
  /** Sends a signal to the running process; the supervisor restarts it as after any exit. */
  kill(signal: NodeJS.Signals): void;
  /** Writes a line to its standard input, where it takes any. */
  send(line: string): void;
  /** SIGTERM, then an immediate restart. */
  restart(): Promise<void>;
  /** SIGTERM, and SIGKILL when it hasn't ended after `graceMs`. It is not restarted. */
  stop(graceMs: number): Promise<void>;
}

/** A process that ran this long counts as healthy: its next restart has no backoff. */
const HEALTHY_MS = 20_000;
const FIRST_DELAY_MS = 200;
const LAST_DELAY_MS = 10_000;

/**
 * Starts a Node process in its own session, so that Ctrl-C in the terminal reaches only this process, which stops the
 * others in order.
 */
export function superviseProcess(plan: ProcessPlan): SupervisedProcess {
  const { clock = realClock } = plan;
  const stopping = new AbortController();
  const backoff = createBackoff(FIRST_DELAY_MS, LAST_DELAY_MS);
  let child: ChildProcess | undefined;
  let ended: Promise<void> = Promise.resolve();
  let atOnce = false;
  let restarts = 0;

  const run = (): Promise<string> => {
    const began = clock.monotonic();
    const current = startChild(plan);
    child = current;
    const end = new Promise<string>((resolve) => {
      current.once('error', (error) => resolve(error.message));
      current.once('close', (code, signal) => resolve(signal === null ? `exit code ${code}` : signal));
    });
    ended = settle(end, began);
    return end;
  };

  const settle = async (end: Promise<string>, began: number) => {
    await end;
    child = undefined;
    if (clock.monotonic() - began > HEALTHY_MS) backoff.reset();
  };

  const watch = async () => {
    while (!stopping.signal.aborted) {
      const reason = await run();
      await ended;
      if (stopping.signal.aborted) return;
      restarts += 1;
      plan.onRestart(reason);
      if (!atOnce) await pause(backoff.nextMs(), stopping.signal, clock);
      atOnce = false;
    }
  };
  const watched = watch();

  return {
    name: plan.name,
    get pid() {
      return child?.pid;
    },
    get restarts() {
      return restarts;
    },
    kill: (signal) => {
      child?.kill(signal);
    },
    send: (line) => {
      child?.stdin?.write(`${line}\n`);
    },
    restart: async () => {
      atOnce = child !== undefined;
      backoff.reset();
      child?.kill('SIGTERM');
      await ended;
    },
    stop: async (graceMs) => {
      stopping.abort();
      child?.kill('SIGTERM');
      const cancelKill = clock.after(graceMs, () => child?.kill('SIGKILL'));
      await watched;
      cancelKill();
    },
  };
}

function startChild(plan: ProcessPlan): ChildProcess {
  const passedOn = Object.fromEntries(
    ['PATH', 'HOME', 'TZ', 'LANG', 'NODE_OPTIONS', 'NODE_EXTRA_CA_CERTS'].flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
  const child = spawn(process.execPath, [...(plan.nodeArgs ?? []), plan.script, ...(plan.args ?? [])], {
    env: { ...passedOn, ...plan.env },
    stdio: [plan.takesInput === true ? 'pipe' : 'ignore', 'pipe', 'pipe'],
    detached: true,
  });
  // Writing to a process that has just died fails; its exit is reported.
  child.stdin?.on('error', () => undefined);
  child.stdout?.on('data', splitLines(plan.onLine));
  child.stderr?.on('data', splitLines(plan.onLine));
  if (child.pid !== undefined) child.once('close', guardAgainstOrphaning(child.pid, 'TERM'));
  return child;
}
