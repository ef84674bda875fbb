import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { ConfigError } from '@roastery/runtime/env';
import type { Logger } from '@roastery/runtime/logger';
import type { Database, Sql } from './sql.ts';

/** `api/src/db/migrations`, found from `src/db` and from `dist/db` alike: both lie two levels below `api/`. */
export const migrationsFolder = new URL('../../src/db/migrations/', import.meta.url);

/** Any number, the same in all versions: whoever migrates holds this advisory lock. */
const migrationLock = 7_265_401_122;

export interface Migration {
  readonly name: string;
  readonly text: string;
  readonly checksum: string;
}

/** The numbered files in order. Throws `ConfigError` on a name or number that does not fit. */
export const readMigrations = async (folder: URL = migrationsFolder): Promise<Migration[]> => {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  const numbers = names.map((name) => /^(\d{4})_[a-z0-9_]+\.sql$/.exec(name)?.[1]);
  names.forEach((name, index) => {
    if (numbers[index] === undefined) throw new ConfigError(`migration ${name}: name it 0001_words.sql`);
    if (index > 0 && numbers[index] === numbers[index - 1]) throw new ConfigError(`migration ${name}: number is taken`);
  });
  return Promise.all(
    names.map(async (name) => {
      const text = (await readFile(new URL(name, folder), 'utf8')).replaceAll('\r\n', '\n');
      return { name, text, checksum: createHash('sha256').update(text).digest('hex') };
    }),
  );
};

/** Refuses a database that was not made by exactly these files, as far as it is made. */
const nextMigration = (files: readonly Migration[], applied: readonly { name: string; checksum: string }[]) => {
  for (const [index, row] of applied.entries()) {
    const file = files[index];
    if (file?.name !== row.name) {
      throw new ConfigError(`the database has migration ${row.name}, which this version does not know at that place`);
    }
    if (file.checksum !== row.checksum) throw new ConfigError(`migration ${row.name} was changed after it was applied`);
  }
  return files[applied.length];
};

const applyNext = async (tx: Sql, files: readonly Migration[]): Promise<string | undefined> => {
  await tx`SELECT set_config('statement_timeout', '0', true)`;
  await tx`SELECT pg_advisory_xact_lock(${migrationLock})`;
  await tx`
    CREATE TABLE IF NOT EXISTS schema_migrations (
      name text PRIMARY KEY, checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now()
    )`;
  const applied = await tx<{ name: string; checksum: string }[]>`
    SELECT name, checksum FROM schema_migrations ORDER BY name`;
  const next = nextMigration(files, applied);
  if (!next) return undefined;
  await tx.unsafe(next.text);
  await tx`INSERT INTO schema_migrations (name, checksum) VALUES (${next.name}, ${next.checksum})`;
  return next.name;
};

/**
 * Brings the schema up to date and returns the names of the files it applied. Each file is one transaction that first takes
 * the advisory lock and looks again at what is applied: of several starters one works and the others wait, and a start that
 * is killed leaves a file applied or not. Throws `ConfigError` when files and database disagree.
 */
export const migrate = async (sql: Database, log: Logger, folder: URL = migrationsFolder): Promise<string[]> => {
  const files = await readMigrations(folder);
  const done: string[] = [];
  for (;;) {
    const name = await sql.begin((tx) => applyNext(tx, files));
    if (name === undefined) return done;
    log.info({ migration: name }, 'schema migrated');
    done.push(name);
  }
};
