import { createLogger } from '@roastery/runtime/logger';
import { createTestDatabase } from '@roastery/testing/test-database';
import { until } from '@roastery/testing/until';
import { expect, it } from 'vitest';
import { openDatabase } from './sql.ts';
import { yieldingDatabase } from './conditions.ts';

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
    expect(await yielding`SELECT kg FROM lots ORDER BY id`).toEqual([{ kg: 5 }, { kg: 61 }]);
    expect(turns).toBe(4);
    await expect(yielding`SELECT 1 / ${0}::integer`).rejects.toMatchObject({ code: '22012' });
    const failed = yielding.begin(async (tx) => {
      await tx`DELETE FROM lots`;
      throw new Error('no');
    });
    await expect(failed).rejects.toThrow('no');

    isOpen = false;
    const deleted = yielding`DELETE FROM lots`.then(({ count }) => count);
    expect(await sql`SELECT id FROM lots`).toHaveLength(2);
    isOpen = true;
    for (const resume of held) resume();
    expect(await deleted).toBe(2);
    expect(await sql`SELECT id FROM lots`).toHaveLength(0);
  } finally {
    await sql.end();
  }
});

it('yielding database: sends statements in the order in which they are awaited, whichever turn comes first', async () => {
  await using database = await createTestDatabase();
  const sql = openDatabase({ url: database.url, log: createLogger('test', 'silent'), connections: 1 });
  try {
    await sql`CREATE TABLE sent (place serial, name text NOT NULL)`;
    let turns = 0;
    const yielding = yieldingDatabase(sql, async () => {
      turns += 1;
      if (turns === 1) await sql`SELECT 1`;
    });
    await Promise.all(['a', 'b'].map((name) => yielding`INSERT INTO sent (name) VALUES (${name})`));
    expect(await sql`SELECT name FROM sent ORDER BY place`).toEqual([{ name: 'a' }, { name: 'b' }]);
  } finally {
    await sql.end();
  }
});

it('yielding database: rejects a statement of a transaction whose connection was lost before its turn', async () => {
  await using database = await createTestDatabase();
  const sql = openDatabase({ url: database.url, log: createLogger('test', 'silent') });
  const axe = openDatabase({ url: database.url, log: createLogger('test', 'silent'), name: 'axe' });
  try {
    let isWaiting = false;
    let isLost = false;
    const yielding = yieldingDatabase(sql, () => {
      isWaiting = true;
      return until('the connection is lost', () => isLost);
    });
    let late: Promise<unknown> | undefined;
    const begun = yielding.begin(async (tx) => {
      late = tx`SELECT 1`.catch((error: unknown) => error);
      await late;
    });
    const outcome = begun.catch((error: unknown) => error);
    await until('the statement waits for its turn', () => isWaiting);
    await axe`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'roastery-api'`;
    expect(await outcome).toMatchObject({ code: 'CONNECTION_CLOSED' });
    isLost = true;
    expect(await late).toMatchObject({ code: 'CONNECTION_CLOSED' });
  } finally {
    await Promise.all([sql.end({ timeout: 1 }), axe.end({ timeout: 1 })]);
  }
});
