import { open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Syncs a folder: without this a rename or a new file is lost in a power cut. */
export const syncFolder = async (folder: string): Promise<void> => {
  // Windows has no such call for a folder.
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/** Replaces a file so that a power cut leaves the old or the new content, never a part. Mode 0600. */
export const writeFileAtomically = async (path: string, content: string | Uint8Array): Promise<void> => {
  const draft = `${path}.new`;
  const handle = await open(draft, 'w', 0o600);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
  await rename(draft, path);
  await syncFolder(dirname(path));
};

export const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');

/** The content of a text file, or undefined where there is none. */
export const readFileIfThere = async (path: string): Promise<string | undefined> => {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
};
