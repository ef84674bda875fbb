import postgres from 'postgres';
import { describe, expect, it } from 'vitest';
import { createTestDatabase } from './test-database.ts';

async function query(url: string, text: string) {
  const sql = postgres(url, { max: 1 });
  try {
    return [...(await sql.unsafe(text))];
  } finally {
    await sql.end();
  }
}

describe('a database for one test', () => {
  it('is a copy of the template, which is prepared once for all concurrent callers', async () => {
    let prepared = 0;
    const template = {
      name: 'one_lot',
      prepare: async (url: string) => {
        prepared += 1;
        await query(url, `CREATE TABLE lot (kg real); INSERT INTO lot VALUES (60)`);
      },
    };
    const databases = await Promise.all([1, 2, 3].map(() => createTestDatabase(template)));
    expect(prepared).toBe(1);
    await query(databases[0]?.url ?? '', 'UPDATE lot SET kg = 0');
    expect(await query(databases[1]?.url ?? '', 'SELECT kg FROM lot')).toEqual([{ kg: 60 }]);
    await Promise.all(databases.map((database) => database.drop()));
    await expect(query(databases[2]?.url ?? '', 'SELECT 1')).rejects.toThrow(/does not exist/);
  });

  it('test database: can be dropped while a client is connected', async () => {
    const database = await createTestDatabase();
    const held = postgres(database.url, { max: 1, idle_timeout: 0 });
    await held`SELECT 1`;
    await database.drop();
    await expect(query(database.url, 'SELECT 1')).rejects.toThrow(/does not exist/);
    await held.end();
  });
});
