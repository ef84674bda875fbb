import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ConfigError } from '@roastery/runtime/env';
import { createTestDatabase } from '@roastery/testing/test-database';
import { afterEach, describe, expect, it } from 'vitest';
import { addUser } from '../testing/example-data.ts';
import { silentLog } from '../testing/ingest-fixture.ts';
import { startTestApi } from '../testing/test-api.ts';
import { chain, firstOfChain } from './adopt-chain.ts';
import { migrate, runUpgradeCommand } from './migrate.ts';
import { migrationsFolder, readMigrations } from './migration-files.ts';
import { readCatalog } from './schema-catalog.ts';
import { openDatabase, type Database } from './sql.ts';

const cleanUps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

/** The schema of the chain, without the migrations after it. */
const migrateToEndOfChain = async (sql: Database): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'roastery-chain-'));
  await copyFile(new URL('0001_schema.sql', migrationsFolder), join(folder, '0001_schema.sql'));
  await migrate(sql, silentLog, pathToFileURL(`${folder}/`));
  await rm(folder, { recursive: true });
};

/** A database with a user in it, as the last version with the chain of migrations left it. */
const template = {
  name: 'end_of_chain',
  prepare: async (url: string) => {
    const sql = openDatabase({ url, log: silentLog, connections: 1 });
    await migrateToEndOfChain(sql);
    await addUser(sql);
    const rows = chain.map((name, index) => ({ name, checksum: index === 0 ? firstOfChain.checksum : 'of the chain' }));
    await sql`DELETE FROM schema_migrations`;
    await sql`INSERT INTO schema_migrations ${sql(rows)}`;
    await sql.end();
  },
};
const databaseOfChain = async (): Promise<{ url: string; sql: Database }> => {
  const database = await createTestDatabase(template);
  const sql = openDatabase({ url: database.url, log: silentLog, connections: 2 });
  cleanUps.push(async () => {
    await sql.end({ timeout: 1 });
    await database.drop();
  });
  return { url: database.url, sql };
};
const bookkeeping = async (sql: Database): Promise<string[]> =>
  (await sql<{ name: string }[]>`SELECT name FROM schema_migrations ORDER BY name`).map(({ name }) => name);
const state = async (sql: Database) => ({
  catalog: await readCatalog(sql, 'public'),
  schemas: await sql`SELECT nspname FROM pg_namespace ORDER BY nspname`,
  users: await sql`SELECT * FROM users`,
});

const catalogOfNewDatabase = async (): Promise<string[]> => {
  await using database = await createTestDatabase();
  const sql = openDatabase({ url: database.url, log: silentLog, connections: 1 });
  await migrate(sql, silentLog);
  const catalog = await readCatalog(sql, 'public');
  await sql.end();
  return catalog;
};

/** Changes of the schema, with the words for each; the sentence for the operator names five at most. */
const differences: readonly Readonly<Record<string, string>>[] = [
  {
    'ALTER TABLE lots DROP COLUMN supplier': 'no column lots.supplier text',
    'ALTER TABLE lots ADD COLUMN cups int': 'also column lots.cups integer',
    'ALTER TABLE lots ALTER COLUMN notes SET NOT NULL': 'also column lots.notes text x not null',
  },
  {
    "COMMENT ON COLUMN lots.notes IS 'Free'": 'also comment table column lots.notes is Free',
    'COMMENT ON COLUMN recordings.committed IS NULL':
      'no comment table column recordings.committed is Sequence numbers',
  },
  {
    'DROP SEQUENCE roastery_batch_numbers': 'no sequence roastery_batch_numbers bigint',
    'CREATE FUNCTION give_batch_number(text) RETURNS text LANGUAGE sql AS $$ SELECT $1 $$':
      'also function CREATE OR REPLACE FUNCTION give_batch_number(text)',
    'ALTER TABLE recording_files ADD CHECK (length(format) > 0)':
      'also constraint recording_files.recording_files_format_check',
    "CREATE TYPE size AS ENUM ('small', 'large')": 'also type size e small large',
  },
  {
    'ALTER SEQUENCE roastery_batch_numbers INCREMENT 2': 'no sequence roastery_batch_numbers bigint from 1 by 1',
    'ALTER FUNCTION committed_now VOLATILE': 'no function CREATE OR REPLACE FUNCTION committed_now',
    'DROP INDEX roasts_by_number': 'no index CREATE INDEX roasts_by_number',
  },
  {
    'CREATE TABLE cups (id int)': 'also column cups.id integer p; also table cups',
    'ALTER TABLE roasts DISABLE TRIGGER roasts_end_plans': 'no trigger CREATE TRIGGER roasts_end_plans',
  },
];

describe('adoption of a database at the end of the chain of migrations', () => {
  it('keeps tables and rows, and leaves the bookkeeping of a new database', async () => {
    const { url, sql } = await databaseOfChain();
    const before = await state(sql);
    const lines: string[] = [];
    const say = (line: string): void => void lines.push(line);
    expect(await runUpgradeCommand(url, say)).toBe(0);
    const after = await state(sql);
    expect(after.users).toEqual(before.users);
    expect(after.schemas).toEqual(before.schemas);
    expect(after.catalog).toEqual(await catalogOfNewDatabase());
    const migrations = await readMigrations();
    expect(await sql`SELECT name, checksum FROM schema_migrations ORDER BY name`).toEqual(
      migrations.map(({ name, checksum }) => ({ name, checksum })),
    );
    expect(await runUpgradeCommand(url, say)).toBe(0);
    const names = migrations.map(({ name }) => name).join(', ');
    expect(lines).toEqual([`The database was upgraded: ${names}.`, 'The database is up to date.']);
  });

  it('runs at the start of the api', async () => {
    const { url, sql } = await databaseOfChain();
    await using test = await startTestApi(url);
    expect(test.log()).toContain('schema adopted');
    expect(await bookkeeping(sql)).toEqual((await readMigrations()).map(({ name }) => name));
  });

  it('runs once when several programs start together', async () => {
    const { url, sql } = await databaseOfChain();
    const starters = Array.from({ length: 3 }, () => openDatabase({ url, log: silentLog, connections: 1 }));
    const names = (await readMigrations()).map(({ name }) => name);
    const applied = await Promise.all(starters.map((starter) => migrate(starter, silentLog)));
    await Promise.all(starters.map((starter) => starter.end({ timeout: 1 })));
    expect(applied.flat().sort()).toEqual(names);
    expect(await bookkeeping(sql)).toEqual(names);
  });

  it('accepts a database whose Postgres has no trigrams for searching', async () => {
    const { sql } = await databaseOfChain();
    await sql`DROP EXTENSION pg_trgm CASCADE`;
    await migrate(sql, silentLog);
    expect(await bookkeeping(sql)).toContain('0001_schema.sql');
  });

  it.each([
    {
      what: 'that lacks a migration of the chain',
      change: `DELETE FROM schema_migrations WHERE name = '0023_unlikely_roasts.sql'`,
      sentences: ['The database is too old for this version and was not changed: start commit 40c40dca with it once'],
    },
    {
      what: 'of the chain before it',
      change: `DELETE FROM schema_migrations; INSERT INTO schema_migrations (name, checksum) VALUES ('0001_start.sql', 'x')`,
      sentences: ['too old for this version and was not changed: start commit 40c40dca with it once'],
    },
    {
      what: 'with a migration that it does not know',
      change: `INSERT INTO schema_migrations (name, checksum) VALUES ('0300_other.sql', 'x')`,
      sentences: ['migration 0300_other.sql, which this version does not know'],
    },
    ...differences.map((changes) => ({
      what: `after ${Object.keys(changes).join('; ')}`,
      change: Object.keys(changes).join('; '),
      sentences: ['was not changed. It has ', ...Object.values(changes)],
    })),
  ])('refuses a database $what, and leaves it as it was', async ({ change, sentences }) => {
    const { sql } = await databaseOfChain();
    await sql.unsafe(change);
    const before = { ...(await state(sql)), names: await bookkeeping(sql) };
    const error: unknown = await migrate(sql, silentLog).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ConfigError);
    for (const words of sentences) expect(error).toHaveProperty('message', expect.stringContaining(words));
    expect({ ...(await state(sql)), names: await bookkeeping(sql) }).toEqual(before);
  });
});
