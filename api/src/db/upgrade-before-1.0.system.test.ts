import { createHash } from 'node:crypto';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ConfigError } from '@roastery/runtime/env';
import { createTestDatabase } from '@roastery/testing/test-database';
import { afterEach, describe, expect, it } from 'vitest';
import { readColumns, readContents, restoreEarlierDatabase } from '../testing/earlier-database.ts';
import { openMigratedDatabase, silentLog } from '../testing/ingest-fixture.ts';
import { startTestApi } from '../testing/test-api.ts';
import { migrate, runUpgradeCommand } from './migrate.ts';
import { before10Folder, migrationsFolder, readMigrations } from './migration-files.ts';
import { readCatalog } from './schema-catalog.ts';
import { openDatabase, type Database } from './sql.ts';

const cleanUps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

const template = {
  name: 'of_f7cf7b7',
  prepare: async (url: string) => {
    const sql = openDatabase({ url, log: silentLog, connections: 1 });
    await restoreEarlierDatabase(sql);
    // Larger than a part of 256 KB, which the demo's files are not.
    await sql`
      INSERT INTO roast_uploads (id, user_id, file_name, file_sha256, content)
      SELECT gen_random_uuid(), id, 'large.csv', '\\x00', (SELECT string_agg(sha512(n::text::bytea), '' ORDER BY n) FROM generate_series(1, 10000) n)
        FROM users LIMIT 1`;
    // Tables that the demo leaves empty.
    await sql`
      INSERT INTO quarantine (id, topic, serial_number, reason, payload)
      SELECT gen_random_uuid(), 'roastery/v1/' || serial_number || '/journal', serial_number, 'not JSON', '{' FROM machines`;
    await sql`
      INSERT INTO outgoing_mail (id, recipients, subject, body) VALUES (gen_random_uuid(), '{a@example.org}', 'Low stock', 'Text')`;
    await sql.end();
  },
};
const earlierDatabase = async (): Promise<{ url: string; sql: Database }> => {
  const database = await createTestDatabase(template);
  const sql = openDatabase({ url: database.url, log: silentLog, connections: 2 });
  cleanUps.push(async () => {
    await sql.end({ timeout: 1 });
    await database.drop();
  });
  return { url: database.url, sql };
};
const applyOfChain = async (sql: Database, count: number): Promise<void> => {
  for (const { name, text, checksum } of (await readMigrations(before10Folder)).slice(0, count)) {
    await sql.begin(async (tx) => {
      await tx.unsafe(text);
      await tx`INSERT INTO schema_migrations (name, checksum) VALUES (${name}, ${checksum})`;
    });
  }
};
const sha256 = (content: Buffer): string => createHash('sha256').update(content).digest('hex');
const bookkeeping = async (sql: Database): Promise<string[]> =>
  (await sql<{ name: string }[]>`SELECT name FROM schema_migrations ORDER BY name`).map(({ name }) => name);

const chainLength = 7;
const tablesMadeSince = [
  'board_roasts',
  'continuing_streams',
  'history_restores',
  'quarantine_drops',
  'retained_clears',
  'roast_sources',
  'roast_upload_parts',
];

describe('upgrade of a database before 1.0', () => {
  it.each(Array.from({ length: chainLength + 1 }, (_, applied) => applied))(
    'of f7cf7b7 and %i later migrations: keeps every row and equals a new database',
    async (applied) => {
      const { url, sql } = await earlierDatabase();
      const uploads = await sql<{ id: string; content: Buffer }[]>`SELECT id, content FROM roast_uploads ORDER BY id`;
      const columns = await readColumns(sql);
      // The files move to a table of their own.
      columns.set('roast_uploads', columns.get('roast_uploads')?.filter((column) => column !== 'content') ?? []);
      // Recomputed, with the batch number.
      columns.set('roasts', columns.get('roasts')?.filter((column) => column !== 'found_by') ?? []);
      // Prices become integers of the smallest unit.
      columns.set('lots', columns.get('lots')?.filter((column) => column !== 'cost_per_kg') ?? []);
      const prices = await sql<{ price: number | null }[]>`SELECT cost_per_kg AS price FROM lots ORDER BY id`;
      const before = await readContents(sql, columns);
      expect([...before].filter(([, { rows }]) => rows === 0)).toEqual([]);
      await applyOfChain(sql, applied);

      const lines: string[] = [];
      expect(await runUpgradeCommand(url, (line) => lines.push(line))).toBe(0);
      expect(lines.join('\n')).toMatch(/^The database was upgraded/);

      expect(await readContents(sql, columns)).toEqual(before);
      const kept = await sql<{ price: number | null }[]>`
        SELECT (price_minor::numeric(40, 20) / (price_kg * 100))::double precision AS price FROM lots ORDER BY id`;
      expect([...kept]).toEqual([...prices]);
      const parts = await sql<{ id: string; content: Buffer; parts: number }[]>`
        SELECT upload_id AS id, string_agg(content, '' ORDER BY part) AS content, count(*)::int AS parts
          FROM roast_upload_parts GROUP BY upload_id ORDER BY upload_id`;
      expect(parts.map(({ id, content }) => [id, sha256(content)])).toEqual(
        uploads.map(({ id, content }) => [id, sha256(content)]),
      );
      expect(Math.max(...parts.map((upload) => upload.parts))).toBeGreaterThan(1);

      await using fresh = await openMigratedDatabase();
      expect(await readCatalog(sql, 'public')).toEqual(await readCatalog(fresh.sql, 'public'));
      expect(await bookkeeping(sql)).toEqual(await bookkeeping(fresh.sql));
      const tables = [...(await readColumns(fresh.sql)).keys()];
      // Later migrations add more.
      expect(tables.filter((table) => !before.has(table))).toEqual(expect.arrayContaining(tablesMadeSince));
    },
  );

  it('runs at the start of the api', async () => {
    const { url, sql } = await earlierDatabase();
    const [{ roasts } = { roasts: 0 }] = await sql<{ roasts: number }[]>`SELECT count(*)::int AS roasts FROM roasts`;
    await using test = await startTestApi(url);
    expect(test.log()).toContain('pre-1.0 database upgraded');
    expect((await test.api.context.sql`SELECT FROM roasts`).length).toBe(roasts);
  });

  it('changes nothing the second time, and reports it', async () => {
    const { url } = await earlierDatabase();
    const lines: string[] = [];
    const say = (line: string): void => void lines.push(line);
    await runUpgradeCommand(url, say);
    lines.length = 0;
    expect(await runUpgradeCommand(url, say)).toBe(0);
    expect(lines).toEqual(['The database is up to date.']);
  });

  it('runs once when several programs start together', async () => {
    const { url, sql } = await earlierDatabase();
    const starters = Array.from({ length: 3 }, () => openDatabase({ url, log: silentLog, connections: 1 }));
    const names = (await readMigrations()).map(({ name }) => name);
    const applied = await Promise.all(starters.map((starter) => migrate(starter, silentLog)));
    await Promise.all(starters.map((starter) => starter.end({ timeout: 1 })));
    expect(applied.flat().sort()).toEqual(names);
    expect(await bookkeeping(sql)).toEqual(names);
  });

  it('keeps a later migration that is already applied', async () => {
    const { sql } = await earlierDatabase();
    const folder = await mkdtemp(join(tmpdir(), 'migrations-'));
    cleanUps.push(() => rm(folder, { recursive: true }));
    await cp(migrationsFolder, folder, { recursive: true });
    await writeFile(join(folder, '0300_cups.sql'), 'CREATE TABLE cups (id int PRIMARY KEY);');
    const files = await readMigrations(pathToFileURL(`${folder}/`));
    const [names, cups] = [files.map(({ name }) => name), files.at(-1)];
    await sql`CREATE TABLE cups (id int PRIMARY KEY)`;
    await sql`INSERT INTO schema_migrations (name, checksum) VALUES (${cups?.name ?? ''}, ${cups?.checksum ?? ''})`;
    expect(await migrate(sql, silentLog, pathToFileURL(`${folder}/`))).toEqual(
      names.filter((name) => name !== cups?.name),
    );
    expect(await bookkeeping(sql)).toEqual(names);
  });

  it.each([
    {
      what: 'that is older than f7cf7b7',
      change: `DELETE FROM schema_migrations WHERE name = '0140_deleted_machine_maps.sql'`,
      sentence: /too old for this version.*Start commit f7cf7b7 with it once/,
    },
    {
      what: 'with a migration that it does not know',
      change: `INSERT INTO schema_migrations (name, checksum) VALUES ('0300_other.sql', 'x')`,
      sentence: /migration 0300_other\.sql, which this version does not know/,
    },
    {
      what: 'that lacks a column, and names it',
      change: 'ALTER TABLE lots DROP COLUMN supplier',
      sentence: /nothing was changed.*column lots\.supplier text/,
    },
  ])('refuses a database $what, and leaves it as it was', async ({ change, sentence }) => {
    const { sql } = await earlierDatabase();
    await sql.unsafe(change);
    const before = { catalog: await readCatalog(sql, 'public'), names: await bookkeeping(sql) };
    await expect(migrate(sql, silentLog)).rejects.toThrow(ConfigError);
    await expect(migrate(sql, silentLog)).rejects.toThrow(sentence);
    expect({ catalog: await readCatalog(sql, 'public'), names: await bookkeeping(sql) }).toEqual(before);
  });
});
