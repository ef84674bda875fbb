import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ConfigError } from '@roastery/runtime/env';
import { createLogger } from '@roastery/runtime/logger';
import { createTestDatabase } from '@roastery/testing/test-database';
import { afterEach, describe, expect, it } from 'vitest';
import { readRoastFile } from '../domains/imports/read-roast-file.ts';
import { addUser } from '../testing/example-data.ts';
import { formatFiles } from '../testing/format-files.ts';
import { migrate } from './migrate.ts';
import { migrationsFolder, readMigrations } from './migration-files.ts';
import { readCatalog } from './schema-catalog.ts';
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

const labels = (...names: string[]) => Object.fromEntries(names.map((label) => [label, { label, unit: '°C' }]));

describe('migrations', () => {
  it('bring an empty database up to date, and apply nothing the second time', async () => {
    const { sql } = await freshDatabase();
    const names = (await readMigrations()).map((file) => file.name);
    expect(await migrate(sql, log)).toEqual(names);
    expect(await migrate(sql, log)).toEqual([]);
  });

  it('find the files with a local time among the uploads of earlier versions, by their curves', async () => {
    const { sql } = await freshDatabase();
    const before = (await readMigrations()).findIndex(({ name }) => name.endsWith('_times_to_check.sql'));
    await migrate(sql, log, await folderWith(before));
    for (const { name, bytes } of formatFiles) {
      const { roast } = await readRoastFile(bytes, {});
      const labels = Object.fromEntries(
        roast.channels.map(({ name: channel, label, unit }) => [channel, { label, unit }]),
      );
      await sql`
        INSERT INTO recordings (id, source, file_name, channel_labels)
        VALUES (gen_random_uuid(), 'upload', ${name}, ${sql.json(labels)})`;
    }
    await sql`INSERT INTO recordings (id, source, file_name) VALUES (gen_random_uuid(), 'agent', NULL)`;
    await migrate(sql, log);
    const found = await sql<{ file_name: string; file_format: string }[]>`
      SELECT c.file_name, c.file_format FROM times_to_check t JOIN recordings c ON c.id = t.recording_id ORDER BY c.file_name`;
    expect(Object.fromEntries(found.map((row) => [row.file_name, row.file_format]))).toEqual({
      '2021_4_30_17_56_49.csv': 'petroncini',
      'cropster-de.xls': 'cropster',
      'cropster.xls': 'cropster',
      'cropster.xlsx': 'cropster',
      'hibean.json': 'hibean',
      'ikawa.csv': 'ikawa',
      'kaleido.csv': 'kaleido',
      'loring.csv': 'loring',
      'roastime.csv': 'roastime',
    });
  });

  it('leave out tables whose time had a zone or was entered by a person, among the times to check', async () => {
    const { sql } = await freshDatabase();
    const before = (await readMigrations()).findIndex(({ name }) => name.endsWith('_originals_read_again.sql'));
    await migrate(sql, log, await folderWith(before));
    const files = [
      ['artisan.csv', 'csv', labels('BT', 'ET')],
      ['our own.xlsx', 'xlsx', labels('Bean Temp', 'Exhaust Temp')],
      ['logger.csv', 'csv', labels('Beans')],
      ['2021_4_30_17_56_49.csv', 'csv', labels('Beans')],
      ['loring.csv', 'loring', labels('Beans')],
    ] as const;
    for (const [name, format, channels] of files) {
      const [recording] = await sql<{ id: string }[]>`
        INSERT INTO recordings (id, source, file_name, file_format, channel_labels)
        VALUES (gen_random_uuid(), 'upload', ${name}, ${format}, ${sql.json(channels)}) RETURNING id`;
      await sql`INSERT INTO times_to_check (recording_id) VALUES (${recording?.id ?? ''})`;
    }
    await migrate(sql, log);
    const left = await sql`
      SELECT c.file_name FROM times_to_check t JOIN recordings c ON c.id = t.recording_id ORDER BY c.file_name`;
    expect(left.map((row) => row['file_name'])).toEqual(['2021_4_30_17_56_49.csv', 'artisan.csv', 'loring.csv']);
  });

  it('give imported roasts without a number of their file the next numbers, and withdraw those beside one', async () => {
    const { sql } = await freshDatabase();
    const before = (await readMigrations()).findIndex(({ name }) => name.endsWith('_numbers_of_imported_roasts.sql'));
    await migrate(sql, log, await folderWith(before));
    const owner = await addUser(sql);
    const roast = async (day: number, source: 'agent' | 'upload', ofFile: string | null, isNumbered: boolean) => {
      const [recording] = await sql<{ id: string }[]>`
        INSERT INTO recordings (id, source) VALUES (gen_random_uuid(), ${source}) RETURNING id`;
      const [row] = await sql<{ id: string }[]>`
        INSERT INTO roasts (id, owner_id, recording_id, status, start_time, source_batch, is_numbered, batch_number)
        VALUES (gen_random_uuid(), ${owner}, ${recording?.id ?? ''}, 'completed', make_date(2025, 1, ${day}), ${ofFile},
                ${isNumbered}, CASE WHEN ${isNumbered} THEN give_batch_number(NULL) END) RETURNING id`;
      await sql`UPDATE batch_numbers b SET roast_id = r.id FROM roasts r WHERE r.batch_number = b.batch_number`;
      return row?.id ?? '';
    };
    const recorded = await roast(9, 'agent', null, true);
    const single = await roast(8, 'upload', 'P5-42', true);
    const ofMachine = await roast(7, 'upload', 'P5-43', true);
    await sql`
      INSERT INTO roast_sources (roast_id, board_roast_id, absorbs, said) VALUES (${ofMachine}, ${ofMachine}, true, false)`;
    const many = await roast(6, 'upload', 'P5-44', false);
    const [later, earlier] = [await roast(5, 'upload', null, false), await roast(4, 'upload', null, false)];
    await migrate(sql, log);
    const rows = await sql<{ id: string; batch_number: string | null; is_numbered: boolean }[]>`
      SELECT id, batch_number, is_numbered FROM roasts`;
    expect(Object.fromEntries(rows.map((row) => [row.id, [row.batch_number, row.is_numbered]]))).toEqual({
      [recorded]: ['1', true],
      [single]: [null, false],
      [ofMachine]: ['3', true],
      [many]: [null, false],
      [earlier]: ['4', true],
      [later]: ['5', true],
    });
    expect(await sql`SELECT batch_number, roast_id FROM batch_numbers ORDER BY batch_number`).toEqual(
      [recorded, single, ofMachine, earlier, later].map((id, index) => ({
        batch_number: `${index + 1}`,
        roast_id: id,
      })),
    );
    expect(await sql`SELECT subject, detail FROM audit_log ORDER BY detail->>'to' DESC`).toEqual([
      { subject: single, detail: { from: '2', to: 'P5-42' } },
      { subject: later, detail: { to: '5' } },
      { subject: earlier, detail: { to: '4' } },
    ]);
  });

  it('turn prices into integers of cents without loss', async () => {
    const { sql } = await freshDatabase();
    const before = (await readMigrations()).findIndex(({ name }) => name.endsWith('_currency.sql'));
    await migrate(sql, log, await folderWith(before));
    const costs = [0, 8.5, 6.125, 6.834_330_000_000_001, 0.1 + 0.2, 1e6, 1e-7, null];
    for (const [place, cost] of costs.entries()) {
      await sql`
        INSERT INTO lots (id, lot_number, coffee_name, origin, cost_per_kg, initial_weight)
        VALUES (gen_random_uuid(), ${`L-${place}`}, 'Guji', 'Ethiopia', ${cost}, 60)`;
    }
    await migrate(sql, log);
    const rows = await sql<{ price_minor: number | null; exact: number | null }[]>`
      SELECT price_minor, (price_minor::numeric(40, 20) / (price_kg * 100))::double precision AS exact
        FROM lots ORDER BY lot_number`;
    expect(rows.map(({ exact }) => exact)).toEqual(costs);
    expect(rows.slice(0, 3).map((row) => row.price_minor)).toEqual([0, 850, 6125]);
  });

  it('ask the owners of maps that were copied or read from settings of Artisan about bean and exhaust', async () => {
    const { sql } = await freshDatabase();
    const before = (await readMigrations()).findIndex(({ name }) => name.endsWith('_map_corrections.sql'));
    await migrate(sql, log, await folderWith(before));
    const owner = await addUser(sql);
    const maps = [
      { id: 'own-aset', based_on: null, note: 'From Giesen W6.ASET' },
      { id: 'own-copy', based_on: 'loring-auto', note: null },
      { id: 'own-of-ours', based_on: 'rm30', note: null },
      { id: 'own-found', based_on: null, note: 'From the registers of the machine' },
    ];
    for (const { id, based_on: basedOn, note } of maps) {
      await sql`INSERT INTO machine_maps (id, owner_id, rev, based_on) VALUES (${id}, ${owner}, 2, ${basedOn})`;
      for (const rev of [1, 2])
        await sql`
          INSERT INTO machine_map_revisions (map_id, rev, map, note)
          VALUES (${id}, ${rev}, '{}', ${rev === 1 ? note : 'Bean filter'})`;
    }
    await migrate(sql, log);
    expect(await sql`SELECT id, origin, check_channels AS asks FROM machine_maps ORDER BY id`).toEqual([
      { id: 'own-aset', origin: 'artisan_settings', asks: true },
      { id: 'own-copy', origin: 'copy', asks: true },
      { id: 'own-found', origin: 'other', asks: false },
      { id: 'own-of-ours', origin: 'copy', asks: false },
    ]);
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
    const atOnce = await freshDatabase();
    await migrate(atOnce.sql, log, await folderWith(length, branches));
    for (const late of names) {
      const { sql } = await freshDatabase();
      const others = Object.fromEntries(Object.entries(branches).filter(([name]) => name !== late));
      await migrate(sql, log, await folderWith(length, others));
      expect(await migrate(sql, log, await folderWith(length, branches))).toEqual([late]);
      expect(await readCatalog(sql, 'public')).toEqual(await readCatalog(atOnce.sql, 'public'));
    }
  });

  it('that fail half way leave the schema as it was, and continue at the failed file', async () => {
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
