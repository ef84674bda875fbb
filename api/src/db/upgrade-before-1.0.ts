import { ConfigError } from '@roastery/runtime/env';
import type { Migration } from './migration-files.ts';
import { readCatalog } from './schema-catalog.ts';
import type { Sql } from './sql.ts';

/**
 * Before 1.0 the schema was a chain of migrations; they are one file now. A database of commit f7cf7b7 or later is upgraded once:
 * it gets the migrations of the chain that it lacks, loses the indexes that no statement needs, and must then equal a new database.
 */

/** The first migration of the chain, and the last one of commit f7cf7b7. */
const firstOfChain = '0001_start.sql';
const lastOfOldest = '0140_deleted_machine_maps.sql';
/** Runs at the end of every upgrade. */
const cleanUp = '9999_indexes.sql';
/** The schema of a new database, created only for the comparison. */
const freshSchema = 'upgrade_comparison';
const maxNamed = 5;

/** Whether the database was created by the chain of migrations before 1.0. */
export const isBefore10 = async (tx: Sql): Promise<boolean> =>
  (await tx`SELECT FROM schema_migrations WHERE name = ${firstOfChain}`).length > 0;

interface Applied {
  /** Of the chain. */
  readonly chain: ReadonlySet<string>;
  /** Files after the one that replaces the chain: an earlier version applied them after its chain. */
  readonly later: readonly Migration[];
}

/** Throws unless this is a database between commit f7cf7b7 and the last version with the chain. */
const readApplied = async (tx: Sql, later: readonly Migration[], chain: readonly Migration[]): Promise<Applied> => {
  const rows = await tx<{ name: string; checksum: string }[]>`
    SELECT name, checksum FROM schema_migrations ORDER BY name`;
  if (!rows.some(({ name }) => name === lastOfOldest)) {
    throw new ConfigError(
      `The database is too old for this version: it has no migration ${lastOfOldest}. Start commit f7cf7b7 with it once, then this version.`,
    );
  }
  const known = rows.filter(({ name }) => name > lastOfOldest);
  const fits = (file: Migration): boolean =>
    known.some(({ name, checksum }) => name === file.name && checksum === file.checksum);
  const applied = { chain: new Set(chain.filter(fits).map(({ name }) => name)), later: later.filter(fits) };
  const unknown = known.find(
    ({ name }) => !applied.chain.has(name) && !applied.later.some((file) => file.name === name),
  );
  if (unknown !== undefined) {
    throw new ConfigError(
      `The database has migration ${unknown.name}, which this version does not know. Use the version that made it.`,
    );
  }
  return applied;
};

/** Objects of a new database that this one lacks. A search index may be absent if the extension is not allowed. */
const missingFrom = async (tx: Sql, files: readonly Migration[]): Promise<string[]> => {
  const upgraded = new Set(await readCatalog(tx, 'public'));
  await tx.unsafe(`CREATE SCHEMA ${freshSchema}`);
  await tx`SELECT set_config('search_path', ${`${freshSchema}, public`}, true)`;
  for (const { text } of files) await tx.unsafe(text);
  const fresh = await readCatalog(tx, freshSchema);
  await tx.unsafe(`DROP SCHEMA ${freshSchema} CASCADE`);
  return fresh.filter((line) => !upgraded.has(line) && !line.includes('gin_trgm_ops'));
};

/**
 * Upgrades a database of the chain within a transaction; any refusal leaves it as it was. Throws `ConfigError` with a sentence
 * for the operator.
 * @param files today's migrations; the first one replaces the chain
 * @param chain the migrations after commit f7cf7b7
 * @returns the names of the migrations of the chain that were missing
 */
export const upgradeFromBefore10 = async (
  tx: Sql,
  files: readonly [Migration, ...Migration[]],
  chain: readonly Migration[],
): Promise<string[]> => {
  const [first, ...later] = files;
  const applied = await readApplied(tx, later, chain);
  const missing = chain.filter(({ name }) => !applied.chain.has(name));
  for (const { text } of missing) await tx.unsafe(text);
  const lacking = await missingFrom(tx, [first, ...applied.later]);
  if (lacking.length > 0) {
    throw new ConfigError(
      `The database differs from what its version made, so it was not upgraded and nothing was changed. It lacks: ${lacking.slice(0, maxNamed).join('; ')}`,
    );
  }
  await tx`DELETE FROM schema_migrations WHERE name <> ALL(${applied.later.map(({ name }) => name)}::text[])`;
  await tx`INSERT INTO schema_migrations (name, checksum) VALUES (${first.name}, ${first.checksum})`;
  return missing.map(({ name }) => name).filter((name) => name !== cleanUp);
};
