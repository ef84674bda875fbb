import { ConfigError } from '@roastery/runtime/env';
import { readConfig } from './config.ts';
import { isRoutine, isWarning, lineFormat } from './log-lines.ts';
import { startStack, type Stack } from './stack.ts';
import { pairingAdvice } from './stack-environment.ts';
import { CannotStart } from './stack-ports.ts';
import { writeFirstSignIn } from './first-sign-in.ts';

/** Says something to the person at the terminal. */
const say = (text: string) => {
  process.stdout.write(`${text}\n`);
};

/** Everything ends within 10 s of the first signal; a second one ends it at once. */
const LAST_MOMENT_MS = 10_000;

/** How often we look whether npm is still there. */
const LOOK_AFTER_NPM_MS = 500;

/**
 * `npm start`: the whole roastery until Ctrl-C. Sets the exit code: 0 after a clean stop, 1 when it couldn't start.
 * @param parentPid the process that started us, when that is npm: we end with it
 */
export async function main(parentPid: number | undefined): Promise<void> {
  const stopping = new AbortController();
  const stopped = new Promise<void>((resolve) => stopping.signal.addEventListener('abort', () => resolve()));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopOn(signal, stopping));
  if (parentPid !== undefined) stopWithParent(parentPid, stopping);
  try {
    const stack = await startFromEnvironment(stopping.signal);
    await stopped;
    await stack.close();
    say('Stopped.');
  } catch (error) {
    if (stopping.signal.aborted) {
      say('Stopped.');
    } else if (error instanceof CannotStart || error instanceof ConfigError) {
      process.stderr.write(`${error.message}\n`);
      process.exitCode = 1;
    } else {
      throw error;
    }
  }
  // A handle somebody forgot must not keep a terminal waiting: everything of ours is closed.
  process.exit();
}

/** An npm that is killed can't tell us. We see it by being given another parent. */
function stopWithParent(parentPid: number, stopping: AbortController): void {
  const timer = setInterval(() => {
    if (process.ppid === parentPid) return;
    clearInterval(timer);
    if (!stopping.signal.aborted) stopOn('npm has ended', stopping);
  }, LOOK_AFTER_NPM_MS);
  timer.unref();
}

function stopOn(signal: string, stopping: AbortController): void {
  if (stopping.signal.aborted) {
    // npm passes on the signal that the terminal has sent us already; only a later one is a person's impatience.
    if (Date.now() - Number(stopping.signal.reason) < 500) return;
    process.exit(1);
  }
  say(`\nStopping (${signal}) …`);
  stopping.abort(Date.now());
  setTimeout(() => {
    process.stderr.write('Not everything ended in time; leaving.\n');
    process.exit(1);
  }, LAST_MOMENT_MS).unref();
}

async function startFromEnvironment(signal: AbortSignal): Promise<Stack> {
  const config = readConfig(process.env, process.cwd());
  const format = lineFormat(process.stdout.isTTY && process.env['NO_COLOR'] === undefined);
  say(`Starting the roastery, data in ${config.dataDir}`);
  const showsAll = config.logLevel === 'debug' || config.logLevel === 'trace';
  let isOpen = false;
  const onLine = (name: string, line: string) => {
    // While the parts find each other they warn of what isn't there yet. If one never comes, startStack tells why.
    const isNoise = isRoutine(line) || (!isOpen && isWarning(line));
    if (showsAll || !isNoise) say(format(name, line));
  };
  const stack = await startStack({ ...config, signal, onLine });
  isOpen = true;
  const signIn = await writeFirstSignIn(stack, config.dataDir, config.admin.password !== undefined);
  say(
    `\n  The roastery is open:  ${stack.url}\n  Sign in as:            ${stack.admin.email}\n  Password:              ${signIn}\n  Boards reach it at:    ${stack.mqttPublicUrl}\n${pairingAdvice(config.host, stack.url) ?? ''}  Ctrl-C stops it.\n`,
  );
  return stack;
}
