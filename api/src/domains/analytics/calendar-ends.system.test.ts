import { endpoints } from '@roastery/contract/endpoints';
import { logRoast } from '@roastery/contract/imports';
import { createLot } from '@roastery/contract/inventory';
import { uuidV7 } from '@roastery/runtime/uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestApi, type OpenedTestApi } from '../../testing/test-api.ts';

const refused = ['0000-01-01', '0001-01-01', '1899-12-31', '2201-01-01', '9999-12-31'];
const taken = ['1900-01-01', '2200-12-31'];

/** Every endpoint whose query takes a span of days or times. */
const withSpan = endpoints.filter(
  ({ query }) => query !== undefined && 'shape' in query && 'from' in (query.shape as object),
);

describe('the ends of the calendar', () => {
  let opened: OpenedTestApi;
  beforeAll(async () => {
    opened = await openTestApi();
  });
  afterAll(() => opened.close());

  it('queries: refuse days outside 1900 to 2200 with 422 and answer at both ends', async () => {
    const { admin } = opened;
    expect(withSpan.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['analyticsGreen', 'analyticsProduction', 'listRoasts', 'getTimeline']),
    );
    for (const { name, path } of withSpan) {
      const isOfMoments = name === 'getTimeline';
      const ends = (day: string): string =>
        isOfMoments ? `from=${day}T00:00:00Z&to=${day}T12:00:00Z` : `from=${day}&to=${day}`;
      const at = path.replaceAll('{by}', 'machine').replaceAll(/\{\w+\}/g, uuidV7());
      for (const period of ['', '&period=day', '&period=week', '&period=month']) {
        for (const day of refused) {
          const { status, body } = await admin.send('GET', `${at}?${ends(day)}${period}`);
          expect([status, body], `${name} ${day}`).toMatchObject([
            422,
            { detail: [{ field: 'from' }, { field: 'to' }] },
          ]);
        }
        for (const day of taken) {
          expect((await admin.send('GET', `${at}?${ends(day)}${period}`)).status, `${name} ${day}`).not.toBe(422);
        }
      }
    }
  });

  it('bodies: refuse roasts and lots outside 1900 to 2200 with 422', async () => {
    const { admin } = opened;
    const roast = { coffee_name: 'Guji', duration_seconds: 600, batch_size_kg: 1 };
    const lot = { lot_number: 'C-1', coffee_name: 'Guji', origin: 'Ethiopia', initial_weight: 1 };
    for (const day of refused) {
      const { status } = await admin.send('POST', logRoast.path, { ...roast, start_time: `${day}T10:00:00Z` });
      expect(status, day).toBe(422);
      for (const field of ['harvest_date', 'purchase_date']) {
        for (const value of [day, `${day}T10:00:00Z`]) {
          expect((await admin.send('POST', createLot.path, { ...lot, [field]: value })).status, value).toBe(422);
        }
      }
    }
  });

  it('analytics: answer although wrong clocks of boards date roasts at both ends of the calendar', async () => {
    const { admin, test } = opened;
    const me = await admin.send<{ id: string }>('GET', '/auth/me');
    for (const at of ['0044-03-15 BC', '0001-01-01', '1970-01-01', '2026-11-21', '12000-01-01', '275760-09-13']) {
      await test.api.context.sql`
        INSERT INTO roasts (id, owner_id, roast_number, status, start_time)
        VALUES (${uuidV7()}, ${me.body.id}, ${at}, 'completed', ${`${at} 10:00+00`}::text::timestamptz)`;
    }
    expect((await admin.send('GET', '/roasts')).status).toBe(200);
    for (const name of ['production', 'green']) {
      for (const query of ['', '?period=day', '?from=1900-01-01', '?to=2200-12-31', '?from=2026-01-01&to=2026-12-31']) {
        const { status, body } = await admin.send<{ periods: { from: string }[] }>('GET', `/analytics/${name}${query}`);
        expect(status, `${name}${query} ${JSON.stringify(body).slice(0, 300)}`).toBe(200);
        expect(
          body.periods.every(({ from }) => /^\d{4}-\d{2}-\d{2}$/.test(from)),
          `${name}${query}`,
        ).toBe(true);
      }
    }
  });
});
