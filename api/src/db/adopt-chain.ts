import { ConfigError } from '@roastery/runtime/env';
import type { Migration } from './migration-files.ts';
import { readCatalog } from './schema-catalog.ts';
import type { Sql } from './sql.ts';

/**
 * Until commit 40c40dca the schema was a chain of migrations; `0001_schema.sql` replaces it. A database at the end of that chain
 * is adopted: its catalogue must equal that of a new database, then the row of the new file replaces those of the chain.
 */
const lastReader = '40c40dca';

/** By which a database of the chain is known: the checksum of its first file, or the first file of the chain before it. */
export const firstOfChain = {
  checksum: 'e9a7d953379eb51589bdafe3d4426a4fdb45822a9b973c88a5b86e4cf3936ee9',
  earlierName: '0001_start.sql',
};

export const chain: readonly string[] = [
  '0001_schema.sql',
  '0002_committed_tail.sql',
  '0002_imported_files.sql',
  '0002_machine_members.sql',
  '0002_recipe_charge_temperature.sql',
  '0002_roast_imports.sql',
  '0002_sample_sweeps.sql',
  '0002_wall_links.sql',
  '0003_batch_numbers.sql',
  '0004_machine_roasters.sql',
  '0005_alarms.sql',
  '0005_currency.sql',
  '0006_lot_imports.sql',
  '0006_push.sql',
  '0007_board_updates.sql',
  '0007_machine_files.sql',
  '0008_lost_batch_numbers.sql',
  '0009_note_streams.sql',
  '0010_imported_batches.sql',
  '0011_reads_of_years.sql',
  '0012_recipes_of_years.sql',
  '0013_ingest_instances.sql',
  '0014_import_tries.sql',
  '0015_unindexed_chunks.sql',
  '0016_chunks_by_time.sql',
  '0017_channel_exchanges.sql',
  '0018_map_corrections.sql',
  '0019_time_zones_of_files.sql',
  '0020_times_to_check.sql',
  '0021_numbers_of_imported_roasts.sql',
  '0022_ends_of_rights.sql',
  '0022_silent_machines.sql',
  '0022_table_layouts.sql',
  '0023_originals_read_again.sql',
  '0023_unlikely_roasts.sql',
  '0024_numbers_and_days.sql',
];

/** The schema of a new database, created only for the comparison. */
const freshSchema = 'schema_comparison';
const maxNamed = 5;

/** What this database lacks of a new one, and what it has besides. A search index may be absent if the extension is not allowed. */
const compareWithNew = async (tx: Sql, first: Migration): Promise<{ lacks: string[]; hasBesides: string[] }> => {
  const found = await readCatalog(tx, 'public');
  await tx.unsafe(`CREATE SCHEMA ${freshSchema}`);
  await tx`SELECT set_config('search_path', ${`${freshSchema}, public`}, true)`;
  await tx.unsafe(first.text);
  const fresh = await readCatalog(tx, freshSchema);
  await tx.unsafe(`DROP SCHEMA ${freshSchema} CASCADE`);
  const [has, needs] = [new Set(found), new Set(fresh)];
  return {
    lacks: fresh.filter((line) => !has.has(line) && !line.includes('gin_trgm_ops')),
    hasBesides: found.filter((line) => !needs.has(line)),
  };
};

/**
 * Adopts a database at the end of the chain, within a transaction: its rows stay as they are. Returns whether it did; false: the
 * database is none of the chain. Throws `ConfigError` with a sentence for the operator when it is older than the end of the
 * chain, or differs from a new one; it then stays as it was.
 */
export const adoptChain = async (tx: Sql, first: Migration): Promise<boolean> => {
  const rows = await tx<{ name: string; checksum: string }[]>`
    SELECT name, checksum FROM schema_migrations ORDER BY name`;
  if (!rows.some(({ name, checksum }) => checksum === firstOfChain.checksum || name === firstOfChain.earlierName))
    return false;
  const applied = new Set(rows.map(({ name }) => name));
  if (chain.some((name) => !applied.has(name)))
    throw new ConfigError(
      `The database is too old for this version and was not changed: start commit ${lastReader} with it once, then this version.`,
    );
  const unknown = rows.find(({ name }) => !chain.includes(name));
  if (unknown !== undefined)
    throw new ConfigError(`the database has migration ${unknown.name}, which this version does not know`);
  const { lacks, hasBesides } = await compareWithNew(tx, first);
  const differences = [...lacks.map((line) => `no ${line}`), ...hasBesides.map((line) => `also ${line}`)];
  if (differences.length > 0)
    throw new ConfigError(
      `The database differs from what its version made and was not changed. It has ${differences.slice(0, maxNamed).join('; ')}`,
    );
  await tx`DELETE FROM schema_migrations`;
  await tx`INSERT INTO schema_migrations (name, checksum) VALUES (${first.name}, ${first.checksum})`;
  return true;
};
