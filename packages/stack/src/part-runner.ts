import { spawn } from 'node:child_process';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { printable, splitLines } from './log-lines.ts';
import { CannotStart } from './stack-ports.ts';
import { superviseProcess, type ProcessPlan, type SupervisedProcess } from './supervised-process.ts';

/** A program of the stack: its script is named from the repository's top folder. */
export type Part = Pick<ProcessPlan, 'name' | 'script' | 'nodeArgs' | 'args' | 'env' | 'takesInput'>;

/** Starts and supervises the parts of one stack. */
export interface PartRunner {
  /** Runs and supervises a part. */
  start(part: Part): SupervisedProcess;
  /** Stops and removes it. */
  stop(name: string, graceMs: number): Promise<void>;
  /**
   * Runs a script to its end.
   * @throws CannotStart with its last output when it fails
   */
  runOnce(part: Part): Promise<void>;
  /**
   * Waits until a GET answers 2xx.
   * @throws CannotStart when `name` keeps exiting or the time is up
   */
  untilOk(name: string, url: string, timeoutMs: number): Promise<void>;
}

interface RunnerOptions {
  repository: string;
  onLine: (processName: string, line: string) => void;
  /** Where running parts are kept by name. */
  processes: Record<string, SupervisedProcess>;
  signal: AbortSignal | undefined;
}

/** A part that exits this often before it was ready is not restarted. */
const DEATHS_BEFORE_GIVING_UP = 3;

/** Lines of a failed part that are shown. */
const LAST_WORDS = 8;

export function createPartRunner({ repository, onLine, processes, signal }: RunnerOptions): PartRunner {
  const output = new Map<string, string[]>();
  const hear = (name: string) => (line: string) => {
    output.set(name, [...(output.get(name) ?? []), line].slice(-LAST_WORDS).map(printable));
    onLine(name, line);
  };
  const lastWords = (name: string) => `last output:\n${(output.get(name) ?? ['nothing']).join('\n')}`;

  const start: PartRunner['start'] = (part) => {
    const { name } = part;
    const supervised = superviseProcess({
      ...part,
      script: path.join(repository, part.script),
      onLine: hear(name),
      onRestart: (reason) => onLine('stack', `${name} ended (${reason}); starting it again`),
    });
    processes[name] = supervised;
    return supervised;
  };

  const stop: PartRunner['stop'] = async (name, graceMs) => {
    await processes[name]?.stop(graceMs);
    delete processes[name];
  };

  const runOnce: PartRunner['runOnce'] = async ({ name, script, args = [], env }) => {
    const child = spawn(process.execPath, [path.join(repository, script), ...args], {
      env: { PATH: process.env['PATH'] ?? '', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
      ...(signal === undefined ? {} : { signal }),
    });
    child.stdout.on('data', splitLines(hear(name)));
    child.stderr.on('data', splitLines(hear(name)));
    const end = await new Promise<string | undefined>((resolve) => {
      child.once('error', (error) => resolve(error.message));
      child.once('close', (code, killer) => resolve(code === 0 ? undefined : (killer ?? `exit code ${code}`)));
    });
    if (end !== undefined) throw new CannotStart(`${name} failed (${end}); ${lastWords(name)}`);
  };

  const untilOk: PartRunner['untilOk'] = async (name, url, timeoutMs) => {
    const deadline = Date.now() + timeoutMs;
    const deathsBefore = processes[name]?.restarts ?? 0;
    for (;;) {
      signal?.throwIfAborted();
      const answer = await ask(url);
      if (answer === 'ok') return;
      const words = lastWords(name);
      const deaths = (processes[name]?.restarts ?? 0) - deathsBefore;
      if (deaths >= DEATHS_BEFORE_GIVING_UP) throw new CannotStart(`${name} does not start; ${words}`);
      if (Date.now() > deadline)
        throw new CannotStart(`${name} is not ready after ${timeoutMs / 1000} s (${answer}); ${words}`);
      await sleep(100);
    }
  };

  return { start, stop, runOnce, untilOk };
}

async function ask(url: string): Promise<string> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
    const text = await response.text();
    return response.ok ? 'ok' : `${response.status} ${text.slice(0, 200)}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
