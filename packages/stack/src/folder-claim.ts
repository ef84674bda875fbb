import path from 'node:path';
import { rm } from 'node:fs/promises';
import { readIfPresent, writePrivateFile } from './private-file.ts';
import { identifyProcess, stillRuns, type ProcessIdentity } from './running-processes.ts';

/**
 * Locks a data folder for this process, so that two starts never use the same one. The lock of a process that has
 * ended is ignored, so nothing has to be removed after a SIGKILL.
 * @returns releases the lock
 * @throws when another running process holds it
 */
export async function claimFolder(folder: string): Promise<() => Promise<void>> {
  const file = path.join(folder, 'in-use-by.json');
  const earlier = await readIfPresent(file);
  const owner = earlier === undefined ? undefined : (JSON.parse(earlier) as ProcessIdentity);
  if (owner !== undefined && owner.pid !== process.pid && (await stillRuns(owner))) {
    throw new Error(
      `${folder} is in use by process ${owner.pid}. Stop that program, or choose another folder with DATA_DIR=…`,
    );
  }
  await writePrivateFile(file, JSON.stringify(await identifyProcess(process.pid)));
  return () => rm(file, { force: true });
}
