import { me } from '@roastery/contract/auth';
import { bigTables, tooMuchRead } from '@roastery/testing/large-roastery/read-share';
import { planInLine, planNotices, type ToldPlan } from '@roastery/testing/large-roastery/query-plans';
import { seedLargeRoastery } from '@roastery/testing/large-roastery/seed';
import { startTestPostgres, type TestPostgres } from '@roastery/testing/test-postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listLostNumbers } from './domains/planned/batch-number.ts';
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
  '/roasts?limit=100&offset=2900',
  '/roasts?level=Light&sort=-start_time',
  '/roasts?without=weight',
  '/inventory/lots',
  '/inventory/lots?q=kochere&sort=-current_weight',
  '/inventory/lots?limit=100&offset=2500',
  '/profiles?limit=500',
  '/profiles?limit=50&q=recipe%202321',
  '/machines?sort=most_roasts',
  '/dashboard/stats',
  '/blends/roasts',
];

/** Master data that a search scans because it has no word index: tens of milliseconds for 10,000 rows. */
const readThrough: Readonly<Record<string, string>> = {
  '/inventory/lots?q=kochere&sort=-current_weight': 'lots',
  '/profiles?limit=50&q=recipe%202321': 'profiles',
};

const rowsRead = (plans: readonly ToldPlan[], table: string): number =>
  plans.flatMap(({ reads }) => reads).reduce((sum, read) => sum + (read.table === table ? read.rows : 0), 0);

describe('lists of 3,000 rows', () => {
  let postgres: TestPostgres;
  let api: TestApi;
  let owner: Visitor;
  let admin: Visitor;
  let big: ReadonlyMap<string, number>;

  beforeAll(async () => {
    // A separate Postgres, which reports how it executed each statement.
    postgres = await startTestPostgres(planNotices);
    api = await startTestApi(postgres.url);
    admin = await api.signedIn(testAdmin.email, testAdmin.password);
    const { body } = await admin.send<{ id: string }>('POST', '/admin/users', { full_name: 'Rosa Lind', ...roaster });
    const { body: own } = await admin.send<{ id: string }>('GET', me.path);
    const sizes = { users: 20, machines: 25, lots: 3000, recipes: 3000, roasts: 3000, curves: 40, audit: 3000 };
    await seedLargeRoastery(postgres.url, sizes, { adminId: own.id, roasterId: body.id });
    owner = await api.signedIn(roaster.email, password);
    big = await bigTables(postgres.url, 2500);
  });
  afterAll(async () => {
    await api?.close();
    await postgres?.close();
  });

  const plansSince = (length: number): ToldPlan[] =>
    api
      .log()
      .slice(length)
      .split('\n')
      .map(planInLine)
      .filter((plan): plan is ToldPlan => plan !== undefined);

  const plansOf = async (who: Visitor, path: string): Promise<ToldPlan[]> => {
    const before = api.log().length;
    expect((await who.send('GET', path)).status).toBe(200);
    return plansSince(before);
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
    expect(tooMuchRead(plansSince(before), big)).toHaveLength(1);
  });

  // The number of each roast contains the letters PR.
  it.each(['', '?state=lost', '?state=planned', '?q=zebra', '?q=PR-0'])(
    '/batch-numbers%s joins few roasts with their numbers',
    async (query) => {
      for (const who of [admin, owner]) {
        const plans = await plansOf(who, `/batch-numbers${query}`);
        expect(rowsRead(plans, 'roasts')).toBeLessThan(2000);
        expect(tooMuchRead(plans, new Map([['roasts', big.get('roasts') ?? 0]]))).toEqual([]);
      }
    },
  );

  it('consistency of recipes: reads the newest and the best roast of a recipe with thousands', async () => {
    const { sql } = api.api.context;
    await sql`
      UPDATE roasts SET profile_id = (SELECT id FROM profiles WHERE archived_at IS NULL ORDER BY id LIMIT 1), charge_seq = 1
      WHERE recording_id IS NULL AND status = 'completed'`;
    await sql`ANALYZE roasts`;
    const plans = await plansOf(admin, '/analytics/consistency');
    const curves = plans.filter(({ statement }) => statement.includes('profile_of'));
    expect(curves.length).toBeGreaterThan(1);
    expect(rowsRead(curves, 'roasts')).toBeLessThan(1000);
  });

  it('lost batch numbers: reads no number that was already checked', async () => {
    const { sql } = api.api.context;
    await listLostNumbers(sql);
    const before = api.log().length;
    await listLostNumbers(sql);
    expect(rowsRead(plansSince(before), 'batch_numbers')).toBeLessThan(20);
  });

  describe('a roast of a recording that spans years', () => {
    const boots = 3000;
    let id: string;

    beforeAll(async () => {
      const { sql } = api.api.context;
      const [roast] = await sql<{ id: string; recording_id: string }[]>`
        UPDATE roasts SET status = 'aborted', status_seq = charge_seq + 400, drop_seq = NULL, drop_mono_ms = NULL
        WHERE id = (SELECT r.id FROM roasts r JOIN recordings c ON c.id = r.recording_id
                    WHERE c.source = 'agent' AND r.drop_seq IS NOT NULL ORDER BY r.start_time LIMIT 1)
        RETURNING id, recording_id`;
      if (roast === undefined) throw new Error('no roast has a curve');
      ({ id } = roast);
      await sql`
        INSERT INTO recording_boots (recording_id, boot_no, boot_id, wall_offset_ms, quality)
        SELECT ${roast.recording_id}, 1000 + n, 'night ' || n, 0, 2 FROM generate_series(1, ${boots}::int) n`;
      await sql`
        INSERT INTO recording_chunks (recording_id, first_seq, boot_no, layout_no, mono_ms, dt_ms, "values")
        SELECT ${roast.recording_id}, 10000000 + n, 1000 + n, 0, 0, '{0}', '{1,2,3,4,5,6,7,8}' FROM generate_series(1, ${boots}::int) n`;
      await sql`ANALYZE recording_boots, recording_chunks`;
    });

    it.each(['', '/curve/columns', '/export/xlsx'])('%s reads only its own boots and chunks', async (what) => {
      const plans = await plansOf(admin, `/roasts/${id}${what}`);
      expect(rowsRead(plans, 'recording_chunks')).toBeGreaterThan(0);
      expect(rowsRead(plans, 'recording_chunks')).toBeLessThan(100);
      expect(rowsRead(plans, 'recording_boots')).toBeLessThan(20);
    });
  });
});
