import { uuidV7 } from '@roastery/runtime/uuid';
import { createTestDatabase } from '@roastery/testing/test-database';
import { until } from '@roastery/testing/until';
import { createVirtualClock } from '@roastery/testing/virtual-clock';
import { describe, expect, it } from 'vitest';
import { housekeeping } from './housekeeping.ts';
import { addUpload, addUser } from './testing/example-data.ts';
import { startTestApi } from './testing/test-api.ts';
import { migratedTemplate } from './testing/ingest-fixture.ts';

describe('housekeeping', () => {
  it('removes old rows of every kind, also when one kind fails', async () => {
    await using database = await createTestDatabase(migratedTemplate);
    await using test = await startTestApi(database.url);
    const { sql } = test.api.context;
    const userId = await addUser(sql);
    const uploadId = await addUpload(sql, userId);
    const age = (days: number) => sql`now() - make_interval(days => ${days})`;
    await sql`
      INSERT INTO sessions (id, user_id, token_hash, last_seen_at, expires_at)
      VALUES (${uuidV7()}, ${userId}, ${Buffer.alloc(32)}, ${age(31)}, ${age(1)})`;
    await sql`INSERT INTO sign_in_limits (key, points, expire) VALUES ('old', 1, 1)`;
    await sql`
      INSERT INTO outgoing_mail (id, recipients, subject, body, created_at)
      VALUES (${uuidV7()}, ARRAY['a@example.com'], 'Low stock', 'x', ${age(400)})`;
    await sql`UPDATE roast_uploads SET created_at = ${age(40)} WHERE id = ${uploadId}`;
    await sql`INSERT INTO roast_imports (id, user_id, created_at) VALUES (${uuidV7()}, ${userId}, ${age(20)})`;
    await sql`
      INSERT INTO lot_imports (id, user_id, created_at, file_name, reading)
      VALUES (${uuidV7()}, ${userId}, ${age(20)}, 'lots.csv', '{}')`;
    const left = async (): Promise<string[]> => {
      const found: string[] = [];
      for (const table of [
        'sessions',
        'sign_in_limits',
        'outgoing_mail',
        'roast_uploads',
        'roast_imports',
        'lot_imports',
      ])
        if ((await sql`SELECT 1 FROM ${sql(table)}`).length > 0) found.push(table);
      return found;
    };
    await sql`
      CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'stays'; END $$`;
    // The first of them.
    await sql`CREATE TRIGGER fail BEFORE DELETE ON sessions FOR EACH ROW EXECUTE FUNCTION fail()`;
    const service = await housekeeping(test.api.context);
    await service.close();
    expect(await left()).toEqual(['sessions']);
    await sql`DROP FUNCTION fail CASCADE`;
    await (await housekeeping(test.api.context)).close();
    expect(await left()).toEqual([]);
  });

  it('removes mails and uploads periodically, without a mail server and without a new upload', async () => {
    await using database = await createTestDatabase(migratedTemplate);
    await using test = await startTestApi(database.url);
    const { context } = test.api;
    const { sql } = context;
    const userId = await addUser(sql);
    const clock = createVirtualClock();
    const service = await housekeeping({ ...context, clock });
    const count = async (): Promise<[number, number]> => {
      const [row] = await sql<{ mails: number; uploads: number }[]>`
        SELECT (SELECT count(*) FROM outgoing_mail) AS mails, (SELECT count(*) FROM roast_uploads) AS uploads`;
      return [row?.mails ?? 0, row?.uploads ?? 0];
    };
    for (let round = 0; round < 2; round++) {
      const uploadId = await addUpload(sql, userId);
      await addUpload(sql, userId);
      for (const days of [0, 400]) {
        await sql`
          INSERT INTO outgoing_mail (id, recipients, subject, body, created_at)
          VALUES (${uuidV7()}, ARRAY['a@example.com'], 'Low stock', 'x', now() - make_interval(days => ${days}))`;
      }
      await sql`UPDATE roast_uploads SET created_at = now() - interval '40 days' WHERE id = ${uploadId}`;
      await clock.advance(3_600_000);
      await until('the old rows to go', async () => (await count()).join() === `${round + 1},${round + 1}`);
    }
    await service.close();
    expect(await count()).toEqual([2, 2]);
  });
});
