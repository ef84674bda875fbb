import { statfs } from 'node:fs/promises';

/** Room on the disk of a folder; undefined where the disk doesn't say. A board that can't be asked goes on all the same. */
export const freeBytes = async (folder: string): Promise<number | undefined> => {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined;
    throw error;
  }
};
