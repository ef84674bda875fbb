import { randomBytes } from 'node:crypto';
import { mkdir, readFile, readdir, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from '@roastery/runtime/env';
import type { Logger } from '@roastery/runtime/logger';
import { readFileIfThere, writeFileAtomically } from '../atomic-file.ts';
import type { ClockReading } from '../core/entry.ts';
import { RangeSet, type SeqRange } from '../core/ranges.ts';
import { holdsRoast, laterFormat, parseSegmentName, readSegment, sealedName, type SealedSegment } from './segment.ts';

export interface Recovered {
  readonly epoch: string;
  readonly sealed: SealedSegment[];
  readonly nextSeq: number;
  /** What the server had committed, as far as the journal knows. */
  readonly acked: RangeSet;
  readonly clocks: readonly ClockReading[];
  /** Sequence numbers that damage took and that were not reported yet. */
  readonly damaged: readonly SeqRange[];
  /** Segments without an entry, to be removed once the next one is open: they remember the sequence until then. */
  readonly leftOver: readonly string[];
}

/** Smallest entry on disk, to say how many may have been in bytes that can't be read. */
const smallestEntryBytes = 39;
/** Damaged bytes are kept for whoever wants to look into it, but never enough to fill the disk. */
const quarantineLimit = 32;

const quarantine = async (folder: string, name: string, bytes: Buffer): Promise<void> => {
  const place = join(folder, 'quarantine');
  await mkdir(place, { recursive: true });
  const kept = (await readdir(place)).sort();
  for (const old of kept.slice(0, Math.max(0, kept.length - quarantineLimit + 1))) await rm(join(place, old));
  await writeFile(join(place, name), bytes, { mode: 0o600 });
};

const readEpoch = async (folder: string): Promise<string | undefined> => {
  const text = (await readFileIfThere(join(folder, 'epoch')))?.trim();
  return text !== undefined && /^[0-9a-f]{16}$/.test(text) ? text : undefined;
};

/** The folder with the name of its stream; what is there stays. */
export const makeJournalFolder = async (folder: string, epoch: string): Promise<void> => {
  await mkdir(folder, { recursive: true });
  if (epoch !== (await readEpoch(folder))) await writeFileAtomically(join(folder, 'epoch'), `${epoch}\n`);
};

/**
 * Opens a journal folder as the last process left it, however it ended. Damage costs what it covers, never the start:
 * bad bytes go to `quarantine/`, the rest is kept. Only segments that were being written, and the newest one, are read.
 * Throws `ConfigError` when a later version has written it in a way that this one would misread.
 */
export const recoverJournal = async (folder: string, log: Logger): Promise<Recovered> => {
  await mkdir(folder, { recursive: true });
  const names = (await readdir(folder)).sort();
  const found = names.flatMap((name) => {
    const parsed = parseSegmentName(name);
    return parsed ? [{ name, ...parsed }] : [];
  });
  // Before anything is touched. The newest is enough: every start begins one.
  const newest = found.at(-1);
  const format = newest === undefined ? undefined : laterFormat(await readFile(join(folder, newest.name)));
  if (format !== undefined)
    throw new ConfigError(
      `the journal in ${folder} was written by a later version (format ${format}): install that version again; nothing was changed`,
    );
  let epoch = found.length > 0 ? await readEpoch(folder) : undefined;
  const sealed: SealedSegment[] = [];
  const clocks: ClockReading[] = [];
  const damaged: SeqRange[] = [];
  const leftOver: string[] = [];
  let acked: readonly SeqRange[] = [];
  let nextSeq = 0;

  for (const [index, segment] of found.entries()) {
    const path = join(folder, segment.name);
    nextSeq = Math.max(nextSeq, segment.state === 'sealed' ? segment.last + 1 : segment.first);
    if (segment.state === 'sealed' && index < found.length - 1) {
      sealed.push({ ...segment, path, bytes: (await stat(path)).size });
      continue;
    }
    const bytes = await readFile(path);
    const data = readSegment(bytes);
    epoch ??= data.epoch;
    if (data.acked.length > 0) acked = data.acked;
    clocks.push(...data.clocks);
    damaged.push(...data.missing);
    for (const { from, to, torn } of data.damage) {
      await quarantine(folder, `${segment.name}.${from}`, bytes.subarray(from, to));
      log.warn({ segment: segment.name, at: from, bytes: to - from, torn }, 'journal: damaged bytes quarantined');
    }
    const tail = data.damage.find(({ to }) => to === bytes.length);
    if (segment.state === 'sealed') {
      sealed.push({ ...segment, path, bytes: bytes.length });
      continue;
    }
    if (tail) await truncate(path, tail.from);
    const last = data.entries.at(-1)?.seq;
    if (data.highest !== undefined && data.highest > (last ?? -1)) {
      // The head is gone, and with it what the values mean. They are kept for whoever can tell, and said to be lost.
      await quarantine(folder, `${segment.name}.whole`, bytes);
      log.warn({ segment: segment.name, entries: data.highest - segment.first + 1 }, 'journal: entries without a head');
      damaged.push([segment.first, data.highest]);
    }
    nextSeq = Math.max(nextSeq, (data.highest ?? -1) + 1);
    if (tail && !tail.torn) {
      // What stood there may have been sent: its numbers must not be used again.
      const lost = Math.ceil((tail.to - tail.from) / smallestEntryBytes);
      damaged.push([nextSeq, nextSeq + lost - 1]);
      nextSeq += lost;
    }
    const first = data.entries[0]?.seq;
    if (first === undefined || last === undefined) {
      leftOver.push(path);
      continue;
    }
    const content = holdsRoast(data.entries) ? 'roast' : 'idle';
    const sealedPath = join(folder, sealedName(first, last, content));
    await rename(path, sealedPath);
    sealed.push({ path: sealedPath, first, last, content, bytes: tail ? tail.from : bytes.length });
  }

  if (epoch === undefined) {
    epoch = randomBytes(8).toString('hex');
    log.info({ epoch }, 'journal: new stream');
  }
  await makeJournalFolder(folder, epoch);
  const committed = new RangeSet(acked);
  nextSeq = Math.max(nextSeq, (committed.last()?.[1] ?? -1) + 1);
  return { epoch, sealed, nextSeq, acked: committed, clocks, damaged, leftOver };
};
