import type { Cancel, Clock } from '@roastery/runtime/clock';
import { codeOf } from '@roastery/runtime/system-errors';
import * as fs from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * The disk operations of a journal: those of Node, which tests wrap to let each of them fail. All access to segments
 * uses this.
 */
export type JournalDisk = Pick<
  typeof fs,
  'mkdir' | 'open' | 'readFile' | 'readdir' | 'rename' | 'rm' | 'stat' | 'statfs' | 'truncate' | 'writeFile'
>;
export const nodeDisk: JournalDisk = fs;

/** The disk has no room; any other error is a fault of the disk, for which nothing is deleted. */
export const isFull = (error: unknown): boolean => codeOf(error) === 'ENOSPC' || codeOf(error) === 'EDQUOT';

/** Syncs a folder: without this a rename or a new file is lost in a power cut. */
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

/**
 * A file block by block, with zeros for unreadable ones, so that its other records are still found. Throws when no
 * block can be read.
 */
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

/** Waits for the disk, with a limit. */
export const within = async <T>(ms: number, work: Promise<T>, time: Clock): Promise<T> => {
  let cancel: Cancel | undefined;
  const late = new Promise<never>((_, reject) => {
    cancel = time.after(ms, () => reject(new TooLong('the disk does not answer')));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    cancel?.();
  }
};
