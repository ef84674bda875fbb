import { createLogger } from '@roastery/runtime/logger';
import { openCuttableLine } from '@roastery/testing/cuttable-line';
import { collectGarbage } from '@roastery/testing/held-memory';
import { createTestDatabase } from '@roastery/testing/test-database';
import { until } from '@roastery/testing/until';
import { createVirtualClock } from '@roastery/testing/virtual-clock';
import { describe, expect, it } from 'vitest';
import { randomFrom } from '../testing/seeded-random.ts';
import { isDatabaseUnavailable } from './postgres-errors.ts';
import { openDatabase, type Sql } from './sql.ts';

const random = randomFrom(4711);

const log = createLogger('test', 'silent');

describe('renewing pool: lost connections', () => {
  it('never mixes the rows of two queries, never hangs, never commits a part', async () => {
    await using database = await createTestDatabase();
    const sql = openDatabase({ url: database.url, log, connections: 4 });
    const axe = openDatabase({ url: database.url, log, connections: 1, name: 'axe' });
    await sql`CREATE TABLE accounts (id integer PRIMARY KEY, balance integer NOT NULL)`;
    await sql`INSERT INTO accounts VALUES (1, 0), (2, 0)`;
    const stopping = new AbortController();
    let [confirmed, failed, reads, interruptions] = [0, 0, 0, 0];
    const wrong: unknown[] = [];

    const interrupted = async (): Promise<void> => {
      const before = interruptions;
      await until('an interruption', () => interruptions > before || stopping.signal.aborted, { everyMs: 1 });
    };
    const transfer = async (): Promise<void> => {
      while (!stopping.signal.aborted) {
        try {
          await sql.begin(async (tx) => {
            await tx`SELECT 1 FROM accounts WHERE id = 1 FOR UPDATE`;
            await tx`UPDATE accounts SET balance = balance - 1 WHERE id = 1`;
            // Some transactions lose their connection while no query is running.
            if (random() < 0.3) await interrupted();
            await tx`UPDATE accounts SET balance = balance + 1 WHERE id = 2`;
          });
          confirmed += 1;
        } catch {
          failed += 1;
        }
      }
    };
    const read = async (): Promise<void> => {
      for (let n = 1; !stopping.signal.aborted; n += 1) {
        try {
          const rows = await sql<{ n: number }[]>`SELECT ${n}::integer AS n FROM generate_series(1, 20)`;
          if (rows.length !== 20 || rows.some((row) => row.n !== n)) wrong.push([...rows]);
        } catch {
          // Its connection was lost.
        } finally {
          reads += 1;
        }
      }
    };
    const workers = [transfer(), transfer(), transfer(), read(), read(), read()];
    const isEnough = (): boolean => interruptions >= 40 && confirmed > 5 && failed > 0;
    while (!isEnough()) {
      // Between two interruptions is a number of reads, whatever the speed of the computer.
      const due = reads + 5 + random() * 100;
      await until('some reads to end', () => reads >= due, { everyMs: 1 });
      await axe`
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = 'roastery-api' AND random() < 0.7`;
      interruptions += 1;
    }
    stopping.abort();
    await Promise.all(workers);
    expect(wrong).toEqual([]);
    const rows = await sql<{ balance: number }[]>`SELECT balance FROM accounts ORDER BY id`;
    const [one, two] = rows.map((row) => row.balance);
    expect((one ?? 0) + (two ?? 0)).toBe(0);
    // A commit whose response was lost is counted in the table but not here.
    expect(two).toBeGreaterThanOrEqual(confirmed);
    expect(two).toBeLessThanOrEqual(confirmed + failed);
    await Promise.all([sql.end({ timeout: 1 }), axe.end({ timeout: 1 })]);
  });

  it('listens again, and reports that notifications may have been missed', async () => {
    await using database = await createTestDatabase();
    const sql = openDatabase({ url: database.url, log });
    const axe = openDatabase({ url: database.url, log, name: 'axe' });
    const heard: string[] = [];
    let listening = 0;
    await sql.listen(
      'news',
      (payload) => heard.push(payload),
      () => (listening += 1),
    );
    expect(listening).toBe(1);
    await axe`SELECT pg_notify('news', 'before')`;
    await until('the first', () => heard.includes('before'));
    await axe`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'roastery-api'`;
    await until('listening again', () => listening === 2);
    await axe`SELECT pg_notify('news', 'after')`;
    await until('the second', () => heard.includes('after'));
    await Promise.all([sql.end({ timeout: 1 }), axe.end({ timeout: 1 })]);
  });
});

describe('renewing pool: connections that are dead but not closed', () => {
  /** What is asked last inside of a transaction; a statement outside of one where there is none. */
  const lastOf: Record<string, ((tx: Sql) => Promise<unknown>) | undefined> = {
    'a statement of a transaction': (tx) => tx`INSERT INTO lots VALUES ('Guji')`,
    'a commit': async () => undefined,
    'a rollback': () => Promise.reject(new Error('refused')),
    'a statement alone': undefined,
  };

  it.concurrent.each(Object.keys(lastOf))(
    'fails within 25 s %s without an answer, and works over new ones',
    async (what) => {
      await using database = await createTestDatabase();
      const url = new URL(database.url);
      await using line = await openCuttableLine(Number(url.port));
      url.port = String(line.port);
      const clock = createVirtualClock();
      const sql = openDatabase({ url: url.href, log, clock });
      await sql`CREATE TABLE lots (name text)`;

      const last = lastOf[what];
      let isStranded = false;
      const strand = (): void => {
        line.strand();
        isStranded = true;
      };
      const insert = async (tx: Sql): Promise<void> => {
        await tx`INSERT INTO lots VALUES ('Huila')`;
        strand();
        await last?.(tx);
      };
      if (last === undefined) strand();
      let outcome: string | undefined;
      const answer = last === undefined ? sql`SELECT 1` : sql.begin(insert);
      const settled = answer.then(
        () => (outcome = 'answered'),
        (error: unknown) => (outcome = isDatabaseUnavailable(error) ? 'unavailable' : String(error)),
      );
      await until('the connection to be stranded', () => isStranded);
      await clock.advance(19_000);
      expect(outcome).toBeUndefined();
      await clock.advance(6_000);
      expect(await settled).toBe('unavailable');
      expect(await sql<{ n: number }[]>`SELECT count(*) AS n FROM lots`).toEqual([{ n: 0 }]);
      await sql.end({ timeout: 1 });
    },
  );

  it('leaves a transaction alone that does other work between its statements', async () => {
    await using database = await createTestDatabase();
    const clock = createVirtualClock();
    const sql = openDatabase({ url: database.url, log, clock });
    const answer = await sql.begin(async (tx) => {
      await tx`SELECT 1`;
      await clock.advance(60_000);
      return tx<{ n: number }[]>`SELECT 2 AS n`;
    });
    expect(answer).toEqual([{ n: 2 }]);
    await sql.end({ timeout: 1 });
  });
});

describe('renewing pool: transactions', () => {
  it('keeps no result after its transaction', async () => {
    await using database = await createTestDatabase();
    const sql = openDatabase({ url: database.url, log, connections: 1 });
    const transact = async (): Promise<WeakRef<object>> =>
      new WeakRef(await sql.begin(async (tx) => [...(await tx`SELECT 1 AS n`)]));
    // For the place of each statement in the program the driver keeps the stack of its first call.
    await transact();
    const result = await transact();
    await until('the result to be collected', () => {
      collectGarbage();
      return result.deref() === undefined;
    });
    expect(result.deref()).toBeUndefined();
    await sql.end({ timeout: 1 });
  });
});
