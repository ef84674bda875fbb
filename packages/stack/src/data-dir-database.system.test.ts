import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import postgres from 'postgres';
import { describe, expect, it } from 'vitest';
import { openDataDirDatabase } from './data-dir-database.ts';
import { startEmbeddedPostgres } from './embedded-postgres.ts';

const log = { info: () => undefined, debug: () => undefined };
const ask = async (url: string): Promise<unknown> => {
  const sql = postgres(url, { max: 1 });
  const [row] = await sql`SELECT n FROM kept`;
  await sql.end();
  return row?.['n'];
};

describe('the database of a data folder', () => {
  it('openDataDirDatabase: uses the running server or starts one, and reports a folder without a database', async () => {
    const dataDir = await mkdtemp(path.join(tmpdir(), 'roastery-data-dir-'));
    try {
      await expect(openDataDirDatabase(dataDir)).rejects.toThrow(/no database in .*DATA_DIR/);
      const server = await startEmbeddedPostgres({ dataDir, log });
      const sql = postgres(server.url, { max: 1 });
      await sql`CREATE TABLE kept AS SELECT 7 AS n`;
      await sql.end();
      const running = await openDataDirDatabase(dataDir);
      expect(new URL(running.url).port).toBe(String(server.port));
      expect(await ask(running.url)).toBe(7);
      await running[Symbol.asyncDispose]();
      await server.close();
      const started = await openDataDirDatabase(dataDir);
      expect(await ask(started.url)).toBe(7);
      await started[Symbol.asyncDispose]();
      await expect(ask(started.url)).rejects.toThrow(/ECONNREFUSED/);
    } finally {
      await rm(dataDir, { recursive: true, force: true });
    }
  });
});
