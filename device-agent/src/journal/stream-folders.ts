import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { isMissing } from '../atomic-file.ts';
import { replaceFile, type JournalDisk } from './disk.ts';
import { notesName, type StreamNotes } from './stream.ts';

/**
 * The folders of streams: the first one in the journal's folder itself, where earlier versions look, each later one in
 * a folder of its own below `streams/`. A folder counts as begun when it has its `epoch` file; nothing is added to one
 * without.
 */
export interface StreamFolder {
  readonly folder: string;
  readonly index: number;
  /** From its name; undefined for the first one. */
  readonly epoch: string | undefined;
}

export const newEpoch = (): string => randomBytes(8).toString('hex');
const isEpoch = (text: string): boolean => /^[0-9a-f]{16}$/.test(text);

export const streamFolder = (journal: string, index: number, epoch: string): StreamFolder =>
  index === 0
    ? { folder: journal, index, epoch: undefined }
    : { folder: join(journal, 'streams', `${String(index).padStart(6, '0')}-${epoch}`), index, epoch };

/** All folders of streams, in the order in which they were begun. */
export const listStreamFolders = async (disk: JournalDisk, journal: string): Promise<StreamFolder[]> => {
  const names = await disk.readdir(join(journal, 'streams')).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  const later = names.flatMap((name) => {
    const [, index, epoch] = /^(\d{6})-([0-9a-f]{16})$/.exec(name) ?? [];
    return index !== undefined && epoch !== undefined && Number(index) > 0
      ? [streamFolder(journal, Number(index), epoch)]
      : [];
  });
  return [streamFolder(journal, 0, ''), ...later.sort((a, b) => a.index - b.index)];
};

const readText = async (disk: JournalDisk, path: string): Promise<string | undefined> => {
  try {
    return (await disk.readFile(path)).toString();
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
};

/** The content of the `epoch` file; undefined if it is missing or damaged. */
export const readEpoch = async (disk: JournalDisk, folder: string): Promise<string | undefined> => {
  const text = (await readText(disk, join(folder, 'epoch')))?.trim();
  return text !== undefined && isEpoch(text) ? text : undefined;
};

/** The folder with the name of its stream; existing content stays. */
export const makeStreamFolder = async (disk: JournalDisk, folder: string): Promise<void> => {
  await disk.mkdir(folder, { recursive: true });
};
export const nameStream = async (disk: JournalDisk, folder: string, epoch: string): Promise<void> => {
  await makeStreamFolder(disk, folder);
  const known = await readEpoch(disk, folder).catch(() => undefined);
  if (known !== epoch) await replaceFile(disk, join(folder, 'epoch'), `${epoch}\n`);
};

/** How the last process left a stream. Deleted once a later process has opened its first segment. */
export interface StreamEnd {
  /** The boot in which the stream was closed. */
  readonly boot: string;
  /** The number after its last entry. */
  readonly next: number;
}
const endName = 'ended';

/** Records that every entry of a stream is on the disk. Throws if the disk refuses it. */
export const writeEnd = (disk: JournalDisk, folder: string, end: StreamEnd): Promise<void> =>
  replaceFile(disk, join(folder, endName), `${JSON.stringify(end)}\n`);
export const removeEnd = (disk: JournalDisk, folder: string): Promise<void> =>
  disk.rm(join(folder, endName), { force: true });

/** Undefined for a stream that was not closed: its process was killed, or is of an earlier version. */
export const readEnd = async (disk: JournalDisk, folder: string): Promise<StreamEnd | undefined> => {
  try {
    const text = await readText(disk, join(folder, endName));
    const end: unknown = text === undefined ? undefined : JSON.parse(text);
    return isEnd(end) ? end : undefined;
  } catch {
    return undefined;
  }
};
const isEnd = (value: unknown): value is StreamEnd =>
  typeof value === 'object' &&
  value !== null &&
  'boot' in value &&
  typeof value.boot === 'string' &&
  'next' in value &&
  isCount(value.next);

/** The notes of a stream, and their text. Missing or damaged notes cost a resend, nothing else. */
export const readNotes = async (
  disk: JournalDisk,
  folder: string,
): Promise<{ readonly notes: StreamNotes; readonly text?: string }> => {
  try {
    const text = await readText(disk, join(folder, notesName));
    const notes: unknown = text === undefined ? undefined : JSON.parse(text);
    return text !== undefined && isNotes(notes) ? { notes, text } : { notes: {} };
  } catch {
    return { notes: {} };
  }
};

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
const isListOf = (value: unknown, isItem: (item: unknown) => boolean): boolean =>
  value === undefined || (Array.isArray(value) && value.every(isItem));
const isRange = (value: unknown): boolean => Array.isArray(value) && value.length === 2 && value.every(isCount);
const isWord = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  'seq' in value &&
  isCount(value.seq) &&
  'event' in value &&
  'context' in value;
const isUnsure = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'epoch' in value && 'range' in value && isRange(value.range);
const isNotes = (value: unknown): value is StreamNotes => {
  if (typeof value !== 'object' || value === null) return false;
  const { owner, credential, continues, acked, gone, words, unsure } = value as StreamNotes;
  const areIds = [owner, credential, continues?.epoch].every((id) => id === undefined || isEpoch(id));
  return (
    areIds &&
    (continues === undefined || isCount(continues.seq)) &&
    isListOf(acked, isRange) &&
    isListOf(gone, isRange) &&
    isListOf(words, isWord) &&
    isListOf(unsure, isUnsure)
  );
};
