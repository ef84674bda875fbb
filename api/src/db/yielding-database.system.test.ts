import { createLogger } from '@roastery/runtime/logger';
import { createTestDatabase } from '@roastery/testing/test-database';
import { expect, it } from 'vitest';
import { openDatabase } from './sql.ts';
import { yieldingDatabase } from './yielding-database.ts';

it('yielding database: sends each statement on its turn, with its fragments, in transactions too', async () => {
  await using database = await createTestDatabase();
  const sql = openDatabase({ url: database.url, log: createLogger('test', 'silent'), connections: 2 });
  try {
    await sql`CREATE TABLE lots (id integer PRIMARY KEY, kg integer NOT NULL)`;
    let turns = 0;
    let isOpen = true;
    const held: (() => void)[] = [];
    const yielding = yieldingDatabase(sql, async () => {
      turns += 1;
      if (!isOpen) await new Promise<void>((resolve) => held.push(resolve));
    });
    const heavy = yielding`kg > ${10}`;
    await yielding.begin(async (tx) => {
      await tx`INSERT INTO ${tx('lots')} ${tx([
        { id: 1, kg: 5 },
        { id: 2, kg: 60 },
      ])}`;
      await tx`UPDATE lots SET kg = kg + 1 WHERE ${tx`kg > ${10}`}`;
    });
    expect(turns).toBe(2);
    expect(await yielding`SELECT id, kg FROM lots WHERE ${heavy}`).toEqual([{ id: 2, kg: 61 }]);
    expect(await yielding`SELECT kg FROM lots ORDER BY id`.values()).toEqual([[5], [61]]);
    expect(turns).toBe(4);
    await expect(yielding`SELECT 1 / ${0}::integer`).rejects.toMatchObject({ code: '22012' });
    const failed = yielding.begin(async (tx) => {
      await tx`DELETE FROM lots`;
      throw new Error('no');
    });
    await expect(failed).rejects.toThrow('no');

    isOpen = false;
    const deleted = yielding`DELETE FROM lots`.execute();
    expect(await sql`SELECT id FROM lots`).toHaveLength(2);
    isOpen = true;
    for (const resume of held) resume();
    await deleted;
    expect(await sql`SELECT id FROM lots`).toHaveLength(0);
  } finally {
    await sql.end();
  }
});
