import { join } from 'node:path';
import { ConfigError } from '@roastery/runtime/env';
import type { Logger } from '@roastery/runtime/logger';
import { isMissing } from '../atomic-file.ts';
import type { ClockReading } from '../core/entry.ts';
import { RangeSet, type SeqRange } from '../core/ranges.ts';
import { readInBlocks, type JournalDisk } from './disk.ts';
import {
  holdsRoast,
  laterFormat,
  parseSegmentName,
  readSegment,
  sealedName,
  minEntryBytes,
  type SealedSegment,
  type SegmentData,
  type SegmentName,
} from './segment.ts';
import { newEpoch, readEnd, readEpoch, readNotes, type StreamEnd, type StreamFolder } from './stream-folders.ts';
import type { StreamNotes } from './stream.ts';

export interface RecoveredStream {
  readonly epoch: string;
  readonly folder: string;
  readonly index: number;
  readonly segments: readonly SealedSegment[];
  readonly nextSeq: number;
  /** The entries that the server has, those that were dropped, and the owner, as far as the disk shows. */
  readonly notes: StreamNotes;
  /** The text of the notes on the disk. */
  readonly notesText: string | undefined;
  readonly clocks: readonly ClockReading[];
  /** Sequence numbers lost to damage and not reported yet. */
  readonly damaged: readonly SeqRange[];
  /** Sequence numbers dropped for room and not reported yet. */
  readonly dropped: readonly SeqRange[];
  /** Segments without an entry, to be removed once the next one is open: until then their names keep the sequence. */
  readonly leftOver: readonly string[];
  /** Whether its next number is known, so that it may continue. */
  readonly mayGoOn: boolean;
  /** False for a folder without its `epoch` file, to which nothing is added. */
  readonly isNamed: boolean;
  /** Undefined if the last process did not close it. */
  readonly end: StreamEnd | undefined;
}

/** Damaged bytes are kept for analysis, but limited so that they cannot fill the disk. */
const quarantineLimit = 32;

/** More events than a process appends after a stream of which it drops the last segment. */
const maxLateEvents = 1000;

type Found = SegmentName & { readonly name: string };

/** How hard a start tries to read a file: `strict` gives up on an error, because the disk may answer later. */
export type Insistence = 'strict' | 'whatever-can-be-read';

const findSegments = async (disk: JournalDisk, folder: string): Promise<Found[]> => {
  const names = await disk.readdir(folder).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  return [...names]
    .sort((a, b) => (a < b ? -1 : 1))
    .flatMap((name) => {
      const parsed = parseSegmentName(name);
      return parsed ? [{ name, ...parsed }] : [];
    });
};

/** Throws `ConfigError` when a later version has written the stream in a way that this one would misread. */
const refuseLaterFormat = (folder: string, bytes: Buffer): void => {
  const format = laterFormat(bytes);
  if (format !== undefined)
    throw new ConfigError(
      `the journal in ${folder} was written by a later version (format ${format}): install that version again; nothing was changed`,
    );
};

/** What is known of a stream while its folder is read. */
interface Recovery {
  readonly disk: JournalDisk;
  readonly folder: string;
  readonly log: Logger;
  readonly insistence: Insistence;
  mayGoOn: boolean;
  epoch: string | undefined;
  acked: readonly SeqRange[];
  gone: readonly SeqRange[] | undefined;
  nextSeq: number;
  readonly segments: SealedSegment[];
  readonly clocks: ClockReading[];
  readonly damaged: SeqRange[];
  readonly leftOver: string[];
  readonly emptied: { readonly path: string; readonly range: SeqRange }[];
}

const read = async ({ disk, folder, log, insistence }: Recovery, name: string): Promise<Buffer | undefined> => {
  try {
    return await disk.readFile(join(folder, name));
  } catch (error) {
    if (insistence === 'strict') throw error;
    log.warn({ segment: name, reason: String(error) }, 'journal: segment read in blocks');
    return readInBlocks(disk, join(folder, name)).catch(() => undefined);
  }
};

const tryTo = async ({ folder, log }: Recovery, what: string, work: () => Promise<unknown>): Promise<boolean> => {
  try {
    await work();
    return true;
  } catch (error) {
    log.warn({ folder, what, reason: String(error) }, 'journal: repair failed');
    return false;
  }
};

const quarantine = (recovery: Recovery, name: string, bytes: Buffer): Promise<boolean> =>
  tryTo(recovery, 'quarantine', async () => {
    const { disk, folder } = recovery;
    const aside = join(folder, 'quarantine');
    await disk.mkdir(aside, { recursive: true });
    const kept = [...(await disk.readdir(aside))].sort((a, b) => (a < b ? -1 : 1));
    for (const old of kept.slice(0, Math.max(0, kept.length - quarantineLimit + 1))) await disk.rm(join(aside, old));
    await disk.writeFile(join(aside, name), bytes, { mode: 0o600 });
  });

const learn = (recovery: Recovery, { epoch, acked, gone, clocks }: SegmentData): void => {
  recovery.epoch = epoch ?? recovery.epoch;
  if (acked.length > 0) recovery.acked = acked;
  recovery.gone = gone ?? recovery.gone;
  recovery.clocks.push(...clocks);
};

/** Closes a segment that was being written: its whole entries stay, damaged bytes are quarantined. */
const closeOpen = async (recovery: Recovery, segment: Found, bytes: Buffer): Promise<void> => {
  const { disk, folder, log } = recovery;
  const path = join(folder, segment.name);
  const data = readSegment(bytes, { first: segment.first });
  learn(recovery, data);
  recovery.damaged.push(...data.missing);
  for (const { from, to, torn } of data.damage) {
    await quarantine(recovery, `${segment.name}.${from}`, bytes.subarray(from, to));
    log.warn({ segment: segment.name, at: from, bytes: to - from, torn }, 'journal: damaged bytes quarantined');
  }
  if (data.withoutContext > 0) {
    // The columns of these values are lost. The bytes are quarantined and the entries reported as damaged.
    await quarantine(recovery, `${segment.name}.whole`, bytes);
    log.warn({ segment: segment.name, entries: data.withoutContext }, 'journal: entries without a context');
  }
  recovery.nextSeq = Math.max(recovery.nextSeq, (data.highest ?? -1) + 1);
  const tail = data.damage.find(({ to }) => to === bytes.length);
  if (data.unsureBytes > 0) {
    // Its entries may have been sent: their numbers must not be used again.
    const lost = Math.ceil(data.unsureBytes / minEntryBytes);
    recovery.damaged.push([recovery.nextSeq, recovery.nextSeq + lost - 1]);
    recovery.nextSeq += lost;
  }
  const [first, last] = [data.entries[0]?.seq, data.entries.at(-1)?.seq];
  if (first === undefined || last === undefined) {
    recovery.leftOver.push(path);
    return;
  }
  if (tail) await tryTo(recovery, 'truncate', () => disk.truncate(path, tail.from));
  const content = holdsRoast(data.entries) ? 'roast' : 'idle';
  const closed = join(folder, sealedName(first, last, content));
  const isRenamed = await tryTo(recovery, 'rename', () => disk.rename(path, closed));
  const size = tail ? tail.from : bytes.length;
  recovery.segments.push({ path: isRenamed ? closed : path, first, last, content, bytes: size });
};

/** Reads what must be read of the segments, oldest first. */
const recoverSegments = async (recovery: Recovery, found: readonly Found[]): Promise<void> => {
  const { disk, folder } = recovery;
  const sizes = new Map<Found, number>();
  for (const segment of found) {
    const size = await disk.stat(join(folder, segment.name)).then(
      ({ size: bytes }) => bytes,
      () => undefined,
    );
    if (size !== undefined) sizes.set(segment, size);
  }
  /** Only the name of a closed segment that was dropped for room remains. */
  const isDropped = (segment: Found): boolean => segment.state === 'sealed' && sizes.get(segment) === 0;

  // Before any change. The newest segment is enough, because every start begins one.
  const newest = found.findLast((segment) => !isDropped(segment));
  const newestBytes = newest && (await read(recovery, newest.name));
  if (newestBytes) refuseLaterFormat(folder, newestBytes);

  for (const segment of found) {
    const path = join(folder, segment.name);
    recovery.nextSeq = Math.max(recovery.nextSeq, segment.state === 'sealed' ? segment.last + 1 : segment.first);
    if (segment.state === 'sealed' && isDropped(segment)) {
      recovery.emptied.push({ path, range: [segment.first, segment.last] });
      continue;
    }
    if (segment.state === 'sealed') {
      const { first, last, content } = segment;
      recovery.segments.push({ path, first, last, content, bytes: sizes.get(segment) ?? 0 });
    }
    if (segment.state === 'sealed' && segment !== newest) continue;
    const bytes = segment === newest ? newestBytes : await read(recovery, segment.name);
    if (bytes && segment.state === 'sealed') learn(recovery, readSegment(bytes, segment));
    if (bytes && segment.state === 'open') await closeOpen(recovery, segment, bytes);
    if (!bytes && segment.state === 'open') {
      // Its content is unknown: its numbers may have been sent.
      recovery.mayGoOn = false;
      recovery.damaged.push([segment.first, segment.first]);
    }
  }
};

/**
 * Reads a stream's folder as the last process left it, however it ended. Damage costs only the damaged entries: bad
 * bytes are moved to `quarantine/`, the rest is kept. Only segments that were being written, and the newest one, are
 * read. A read-only disk does not change the result. Throws `ConfigError` for a later format, and when `strict`, the
 * disk's read errors.
 */
export const recoverStream = async (
  disk: JournalDisk,
  place: StreamFolder,
  log: Logger,
  insistence: Insistence,
): Promise<RecoveredStream | undefined> => {
  const { folder, index } = place;
  const recovery: Recovery = {
    disk,
    folder,
    log,
    insistence,
    mayGoOn: true,
    epoch: undefined,
    acked: [],
    gone: undefined,
    nextSeq: 0,
    segments: [],
    clocks: [],
    damaged: [],
    leftOver: [],
    emptied: [],
  };
  const found = await findSegments(disk, folder);
  await recoverSegments(recovery, found);
  const { epoch, gone, segments, clocks, damaged, leftOver, emptied } = recovery;

  // A first folder without segments is a new card. Of a later one the notes still name the recording.
  const isNew = found.length === 0 && index === 0;
  const { notes, text } = isNew ? { notes: {}, text: undefined } : await readNotes(disk, folder);
  const known = new RangeSet([...(notes.acked ?? []), ...recovery.acked]);
  const named = await readEpoch(disk, folder).catch((error: unknown) => {
    if (insistence === 'strict' && epoch === undefined && found.length > 0) throw error;
    return undefined;
  });
  if (found.length === 0 && index > 0 && notes.continues === undefined) return undefined;
  let nextSeq = Math.max(recovery.nextSeq, (known.last()?.[1] ?? -1) + 1, notes.continues?.seq ?? 0);
  const words = (notes.words ?? []).map(({ seq }) => [seq, seq] as const);
  const settled = new RangeSet([...(notes.gone ?? []), ...(gone ?? [])]);
  const dropped = new RangeSet(emptied.map(({ range }) => range));
  for (const [from, to] of [...known.ranges(), ...settled.ranges()]) dropped.remove(from, to);
  for (const { path, range } of emptied) if (dropped.within(...range).length === 0) leftOver.push(path);
  const unsure = (notes.unsure ?? []).map(({ range }) => range);
  const explained = [...damaged, ...dropped.ranges(), ...words, ...unsure];
  if (emptied.some(({ range }) => range[1] === nextSeq - 1)) {
    // The last process may have used numbers after them for their gaps, in memory.
    recovery.mayGoOn = false;
    settled.add(nextSeq, nextSeq + maxLateEvents - 1);
    nextSeq += maxLateEvents;
  }
  const holes = vanished({ segments, known, settled, damaged: explained, nextSeq });
  // Earlier versions did not record dropped entries.
  if (gone === undefined && found.length > 0) for (const [from, to] of holes) settled.add(from, to);
  else damaged.push(...holes);
  return {
    // The heads of segments have a checksum, the file has none. An empty folder is a new card, whatever a file says.
    epoch: place.epoch ?? epoch ?? (found.length > 0 ? named : undefined) ?? newEpoch(),
    folder,
    index,
    segments: segments.sort((a, b) => a.first - b.first),
    nextSeq,
    notes: { ...notes, acked: known.ranges(), gone: settled.ranges() },
    notesText: text,
    clocks,
    damaged: new RangeSet(damaged).ranges(),
    dropped: dropped.ranges(),
    leftOver,
    mayGoOn: recovery.mayGoOn,
    isNamed: place.epoch === undefined || named === place.epoch,
    end: await readEnd(disk, folder),
  };
};

/** Numbers below the next one that are in no segment, for an unknown reason. */
const vanished = (of: {
  readonly segments: readonly SealedSegment[];
  readonly known: RangeSet;
  readonly settled: RangeSet;
  readonly damaged: readonly SeqRange[];
  readonly nextSeq: number;
}): SeqRange[] => {
  const holes = new RangeSet([[0, of.nextSeq - 1]]);
  for (const { first, last } of of.segments) holes.remove(first, last);
  for (const [from, to] of [...of.known.ranges(), ...of.settled.ranges(), ...of.damaged]) holes.remove(from, to);
  return holes.ranges();
};
