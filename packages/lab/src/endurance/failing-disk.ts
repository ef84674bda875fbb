import { appendFileSync, closeSync, fstatSync, openSync, readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { repositoryRoot } from '@roastery/testing/shared-data';
import { monoNow } from './machine-record.ts';

export const diskFaults = ['EIO', 'EROFS', 'ENOSPC'] as const;
/** How long a disk fails, and then works, s. */
const failSeconds = [0.5, 3, 8, 30] as const;
const workSeconds = [4, 12] as const;
const sectorBytes = 512;

export interface DiskFailure {
  readonly kind: (typeof diskFaults)[number];
  readonly fromMs: number;
  readonly toMs: number;
}

/** `NODE_OPTIONS` of a program whose disk below `folder` fails as specified in `file`. */
export const failingDiskOption = (file: string, folder: string): string => {
  const script = pathToFileURL(join(repositoryRoot(), 'packages', 'lab', 'bin', 'failing-disk.mjs'));
  script.searchParams.set('file', file);
  script.searchParams.set('folder', folder);
  return `--import=${script.href}`;
};

/** Makes a disk fail repeatedly, briefly or for long, until it is stopped. Returns when it failed, ms since boot. */
export const failAgainAndAgain = (file: string, random: () => number) => {
  const failures: DiskFailure[] = [];
  const stopping = new AbortController();
  const rest = (seconds: number): Promise<void> =>
    sleep(seconds * 1000, undefined, { signal: stopping.signal }).catch(() => undefined);
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await rest(workSeconds[0] + (workSeconds[1] - workSeconds[0]) * random());
      if (stopping.signal.aborted) break;
      const kind = diskFaults[Math.floor(random() * diskFaults.length)] ?? 'EIO';
      const fromMs = monoNow();
      await writeFile(file, kind);
      await rest(failSeconds[Math.floor(random() * failSeconds.length)] ?? 1);
      await writeFile(file, '');
      failures.push({ kind, fromMs, toMs: monoNow() });
    }
  };
  const running = run();
  return {
    failures,
    async stop(): Promise<void> {
      stopping.abort();
      await running;
    },
  };
};

/** The state of a file after a power cut during a write: zeros to the end of the next sector. */
export const leaveZeroTail = (journalFolder: string): boolean => {
  const newest = readdirSync(journalFolder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.open'))
    .sort()
    .at(-1);
  if (newest === undefined) return false;
  const path = join(journalFolder, newest);
  const handle = openSync(path, 'r');
  const { size } = fstatSync(handle);
  closeSync(handle);
  // The beginning of an incomplete record, and zeros.
  const toBorder = sectorBytes - ((size + 2) % sectorBytes);
  appendFileSync(path, Buffer.concat([Buffer.from([0xa7, 0x4a]), Buffer.alloc(toBorder + sectorBytes)]));
  return true;
};
