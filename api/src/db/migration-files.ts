import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { ConfigError } from '@roastery/runtime/env';

/** `api/src/db/migrations`, found from `src/db` and from `dist/db` alike: both lie two levels below `api/`. */
export const migrationsFolder = new URL('../../src/db/migrations/', import.meta.url);

export interface Migration {
  readonly name: string;
  readonly text: string;
  readonly checksum: string;
}

/** The SQL files of a folder, in the order of their names. Throws `ConfigError` on a name that does not fit. */
export const readMigrations = async (folder: URL = migrationsFolder): Promise<Migration[]> => {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  const misnamed = names.find((name) => !/^\d{4}_[a-z0-9_]+\.sql$/.test(name));
  if (misnamed !== undefined) throw new ConfigError(`migration ${misnamed}: name it 0001_words.sql`);
  return Promise.all(
    names.map(async (name) => {
      const text = (await readFile(new URL(name, folder), 'utf8')).replaceAll('\r\n', '\n');
      return { name, text, checksum: createHash('sha256').update(text).digest('hex') };
    }),
  );
};
