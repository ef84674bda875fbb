import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serverFolder, startSystemPostgres, type SystemPostgres } from '@roastery/testing/system-postgres';
import { here, root } from './program-files.ts';

const bin = serverFolder();
const migrations = path.join(root, 'api/src/db/migrations');

/** Every table with its number of rows and a hash over all of them. */
const contents = `
  SELECT c.relname || ' ' || (xpath('/row/n/text()', query_to_xml(format(
    'SELECT count(*) || '':'' || coalesce(md5(string_agg(t::text, '','' ORDER BY t::text)), ''-'') AS n FROM %I.%I t', n.nspname, c.relname),
    false, true, '')))[1]::text
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind = 'r' AND n.nspname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1;`;

describe.skipIf(bin === undefined)('backup and restore (skipped without an installed Postgres server)', () => {
  let postgres: SystemPostgres;
  let folder = '';
  beforeAll(() => {
    postgres = startSystemPostgres(bin ?? '');
    folder = mkdtempSync(path.join(tmpdir(), 'roastery-backups-'));
    postgres.query('postgres', 'CREATE DATABASE roastery;');
    for (const file of readdirSync(migrations)
      .filter((name) => name.endsWith('.sql'))
      .sort()) {
      postgres.query('roastery', readFileSync(path.join(migrations, file), 'utf8'));
    }
    postgres.query(
      'roastery',
      `CREATE TABLE probe (id bigint PRIMARY KEY, values real[], bytes bytea, text text, at timestamptz);
       INSERT INTO probe SELECT n, ARRAY[n / 3.0, NULL, 'NaN'], decode(md5(n::text), 'hex'), 'Größe ☕ ' || n,
         '2026-03-29T00:59:59.999999Z'::timestamptz + n * interval '1 minute' FROM generate_series(1, 5000) n;`,
    );
  });
  afterAll(() => {
    postgres[Symbol.dispose]();
    rmSync(folder, { recursive: true });
  });
  const run = (script: string, args: string[] = [], more: Record<string, string> = {}) =>
    spawnSync('sh', [path.join(here, script), ...args], {
      env: { ...postgres.env, PGDATABASE: 'roastery', BACKUP_DIR: folder, ...more },
      encoding: 'utf8',
    });
  const dumps = () => readdirSync(folder).filter((name) => name.endsWith('.dump'));

  it('restore into an empty database equals the saved one, row by row', () => {
    const saved = run('backup.sh');
    expect(saved.stderr).toBe('');
    const file = saved.stdout.trim();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    postgres.query('postgres', 'CREATE DATABASE fresh;');
    const restored = run('restore.sh', [file], { PGDATABASE: 'fresh' });
    expect(restored.stderr).toBe('');
    expect(restored.status).toBe(0);
    const before = postgres.query('roastery', contents);
    expect(before).toMatch(/probe 5000:/);
    expect(postgres.query('fresh', contents)).toBe(before);
  });

  it('refuses a database that is not empty, and a damaged file', () => {
    const [name = ''] = dumps();
    const before = postgres.query('roastery', contents);
    const refused = run('restore.sh', [path.join(folder, name)]);
    expect(refused.stderr).toMatch(/is not empty/);
    expect(refused.status).toBe(1);
    expect(postgres.query('roastery', contents)).toBe(before);

    postgres.query('postgres', 'CREATE DATABASE other;');
    const damaged = path.join(folder, 'damaged.dump');
    writeFileSync(damaged, readFileSync(path.join(folder, name)));
    writeFileSync(
      `${damaged}.sha256`,
      readFileSync(path.join(folder, `${name}.sha256`), 'utf8').replace(name, 'damaged.dump'),
    );
    appendFileSync(damaged, 'x');
    expect(run('restore.sh', [damaged], { PGDATABASE: 'other' }).status).not.toBe(0);
    expect(postgres.query('other', contents)).toBe('');
    rmSync(damaged);
  });

  it('leaves no partial file when it fails, and keeps only BACKUP_KEEP of them', () => {
    const before = readdirSync(folder).sort();
    expect(run('backup.sh', [], { PGDATABASE: 'nothing' }).status).not.toBe(0);
    expect(readdirSync(folder).sort()).toEqual(before);
    for (const day of ['01', '02', '03']) {
      for (const end of ['', '.sha256'])
        writeFileSync(path.join(folder, `roastery-202601${day}T000000Z.dump${end}`), '');
    }
    writeFileSync(path.join(folder, 'other.dump'), '');
    const saved = run('backup.sh', [], { BACKUP_KEEP: '1' });
    expect(saved.status).toBe(0);
    expect(dumps().sort()).toEqual([path.basename(saved.stdout.trim()), 'other.dump'].sort());
    expect(run('backup.sh', [], { BACKUP_KEEP: 'all' }).status).toBe(2);
  });
});
