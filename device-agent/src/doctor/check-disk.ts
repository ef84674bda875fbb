import { constants } from 'node:fs';
import { access, readdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { isMissing } from '../atomic-file.ts';
import { codeOf } from '@roastery/runtime/system-errors';
import { lowDiskBytes } from '../status-page/concerns.ts';
import { good, notConfigured, trouble, warning, type Check, type Verdict } from './check.ts';

const mebibytes = (bytes: number): string => `${Math.round(bytes / 1_048_576)} MiB`;
/** Below this there is too little room for a journal. */
const fullDiskBytes = 16 * 1_048_576;

const sizeOf = async (folder: string): Promise<number> => {
  try {
    const names = await readdir(folder);
    const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size));
    return sizes.reduce((sum, size) => sum + size, 0);
  } catch (error) {
    // A segment may have been sent and deleted in between.
    if (isMissing(error)) return 0;
    throw error;
  }
};

const aboutFolder = (error: unknown, dataDir: string): Verdict => {
  if (isMissing(error))
    return trouble(
      `The data folder ${dataDir} does not exist.`,
      'Start the agent, which creates it: sudo systemctl restart roastery-agent. For another folder, set DATA_DIR.',
    );
  if (codeOf(error) === 'EROFS')
    return trouble(
      `The disk of ${dataDir} is read-only: nothing can be recorded.`,
      'A card that becomes read-only is often worn out. Restart the board; if it happens again, replace the card. What was sent is safe on the server.',
    );
  if (codeOf(error) === 'EACCES')
    return trouble(
      `The data folder ${dataDir} can't be written by this user.`,
      'Run as root: sudo device-agent doctor. If the agent does not own it: sudo chown -R roastery-agent: /var/lib/roastery-agent',
    );
  throw error;
};

/** Checks that there is room for the journal. */
export const checkDisk: Check = {
  name: 'disk',
  async run({ config }) {
    if (!config) return notConfigured;
    const { dataDir, journalCapBytes } = config;
    try {
      await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
      const { bavail, bsize } = await statfs(dataDir);
      const free = bavail * bsize;
      const journal = await sizeOf(join(dataDir, 'journal'));
      const says = `${mebibytes(free)} free, journal ${mebibytes(journal)} of at most ${mebibytes(journalCapBytes)}`;
      const freeSpace = 'Free some space: sudo journalctl --vacuum-size=50M; sudo apt-get clean';
      if (free < fullDiskBytes) return trouble(`The disk of ${dataDir} is full: ${says}.`, freeSpace);
      if (free < Math.min(lowDiskBytes, journalCapBytes))
        return warning(`The disk of ${dataDir} is nearly full: ${says}.`, freeSpace);
      return good(says);
    } catch (error) {
      return aboutFolder(error, dataDir);
    }
  },
};
