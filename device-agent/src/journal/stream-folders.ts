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

/** Missing or damaged notes cost a resend, nothing else. */
export const readNotes = async (disk: JournalDisk, folder: string): Promise<StreamNotes> => {
  try {
    const text = await readText(disk, join(folder, notesName));
    const notes: unknown = text === undefined ? {} : JSON.parse(text);
    return isNotes(notes) ? notes : {};
  } catch {
    return {};
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
const isNotes = (value: unknown): value is StreamNotes => {
  if (typeof value !== 'object' || value === null) return false;
  const { owner, credential, continues, acked, gone, words } = value as StreamNotes;
  const areIds = [owner, credential, continues?.epoch].every((id) => id === undefined || isEpoch(id));
  return (
    areIds &&
    (continues === undefined || isCount(continues.seq)) &&
    isListOf(acked, isRange) &&
    isListOf(gone, isRange) &&
    isListOf(words, isWord)
  );
};
