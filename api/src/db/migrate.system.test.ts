import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ConfigError } from '@roastery/runtime/env';
import { createLogger } from '@roastery/runtime/logger';
import { createTestDatabase } from '@roastery/testing/test-database';
import { afterEach, describe, expect, it } from 'vitest';
import { migrate, migrationsFolder, readMigrations } from './migrate.ts';
import { openDatabase, type Database } from './sql.ts';

const log = createLogger('test', 'silent');
const cleanUps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

const freshDatabase = async (): Promise<{ url: string; sql: Database }> => {
  const database = await createTestDatabase();
  cleanUps.push(() => database.drop());
  return { url: database.url, sql: opened(database.url) };
};
const opened = (url: string): Database => {
  const sql = openDatabase({ url, log, connections: 2 });
  cleanUps.push(() => sql.end({ timeout: 1 }));
  return sql;
};
/** A copy of the first `count` migrations, with more files beside them. */
const folderWith = async (count: number, more: Record<string, string> = {}): Promise<URL> => {
  const folder = await mkdtemp(join(tmpdir(), 'migrations-'));
  cleanUps.push(() => rm(folder, { recursive: true }));
  const files = await readMigrations();
  for (const { name } of files.slice(0, count)) await cp(new URL(name, migrationsFolder), join(folder, name));
  for (const [name, text] of Object.entries(more)) await writeFile(join(folder, name), text);
  return pathToFileURL(`${folder}/`);
};

/** Everything a schema consists of, as Postgres itself spells it. */
const schemaOf = async (sql: Database): Promise<unknown> => ({
  columns: await sql`
    SELECT table_name, column_name, data_type, is_nullable, column_default FROM information_schema.columns
     WHERE table_schema = 'public' ORDER BY table_name, ordinal_position`,
  indexes: await sql`SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY indexname`,
  constraints: await sql`
    SELECT conrelid::regclass::text AS on_table, pg_get_constraintdef(oid) AS definition FROM pg_constraint
     WHERE connamespace = 'public'::regnamespace ORDER BY 1, conname`,
});

describe('migrations', () => {
  it('bring an empty database up to date, and do nothing the second time', async () => {
    const { sql } = await freshDatabase();
    const names = (await readMigrations()).map((file) => file.name);
    expect(await migrate(sql, log)).toEqual(names);
    expect(await migrate(sql, log)).toEqual([]);
  });

  it('are applied once when several programs start together', async () => {
    const { url } = await freshDatabase();
    const applied = await Promise.all(Array.from({ length: 4 }, () => migrate(opened(url), log)));
    expect(applied.flat().sort()).toEqual((await readMigrations()).map((file) => file.name));
  });

  it('give the same schema step by step as all at once', async () => {
    const atOnce = await freshDatabase();
    await migrate(atOnce.sql, log);
    const stepwise = await freshDatabase();
    const { length } = await readMigrations();
    for (let count = 1; count <= length; count += 1) await migrate(stepwise.sql, log, await folderWith(count));
    expect(await schemaOf(stepwise.sql)).toEqual(await schemaOf(atOnce.sql));
  });

  it('that fail half way leave the schema as it was, and go on where they stopped', async () => {
    const { sql } = await freshDatabase();
    const { length } = await readMigrations();
    const broken = await folderWith(length, {
      '9001_broken.sql': 'CREATE TABLE half (id int); INSERT INTO half VALUES (1); SELECT 1 / 0;',
    });
    await expect(migrate(sql, log, broken)).rejects.toThrow('division by zero');
    expect(await sql`SELECT to_regclass('half') AS found`).toEqual([{ found: null }]);
    const mended = await folderWith(length, { '9001_broken.sql': 'CREATE TABLE half (id int);' });
    expect(await migrate(sql, log, mended)).toEqual(['9001_broken.sql']);
  });

  it('are refused when a file was changed after it was applied', async () => {
    const { sql } = await freshDatabase();
    await migrate(sql, log, await folderWith(0, { '0001_a.sql': 'CREATE TABLE a (id int);' }));
    const changed = await folderWith(0, { '0001_a.sql': 'CREATE TABLE a (id bigint);' });
    await expect(migrate(sql, log, changed)).rejects.toThrow(ConfigError);
    await expect(migrate(sql, log, changed)).rejects.toThrow('0001_a.sql was changed');
  });

  it('are refused when a newer version has migrated the database', async () => {
    const { sql } = await freshDatabase();
    await migrate(sql, log, await folderWith(1, { '0002_newer.sql': 'SELECT 1;' }));
    await expect(migrate(sql, log, await folderWith(1))).rejects.toThrow('0002_newer.sql');
  });
});
