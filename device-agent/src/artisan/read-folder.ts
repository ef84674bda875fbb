import { createHash } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { lstat, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { maxUploadBytes, maxUploadText } from '@roastery/contract/imports';
import { AlogError, parseAlog } from '@roastery/roasting/artisan/alog';
import type { TemperatureUnit } from '@roastery/roasting/units';
import { codeOf } from '@roastery/runtime/system-errors';

/** A file in the folder. */
export interface FoundFile {
  readonly name: string;
  readonly size: number;
  readonly mtimeMs: number;
  /** Why it is not read: it is a link, or too large. */
  readonly refusal?: string;
}

const isAlog = (name: string): boolean => /\.alog$/i.test(name) && !name.startsWith('.');

/** The names of Artisan's files in the folder. Throws the file system's error. */
export const alogNames = async (folder: string): Promise<string[]> => (await readdir(folder)).filter(isAlog);

const refusalOf = (stats: Stats): string | undefined => {
  if (stats.isSymbolicLink()) return 'it is a link, and links are not followed';
  if (!stats.isFile()) return 'it is not a file';
  return stats.size > maxUploadBytes ? `it is larger than ${maxUploadText}` : undefined;
};

/** A file by its name; undefined if it does not exist or can't be accessed. */
export const findFile = async (folder: string, name: string): Promise<FoundFile | undefined> => {
  try {
    const stats = await lstat(join(folder, name));
    const refusal = refusalOf(stats);
    return { name, size: stats.size, mtimeMs: stats.mtimeMs, ...(refusal === undefined ? {} : { refusal }) };
  } catch (error) {
    if (codeOf(error) === '') throw error;
    return undefined;
  }
};

export type ReadFile =
  | { readonly kind: 'whole'; readonly content: Buffer; readonly sha256: string; readonly unit: TemperatureUnit | null }
  /** It changed while it was read, or its end is missing. */
  | { readonly kind: 'unfinished'; readonly sha256: string; readonly reason: string }
  /** It is no roast, and is not parsed. */
  | { readonly kind: 'refused'; readonly sha256: string; readonly reason: string }
  | { readonly kind: 'unreadable'; readonly reason: string };

/** A roast has some hundred of them. A file of nothing else takes more memory than the agent may have. */
const maxParts = 50_000;
const partSigns = new Set(Buffer.from('{[('));
const hasTooManyParts = (content: Buffer): boolean => {
  let parts = 0;
  for (const sign of content) if (partSigns.has(sign)) parts += 1;
  return parts > maxParts;
};

/** Does not follow a link that replaced the file, nor wait for a pipe. Windows has neither. */
const carefully = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Reads a file of at most `maxUploadBytes`, and returns whether it is a complete roast file of Artisan. */
export const readAlog = async (folder: string, found: FoundFile): Promise<ReadFile> => {
  let content: Buffer;
  try {
    const handle = await open(join(folder, found.name), carefully);
    try {
      const before = await handle.stat();
      if (!before.isFile() || before.size > maxUploadBytes) return { kind: 'unreadable', reason: 'it was replaced' };
      content = await handle.readFile();
      const after = await handle.stat();
      if (after.size !== found.size || after.mtimeMs !== found.mtimeMs || content.length !== found.size)
        return { kind: 'unfinished', sha256: '', reason: 'it is being written' };
    } finally {
      await handle.close();
    }
  } catch (error) {
    const code = codeOf(error);
    if (code === '') throw error;
    return {
      kind: 'unreadable',
      reason: code === 'EACCES' ? 'this user can’t read it' : `it can’t be read (${code})`,
    };
  }
  const sha256 = createHash('sha256').update(content).digest('hex');
  if (hasTooManyParts(content))
    return { kind: 'refused', sha256, reason: 'it has more parts than a roast file of Artisan' };
  try {
    const { recordedIn, warnings } = parseAlog(content.toString('utf8'));
    return { kind: 'whole', content, sha256, unit: warnings.includes('unit_missing') ? null : recordedIn };
  } catch (error) {
    if (!(error instanceof AlogError)) throw error;
    return { kind: 'unfinished', sha256, reason: 'it is not a complete Artisan roast file' };
  }
};
