import { uuidV7 } from '@roastery/runtime/uuid';
import { createTestDatabase } from '@roastery/testing/test-database';
import { until } from '@roastery/testing/until';
import { describe, expect, it } from 'vitest';
import { createHousekeeping } from './housekeeping.ts';
import { addUpload, addUser } from './testing/example-data.ts';
import { startTestApi } from './testing/test-api.ts';
import { migratedTemplate } from './testing/ingest-fixture.ts';

describe('housekeeping', () => {
  it('removes mails and uploads again and again, without a mail server and without a new upload', async () => {
    await using database = await createTestDatabase(migratedTemplate);
    await using test = await startTestApi(database.url);
    const { context } = test.api;
    const { sql } = context;
    const userId = await addUser(sql);
    const service = await createHousekeeping(50)(context);
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
      await until('the old rows to go', async () => (await count()).join() === `${round + 1},${round + 1}`);
    }
    await service.close();
    expect(await count()).toEqual([2, 2]);
  });
});
