// Exits with 0 when the page given as argument answers 200 within 4 seconds: the images have no curl. A program that
// does not respond at all three times in a row hangs: it is killed by the id that run-watched.sh has stored, and the
// restart policy restarts it.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const address = process.argv[2];
if (!address) {
  process.stderr.write('usage: healthcheck.mjs <url>\n');
  process.exit(2);
}
const missesAllowed = 3;
const pidFile = path.join(tmpdir(), 'program.pid');
const missesFile = path.join(tmpdir(), 'healthcheck.misses');

const readOr = (file, otherwise) => {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    if (error.code === 'ENOENT') return otherwise;
    throw error;
  }
};

/** Misses are counted per process: a restarted one begins at 0. */
const noteMiss = () => {
  const pid = Number(readOr(pidFile, ''));
  if (!Number.isSafeInteger(pid) || pid <= 0) return;
  const [countedPid, counted] = readOr(missesFile, '').split(' ').map(Number);
  const misses = countedPid === pid ? counted + 1 : 1;
  writeFileSync(missesFile, `${pid} ${misses}`);
  if (misses < missesAllowed) return;
  process.stderr.write(`no answer ${misses} times: process ${pid} is killed\n`);
  process.kill(pid, 'SIGKILL');
};

try {
  const response = await fetch(address, { signal: AbortSignal.timeout(4_000) });
  rmSync(missesFile, { force: true });
  if (response.status !== 200) {
    process.stderr.write(`${address} answers ${response.status}\n`);
    process.exitCode = 1;
  }
} catch (error) {
  process.stderr.write(`${address}: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
  noteMiss();
}
