import { me } from '@roastery/contract/auth';
import { bigTables, tooMuchRead } from '@roastery/testing/large-roastery/read-share';
import { planInLine, planNotices, type ToldPlan } from '@roastery/testing/large-roastery/query-plans';
import { seedLargeRoastery } from '@roastery/testing/large-roastery/seed';
import { startTestPostgres, type TestPostgres } from '@roastery/testing/test-postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApi, testAdmin, type TestApi } from './testing/test-api.ts';
import type { Visitor } from './testing/visitor.ts';

const password = 'a long phrase for the one who roasts';
const roaster = { email: 'roaster@example.com', password };

/** The pages that everyone opens every day. */
const lists: readonly string[] = [
  '/roasts',
  '/roasts?sort=-coffee_name',
  '/roasts?sort=-batch_size_kg',
  '/roasts?q=kochere',
  '/roasts?limit=100&offset=9900',
  '/roasts?level=Light&sort=-start_time',
  '/inventory/lots',
  '/inventory/lots?q=kochere&sort=-current_weight',
  '/inventory/lots?limit=100&offset=9200',
  '/profiles?limit=500',
  '/profiles?limit=50&q=recipe%207321',
  '/machines?sort=most_roasts',
  '/dashboard/stats',
  '/blends/roasts',
];

/** Master data that a search reads through, having no index of words: tens of milliseconds for 10,000. */
const readThrough: Readonly<Record<string, string>> = {
  '/inventory/lots?q=kochere&sort=-current_weight': 'lots',
  '/profiles?limit=50&q=recipe%207321': 'profiles',
};

describe('lists of 10,000 rows', () => {
  let postgres: TestPostgres;
  let api: TestApi;
  let owner: Visitor;
  let admin: Visitor;
  let big: ReadonlyMap<string, number>;

  beforeAll(async () => {
    // A Postgres of its own, which reports how it ran each statement.
    postgres = await startTestPostgres(planNotices);
    api = await startTestApi(postgres.url);
    admin = await api.signedIn(testAdmin.email, testAdmin.password);
    const { body } = await admin.send<{ id: string }>('POST', '/admin/users', { full_name: 'Rosa Lind', ...roaster });
    const { body: own } = await admin.send<{ id: string }>('GET', me.path);
    const sizes = { users: 20, machines: 25, lots: 10_000, recipes: 10_000, roasts: 10_000, curves: 40, audit: 10_000 };
    await seedLargeRoastery(postgres.url, sizes, { adminId: own.id, roasterId: body.id });
    owner = await api.signedIn(roaster.email, password);
    big = await bigTables(postgres.url);
  });
  afterAll(async () => {
    await api?.close();
    await postgres?.close();
  });

  const plansOf = async (who: Visitor, path: string): Promise<ToldPlan[]> => {
    const before = api.log().length;
    expect((await who.send('GET', path)).status).toBe(200);
    return api
      .log()
      .slice(before)
      .split('\n')
      .map(planInLine)
      .filter((plan): plan is ToldPlan => plan !== undefined);
  };

  it('are read from big tables', () => {
    expect([...big.keys()]).toEqual(expect.arrayContaining(['roasts', 'lot_movements', 'roast_marks', 'audit_log']));
  });

  it.each(lists)('%s reads less than a tenth of a big table unnecessarily', async (path) => {
    for (const who of [admin, owner]) {
      const plans = await plansOf(who, path);
      expect(plans.length).toBeGreaterThan(1);
      const indexed = new Map([...big].filter(([table]) => table !== readThrough[path]));
      expect(tooMuchRead(plans, indexed)).toEqual([]);
    }
  });

  it('detects a table that is read unnecessarily', async () => {
    const before = api.log().length;
    await api.api.context.sql`SELECT count(*) FROM roasts WHERE notes = 'in no index'`;
    const plans = api.log().slice(before).split('\n').map(planInLine);
    expect(
      tooMuchRead(
        plans.filter((plan): plan is ToldPlan => plan !== undefined),
        big,
      ),
    ).toHaveLength(1);
  });
});
