import { codeOf } from '@roastery/runtime/system-errors';
import * as fs from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * The calls that a journal makes of its disk: those of Node, which tests wrap to let each of them fail. Everything that
 * touches segments goes through here.
 */
export type JournalDisk = Pick<
  typeof fs,
  'mkdir' | 'open' | 'readFile' | 'readdir' | 'rename' | 'rm' | 'stat' | 'statfs' | 'truncate' | 'writeFile'
>;
export const nodeDisk: JournalDisk = fs;

/** The disk has no room; anything else is trouble with the disk itself, for which nothing is deleted. */
export const isFull = (error: unknown): boolean => codeOf(error) === 'ENOSPC' || codeOf(error) === 'EDQUOT';

/** Makes the names in a folder durable: a rename or a new file is lost in a power cut otherwise. */
export const syncFolderOn = async (disk: JournalDisk, folder: string): Promise<void> => {
  // Windows has no such call for a folder.
  if (process.platform === 'win32') return;
  const handle = await disk.open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/** Replaces a file so that a power cut leaves the old or the new content. Mode 0600. */
export const replaceFile = async (disk: JournalDisk, path: string, content: string): Promise<void> => {
  const draft = `${path}.new`;
  const handle = await disk.open(draft, 'w', 0o600);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await disk.rename(draft, path);
  await syncFolderOn(disk, dirname(path));
};

const blockBytes = 4096;

/** A file block by block, with zeros for those that can't be read: the rest of its records is there. Throws when none can. */
export const readInBlocks = async (disk: JournalDisk, path: string): Promise<Buffer> => {
  const handle = await disk.open(path, 'r');
  try {
    const { size } = await handle.stat();
    const bytes = Buffer.alloc(size);
    let readable = size === 0;
    let failure: unknown;
    for (let at = 0; at < size; at += blockBytes) {
      try {
        await handle.read(bytes, at, Math.min(blockBytes, size - at), at);
        readable = true;
      } catch (error) {
        failure = error;
        bytes.fill(0, at, at + blockBytes);
      }
    }
    if (!readable) throw failure;
    return bytes;
  } finally {
    await handle.close();
  }
};

/** A disk that does not answer. */
export class TooLong extends Error {
  override readonly name = 'TooLong';
}

/** Waits for the disk, but not for ever. */
export const within = async <T>(ms: number, work: Promise<T>): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TooLong('the disk does not answer')), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
};
