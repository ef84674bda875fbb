import { createDatabaseOn } from '@roastery/testing/database-on-server';
import { hangPostgres } from '@roastery/testing/hung-postgres';
import { startTestPostgres, type TestPostgres } from '@roastery/testing/test-postgres';
import { until } from '@roastery/testing/until';
import { createVirtualClock } from '@roastery/testing/virtual-clock';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApi, testAdmin, type TestApi } from '../testing/test-api.ts';
import type { Visitor } from '../testing/visitor.ts';

const lot = { lot_number: 'L-1', coffee_name: 'Guji', origin: 'Ethiopia', initial_weight: 60 };

describe('a Postgres that does not do its work', () => {
  const clock = createVirtualClock();
  let server: TestPostgres;
  let database: Awaited<ReturnType<typeof createDatabaseOn>>;
  let test: TestApi;
  let admin: Visitor;
  beforeAll(async () => {
    // Statements that need room fail, as on a full disk.
    server = await startTestPostgres({ temp_file_limit: '0' });
    database = await createDatabaseOn(server.url);
    test = await startTestApi(database.url, {}, undefined, clock);
    admin = await test.signedIn(testAdmin.email, testAdmin.password);
  });
  afterAll(async () => {
    await test.close();
    await database[Symbol.asyncDispose]();
    await server.close();
  });

  it('readyz: reports a database that gets no room on its disk, while pages are still read', async () => {
    const answer = await fetch(`${test.url}/readyz`);
    expect([answer.status, await answer.json()]).toEqual([503, expect.objectContaining({ database: false })]);
    expect(test.log()).toContain('database can not write');
    expect((await admin.send('GET', '/machines')).status).toBe(200);
  });

  it('requests: are answered with 503 within 15 s while Postgres hangs, then immediately, and nothing of them is stored', async () => {
    expect((await admin.send('POST', '/inventory/lots', { ...lot, lot_number: 'L-0' })).status).toBe(201);
    const ask = async (method: string, path: string, body?: object) => {
      const answer = await admin.send<{ code: string }>(method, path, body);
      const retryAfter = Number(answer.headers.get('retry-after'));
      return { status: answer.status, code: answer.body.code, retryAfter };
    };

    const hung = await hangPostgres(database.url);
    try {
      const answers = [
        ...Array.from({ length: 200 }, () => ask('GET', '/machines')),
        ask('POST', '/inventory/lots', lot),
      ];
      await until('every request to wait', () => test.api.context.databaseWatch.waiting === answers.length);
      await clock.advance(15_000);
      for (const answer of await Promise.all(answers)) {
        expect(answer).toMatchObject({ status: 503, code: 'not_ready' });
        expect(answer.retryAfter).toBeGreaterThan(0);
      }
      // Time stands still: this one waits for nothing.
      const later = await ask('GET', '/machines');
      expect(later).toMatchObject({ status: 503, code: 'not_ready' });
      const ready = fetch(`${test.url}/readyz`);
      expect((await clock.run(ready)).status).toBe(503);
      expect((await fetch(`${test.url}/healthz`)).status).toBe(200);
    } finally {
      hung.resume();
    }
    const isWorking = async () => (await ask('GET', '/machines')).status === 200;
    await until('the api to work again', clock.passing(isWorking), { timeoutMs: 60_000 });
    const { body } = await admin.send<{ lots: { lot_number: string }[] }>('GET', '/inventory/lots');
    expect(body.lots.map((row) => row.lot_number)).toEqual(['L-0']);
  });
});
