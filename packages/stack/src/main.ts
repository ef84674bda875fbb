import path from 'node:path';
import { ConfigError } from '@roastery/runtime/env';
import { readConfig } from './config.ts';
import { isRoutine, isWarning, lineFormat } from './log-lines.ts';
import { startStack, type Stack } from './stack.ts';
import { pairingAdvice } from './stack-environment.ts';
import { CannotStart } from './stack-ports.ts';
import { writePrivateFile } from './private-file.ts';

/** Prints a line to the terminal. */
const say = (text: string) => {
  process.stdout.write(`${text}\n`);
};

/** Everything ends within 10 s of the first signal; a second one ends it at once. */
const LAST_MOMENT_MS = 10_000;

/** How often the parent process is checked. */
const PARENT_POLL_MS = 500;

/**
 * `npm start`: the whole roastery until Ctrl-C. Sets the exit code: 0 after a clean stop, 1 when it could not start.
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
  // A forgotten handle must not keep the terminal waiting: everything is closed.
  process.exit();
}

/** A killed npm can't signal us: our parent process changes instead. */
function stopWithParent(parentPid: number, stopping: AbortController): void {
  const timer = setInterval(() => {
    if (process.ppid === parentPid) return;
    clearInterval(timer);
    if (!stopping.signal.aborted) stopOn('npm has ended', stopping);
  }, PARENT_POLL_MS);
  timer.unref();
}

function stopOn(signal: string, stopping: AbortController): void {
  if (stopping.signal.aborted) {
    // npm forwards the signal that the terminal has already sent us; only a later one is a second Ctrl-C.
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
    // During the start, parts warn about others that are not ready yet. If one never is, startStack throws the reason.
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

/**
 * The password to print. A generated one is printed on the first start only, and stored in a file that only its owner can read;
 * later starts name the file, since the password may have been changed in the portal.
 * @param isGiven whether the password comes from ADMIN_PASSWORD
 */
async function writeFirstSignIn(stack: Stack, dataDir: string, isGiven: boolean): Promise<string> {
  if (isGiven) return 'the one in ADMIN_PASSWORD';
  const file = path.join(dataDir, 'first-sign-in.txt');
  if (!stack.isFirstStart) return `the one of the first start, in ${file}`;
  await writePrivateFile(file, `${stack.url}\n${stack.admin.email}\n${stack.admin.password}\n`);
  return stack.admin.password;
}
