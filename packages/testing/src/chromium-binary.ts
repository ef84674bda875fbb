import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** An executable Chromium, and the settings for its libraries and fonts. */
export interface ChromiumBinary {
  executable: string;
  env: Record<string, string>;
}

/**
 * The Chromium to test with: `CHROMIUM_PATH` when set, else the one that comes inside `@sparticuz/chromium`, unpacked
 * once per user and version into the temporary folder (about 1.5 s and 200 MB). Safe to call from several processes.
 * @throws when neither is possible, saying what to do.
 */
export async function findChromium(): Promise<ChromiumBinary> {
  const chosen = process.env['CHROMIUM_PATH'];
  if (chosen !== undefined && chosen !== '') {
    if (!existsSync(chosen)) throw new Error(`CHROMIUM_PATH points at ${chosen}, which does not exist.`);
    return { executable: chosen, env: {} };
  }
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error(
      `The Chromium in the packages is for Linux x64. On ${process.platform} ${process.arch} set CHROMIUM_PATH to an installed one.`,
    );
  }
  const folder = path.join(tmpdir(), `roastery-browser-${await packedVersion()}-${process.getuid?.() ?? 0}`);
  if (!existsSync(folder)) await unpackInto(folder);
  await refuseForeignFolder(folder);
  return {
    executable: path.join(folder, 'start'),
    env: {
      LD_LIBRARY_PATH: path.join(folder, 'al2023', 'lib'),
      FONTCONFIG_FILE: path.join(folder, 'fonts.conf'),
      HOME: folder,
    },
  };
}

async function packedVersion(): Promise<string> {
  const entry = createRequire(import.meta.url).resolve('@sparticuz/chromium');
  const manifest = path.join(path.dirname(entry), '..', '..', 'package.json');
  const { version } = JSON.parse(await readFile(manifest, 'utf8')) as { version: string };
  return version;
}

/**
 * The package unpacks into TMPDIR under fixed names, and adds the NSS libraries only on Amazon Linux 2023. So it runs
 * in a child process with a TMPDIR of its own that pretends to be that system, and the finished folder is moved into
 * place.
 */
async function unpackInto(folder: string): Promise<void> {
  const workshop = await mkdtemp(`${folder}.unpacking-`);
  try {
    await runUnpacking(workshop);
    await mkdir(path.join(workshop, 'font-cache'));
    await writeFile(path.join(workshop, 'fonts.conf'), fontConfig(folder));
    await writeFile(path.join(workshop, 'start'), START, { mode: 0o700 });
    await chmod(workshop, 0o700);
    await rename(workshop, folder);
  } catch (error) {
    await rm(workshop, { recursive: true, force: true });
    // Another process was faster; its folder is equivalent.
    if (!existsSync(folder)) throw error;
  }
}

/**
 * As root Chromium gives its threads a priority (nice -8) that leaves the servers and boards under test without a processor.
 * Without the capability it starts as it does for other users.
 */
const START = `#!/bin/sh
folder=$(dirname "$0")
if [ "$(id -u)" = 0 ] && command -v setpriv > /dev/null; then
  exec setpriv --inh-caps=-sys_nice --bounding-set=-sys_nice "$folder/chromium" "$@"
fi
exec "$folder/chromium" "$@"
`;

function runUnpacking(workshop: string): Promise<void> {
  const script = `import chromium from '@sparticuz/chromium'; await chromium.executablePath();`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: path.dirname(fileURLToPath(import.meta.url)),
    env: { PATH: process.env['PATH'] ?? '', TMPDIR: workshop, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs20.x' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let complaint = '';
  child.stderr.on('data', (chunk: Buffer) => {
    complaint += chunk.toString();
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`Unpacking Chromium failed: ${complaint.trim() || `exit code ${code}`}`));
    });
  });
}

/** Only the bundled fonts, so that a picture is the same on every machine. */
function fontConfig(folder: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${escapeXml(path.join(folder, 'fonts', 'fonts'))}</dir>
  <cachedir>${escapeXml(path.join(folder, 'font-cache'))}</cachedir>
</fontconfig>
`;
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Every user can write to the temporary folder: never run a program that another user placed there. */
async function refuseForeignFolder(folder: string): Promise<void> {
  const { uid, mode } = await stat(folder);
  const mine = process.getuid?.();
  if (uid !== mine || (mode & 0o022) !== 0) {
    throw new Error(`${folder} can be changed by others. Remove it, or set TMPDIR to a folder of your own.`);
  }
}
