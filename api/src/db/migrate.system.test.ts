import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ConfigError } from '@roastery/runtime/env';
import { createLogger } from '@roastery/runtime/logger';
import type { DatabaseTemplate } from '@roastery/testing/database-on-server';
import { createTestDatabase } from '@roastery/testing/test-database';
import { afterEach, describe, expect, it } from 'vitest';
import { migratedTemplate } from '../testing/ingest-fixture.ts';
import { migrate } from './migrate.ts';
import { migrationsFolder, readMigrations } from './migration-files.ts';
import { readCatalog } from './schema-catalog.ts';
import { openDatabase, type Database } from './sql.ts';

const log = createLogger('test', 'silent');
const cleanUps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

const freshDatabase = async (template?: DatabaseTemplate): Promise<{ url: string; sql: Database }> => {
  const database = await createTestDatabase(template);
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

describe('migrations', () => {
  it('bring an empty database up to date, and apply nothing the second time', async () => {
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

  it('of two branches give the same schema in either order', async () => {
    const { length } = await readMigrations();
    const branches = {
      '0002_cups.sql': 'CREATE TABLE cups (id int PRIMARY KEY);',
      '0002_tasters.sql': 'CREATE TABLE tasters (id int PRIMARY KEY);',
      '0003_scores.sql': 'ALTER TABLE lots ADD COLUMN score int;',
    };
    const names = Object.keys(branches);
    const atOnce = await freshDatabase(migratedTemplate);
    await migrate(atOnce.sql, log, await folderWith(length, branches));
    for (const late of names) {
      const { sql } = await freshDatabase(migratedTemplate);
      const others = Object.fromEntries(Object.entries(branches).filter(([name]) => name !== late));
      await migrate(sql, log, await folderWith(length, others));
      expect(await migrate(sql, log, await folderWith(length, branches))).toEqual([late]);
      expect(await readCatalog(sql, 'public')).toEqual(await readCatalog(atOnce.sql, 'public'));
    }
  });

  it('that fail half way leave the schema as it was, and continue at the failed file', async () => {
    const { sql } = await freshDatabase(migratedTemplate);
    const { length } = await readMigrations();
    const broken = await folderWith(length, {
      '9001_broken.sql': 'CREATE TABLE half (id int); INSERT INTO half VALUES (1); SELECT 1 / 0;',
    });
    await expect(migrate(sql, log, broken)).rejects.toThrow('division by zero');
    expect(await sql`SELECT to_regclass('half') AS found`).toEqual([{ found: null }]);
    const mended = await folderWith(length, { '9001_broken.sql': 'CREATE TABLE half (id int);' });
    expect(await migrate(sql, log, mended)).toEqual(['9001_broken.sql']);
  });

  it('are refused when an applied file was changed', async () => {
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
