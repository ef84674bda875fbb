// Makes a fresh clone ready to run: dependencies installed, everything built. Plain JavaScript on Node alone, since
// nothing is installed yet when it runs. Does nothing, within half a second, when nothing changed.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
const CACHE = path.join(ROOT, 'node_modules', '.cache', 'roastery');

/** The programs that run, and their sources. The portal reads the packages' sources itself. */
const PROGRAMS = ['api', 'broker', 'device-agent', 'packages/simulator'];
const SERVERS = [...PROGRAMS, 'packages/stack'];
const SERVER_SOURCES = [...SERVERS, 'packages/contract', 'packages/roasting', 'packages/runtime'];
const PORTAL_SOURCES = ['portal', 'packages/contract', 'packages/roasting'];
const SHARED_SOURCES = ['package-lock.json', 'tsconfig.base.json'];

/** A reason to stop that a person can act on; everything else is an internal fault and shows its stack. */
export class CannotPrepare extends Error {}

/**
 * @param {{ say?: (line: string) => void, build?: boolean }} [options] receives progress; whether to build
 * @returns {Promise<void>} rejects with CannotPrepare
 */
export async function prepare({ say = (line) => console.log(line), build = true } = {}) {
  checkNode();
  await oneAtATime(say, async () => {
    if (!isInstalled()) {
      const reason = existsSync(path.join(ROOT, 'node_modules')) ? 'Dependencies changed' : 'First start';
      await step(say, `${reason}: installing dependencies (one or two minutes)`, installDependencies);
    }
    if (!build) return;
    await buildWhenStale(
      say,
      'the servers',
      SERVER_SOURCES,
      PROGRAMS.map((place) => `${place}/dist/program/main.js`),
      async () => {
        await run(process.execPath, [inModules('typescript/bin/tsc'), '-b', ...SERVERS]);
        await run(process.execPath, [path.join(ROOT, 'packages/stack/bin/bundle-programs.mjs'), ...PROGRAMS]);
      },
    );
    await buildWhenStale(say, 'the portal', PORTAL_SOURCES, ['portal/dist/index.html'], () =>
      run(process.execPath, [inModules('vite/bin/vite.js'), 'build', '--logLevel', 'warn'], path.join(ROOT, 'portal')),
    );
  });
}

function checkNode() {
  const { engines } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  const [major = 0, minor = 0] = engines.node.replace('>=', '').split('.').map(Number);
  const [ourMajor = 0, ourMinor = 0] = process.versions.node.split('.').map(Number);
  if (ourMajor > major || (ourMajor === major && ourMinor >= minor)) return;
  throw new CannotPrepare(
    `This needs Node ${major}.${minor} or newer, and runs on ${process.versions.node}. See https://nodejs.org`,
  );
}

/** npm records what it installed in its own lockfile: each non-optional package of the project must be in it. */
function isInstalled() {
  const noted = path.join(ROOT, 'node_modules', '.package-lock.json');
  if (!existsSync(noted)) return false;
  const wanted = JSON.parse(readFileSync(path.join(ROOT, 'package-lock.json'), 'utf8')).packages;
  const installed = JSON.parse(readFileSync(noted, 'utf8')).packages;
  return Object.entries(wanted).every(([place, entry]) => {
    if (!place.startsWith('node_modules/')) return true;
    const there = installed[place];
    if (there !== undefined) return there.version === entry.version;
    return entry.optional === true || (entry.link === true && !isUsed(place, wanted));
  });
}

/** Whether a package of the project depends on this one: nothing resolves the link of a workspace that only has programs. */
function isUsed(place, packages) {
  const name = place.slice('node_modules/'.length);
  return Object.values(packages).some(({ dependencies = {} }) => name in dependencies);
}

async function installDependencies() {
  requireWritable(ROOT, 'to install what it needs');
  // No package here needs its install script (Postgres' links are created when it starts), so none is run.
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const npm = process.env.npm_execpath;
  const env = { ...process.env, ...npmCache() };
  if (npm !== undefined && path.basename(npm) === 'npm-cli.js') await run(process.execPath, [npm, ...args], ROOT, env);
  else await run('npm', args, ROOT, env);
}

/** npm keeps its cache in the home folder; a service account often has none that is writable. */
function npmCache() {
  try {
    const wanted = process.env.npm_config_cache ?? path.join(os.homedir(), '.npm');
    mkdirSync(wanted, { recursive: true });
    accessSync(wanted, constants.W_OK);
    return {};
  } catch (error) {
    if (!['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR'].includes(error.code)) throw error;
    return { npm_config_cache: path.join(os.tmpdir(), `roastery-npm-cache-${process.getuid?.() ?? 0}`) };
  }
}

/** Builds unless the last successful build was made from the same files. */
async function buildWhenStale(say, what, sources, results, build) {
  const stamp = path.join(CACHE, `${what.split(' ').at(-1)}.sha256`);
  const now = fingerprint([...sources, ...SHARED_SOURCES]);
  const isFresh = existsSync(stamp) && readFileSync(stamp, 'utf8') === now;
  if (isFresh && results.every((file) => existsSync(path.join(ROOT, file)))) return;
  requireWritable(ROOT, `to build ${what}`);
  await step(say, `Building ${what}`, build);
  mkdirSync(CACHE, { recursive: true });
  writeFileSync(stamp, now);
}

/** One hash over the names and contents of all sources, without tests. */
function fingerprint(places) {
  const hash = createHash('sha256').update(process.versions.node);
  const add = (file) => hash.update(`\0${path.relative(ROOT, file)}\0`).update(readFileSync(file));
  const walk = (folder) => {
    for (const entry of readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const file = path.join(folder, entry.name);
      if (['node_modules', 'dist', 'e2e'].includes(entry.name) || /\.(test|bench|e2e)\.tsx?$|\.md$/.test(entry.name))
        continue;
      if (entry.isDirectory()) walk(file);
      else if (entry.isFile()) add(file);
    }
  };
  for (const place of places) {
    const full = path.join(ROOT, place);
    if (place.endsWith('.json')) add(full);
    else walk(full);
  }
  return hash.digest('hex');
}

function requireWritable(folder, purpose) {
  try {
    accessSync(folder, constants.W_OK);
  } catch (error) {
    throw new CannotPrepare(
      `${folder} can't be written by you, which is needed ${purpose}. Use a copy of your own, or let its owner start it once.`,
      {
        cause: error,
      },
    );
  }
}

/** Two starts in one folder must not install or build at once: the later one waits. */
async function oneAtATime(say, work) {
  // Beside node_modules, since `npm ci` removes that; ignored by git.
  const lock = path.join(ROOT, '.preparing');
  let taken = takeLock(lock);
  if (taken === 'held') say(`Another start is preparing this folder; waiting for it (if none is, remove ${lock})`);
  while (taken === 'held') {
    await sleep(250);
    taken = takeLock(lock);
  }
  try {
    await work();
  } finally {
    if (taken === 'ours') rmSync(lock, { force: true });
  }
}

/** A folder that is not writable needs no lock: it is ready, or refused with a message later. */
function takeLock(lock) {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return 'ours';
  } catch (error) {
    if (['EACCES', 'EPERM', 'EROFS'].includes(error.code)) return 'not needed';
    if (error.code !== 'EEXIST') throw error;
  }
  if (holderRuns(lock)) return 'held';
  rmSync(lock, { force: true });
  return takeLock(lock);
}

function holderRuns(lock) {
  try {
    const holder = Number(readFileSync(lock, 'utf8'));
    // Another process is between creating the file and writing its id.
    if (holder === 0) return true;
    process.kill(holder, 0);
    return true;
  } catch (error) {
    if (error.code === 'EPERM') return true;
    if (error.code === 'ESRCH' || error.code === 'ENOENT') return false;
    throw error;
  }
}

async function step(say, title, work) {
  const began = Date.now();
  say(`${title} …`);
  await work();
  say(`  done in ${((Date.now() - began) / 1000).toFixed(1)} s`);
}

function inModules(file) {
  return path.join(ROOT, 'node_modules', ...file.split('/'));
}

/** Runs a program in this terminal; a signal to this process ends it too. */
function run(command, args, cwd = ROOT, env = process.env) {
  const child = spawn(command, args, {
    cwd,
    env: { ...env, TURBO_TELEMETRY_DISABLED: '1' },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const stop = (signal) => {
    child.kill(signal);
    process.exitCode = 130;
  };
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(new CannotPrepare(`${command} can't be run: ${error.message}`)));
    child.once('close', (code, signal) => {
      process.off('SIGINT', stop);
      process.off('SIGTERM', stop);
      if (code === 0) resolve();
      else
        reject(
          new CannotPrepare(
            `${path.basename(args[0] ?? command)} ended with ${signal ?? `exit code ${code}`}; see its output above`,
          ),
        );
    });
  });
}
