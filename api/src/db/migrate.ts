import { ConfigError } from '@roastery/runtime/env';
import { createLogger, type Logger } from '@roastery/runtime/logger';
import { adoptChain } from './adopt-chain.ts';
import { migrationsFolder, readMigrations, type Migration } from './migration-files.ts';
import { openDatabase, type Database, type Sql } from './sql.ts';

/** Any number, the same in all versions: a migration holds this advisory lock. */
const migrationLock = 7_265_401_122;

/** The first file that is not applied yet. Refuses a database that has other migrations than these files. */
const nextMigration = async (tx: Sql, files: readonly Migration[]): Promise<Migration | undefined> => {
  const rows = await tx<{ name: string; checksum: string }[]>`
    SELECT name, checksum FROM schema_migrations ORDER BY name`;
  const applied = new Map(rows.map(({ name, checksum }) => [name, checksum]));
  for (const [name, checksum] of applied) {
    const file = files.find((one) => one.name === name);
    if (file === undefined)
      throw new ConfigError(`the database has migration ${name}, which this version does not know`);
    if (file.checksum !== checksum) throw new ConfigError(`migration ${name} was changed after it was applied`);
  }
  return files.find(({ name }) => !applied.has(name));
};

const applyNext = async (tx: Sql, files: readonly Migration[], log: Logger): Promise<string | undefined> => {
  await tx`SELECT pg_advisory_xact_lock(${migrationLock})`;
  await tx`
    CREATE TABLE IF NOT EXISTS schema_migrations (
      name text PRIMARY KEY, checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now()
    )`;
  const [first] = files;
  if (first !== undefined && (await adoptChain(tx, first))) {
    log.info({ migration: first.name }, 'schema adopted');
    return first.name;
  }
  const next = await nextMigration(tx, files);
  if (!next) return undefined;
  await tx.unsafe(next.text);
  await tx`INSERT INTO schema_migrations (name, checksum) VALUES (${next.name}, ${next.checksum})`;
  log.info({ migration: next.name }, 'schema migrated');
  return next.name;
};

/**
 * Updates the schema and returns the names of the files it applied: those that are not applied yet, in order of their
 * names. Two branches may add a file each, in either order. Each file is one transaction that first takes the advisory
 * lock and reads which files are applied. Of several concurrent starts one works and the others wait, and a killed
 * start leaves each file applied or not. Throws `ConfigError` when files and database disagree.
 */
export const migrate = async (sql: Database, log: Logger, folder: URL = migrationsFolder): Promise<string[]> => {
  const files = await readMigrations(folder);
  const done: string[] = [];
  for (;;) {
    const name = await sql.begin((tx) => applyNext(tx, files, log));
    if (name === undefined) return done;
    done.push(name);
  }
};

/** Updates the schema of the database at this address, however long a statement takes. Otherwise as `migrate`. */
export const migrateAt = async (url: string, log: Logger): Promise<string[]> => {
  const sql = openDatabase({ url, log, connections: 1, statementTimeoutMs: 0 });
  try {
    return await migrate(sql, log);
  } finally {
    await sql.end({ timeout: 2 });
  }
};

/**
 * `npm run upgrade-database`: only the migration of the api's start. Returns the exit code 0; throws `ConfigError` with
 * a sentence when the database cannot be upgraded.
 */
export const runUpgradeCommand = async (databaseUrl: string, say: (line: string) => void): Promise<number> => {
  const applied = await migrateAt(databaseUrl, createLogger('upgrade-database', 'warn'));
  say(applied.length === 0 ? 'The database is up to date.' : `The database was upgraded: ${applied.join(', ')}.`);
  return 0;
};
