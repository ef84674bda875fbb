import { createTestDatabase } from '@roastery/testing/test-database';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { doSomething } from './operations.ts';
import { readRawRows } from './raw-rows.ts';
import { expectAnalytics } from './recount-analytics.ts';
import { expectMachinesAndStats, expectRoastList } from './recount-roasts.ts';
import {
  expectAlerts,
  expectBlendsAndPlans,
  expectInventory,
  expectLedgerHolds,
  expectRecipes,
} from './recount-store.ts';
import type { Viewer } from './viewer.ts';
import { createWorld, type World } from './world.ts';
import { machineOperations } from './desk-operations.ts';
import { lotOperations, recipeOperations } from './store-operations.ts';
import { roastOperations } from './roast-operations.ts';
import { chanceFrom } from '../seeded-random.ts';
import { startTestApi, testAdmin, type TestApi } from '../test-api.ts';

/**
 * RECOUNT_SEED selects other operations than the default ones ('random': new ones each time), RECOUNT_OPERATIONS more
 * of them.
 */
const wanted = process.env['RECOUNT_SEED'] ?? '11';
const seed = wanted === 'random' ? Math.floor(Math.random() * 2 ** 31) : Number(wanted);
/** RECOUNT_AT_ONCE runs this many concurrently: then a seed repeats the operations, but not their results. */
const atOnce = Number(process.env['RECOUNT_AT_ONCE'] ?? 1);

/** Lets three people and their boards do this many random things, and counts again. */
export const describeRecount = (least: number): void => {
  const operations = Number(process.env['RECOUNT_OPERATIONS'] ?? least);
  describe(`after ${operations} random operations of three people and their boards (RECOUNT_SEED=${seed})`, () => {
    let database: Awaited<ReturnType<typeof createTestDatabase>>;
    let test: TestApi;
    let world: World;
    let viewers: Viewer[];

    beforeAll(
      async () => {
        database = await createTestDatabase();
        test = await startTestApi(database.url);
        const { sql } = test.api.context;
        const admin = await test.signedIn(testAdmin.email, testAdmin.password);
        viewers = [];
        for (const name of ['Ada', 'Bob']) {
          const account = { full_name: name, email: `${name}@example.com`, password: `a long phrase for ${name}` };
          const { body } = await admin.send<{ id: string }>('POST', '/admin/users', account);
          const visitor = await test.signedIn(account.email.toLowerCase(), account.password);
          viewers.push({ visitor, id: body.id, isAdmin: false });
        }
        const { body: me } = await admin.send<{ id: string }>('GET', '/auth/me');
        world = createWorld(sql, admin, [...viewers], chanceFrom(seed));
        viewers.unshift({ visitor: admin, id: me.id, isAdmin: true });
        // Some records of every kind to start with.
        for (const list of [machineOperations, lotOperations, recipeOperations, roastOperations]) {
          for (let k = 0; k < 4; k++) await list[0]?.run(world);
        }
        for (let k = 0; k < operations; k += atOnce) {
          await Promise.all(Array.from({ length: atOnce }, () => doSomething(world)));
        }
      },
      60_000 + operations * 100,
    );
    afterAll(async () => {
      await test.close();
      await database.drop();
    });

    it('most of them succeeded, including some of every call that was often tried', () => {
      const tallies = [...world.tallies];
      const never = tallies.filter(([, { done, refused }]) => done === 0 && refused > 10).map(([call]) => call);
      expect(never).toEqual([]);
      expect(tallies.length).toBeGreaterThan(30);
      const done = tallies.reduce((sum, [, tally]) => sum + tally.done, 0);
      const refused = tallies.reduce((sum, [, tally]) => sum + tally.refused, 0);
      expect(done / (done + refused)).toBeGreaterThan(0.7);
    });

    it('the ledger is the sum of its movements and of the green coffee that roasts consumed', async () => {
      const rows = await readRawRows(test.api.context.sql);
      expect(rows.movements.length).toBeGreaterThan(rows.lots.length);
      expectLedgerHolds(rows);
    });

    it.each([0, 1, 2])(
      'stock, alerts, recipes, machines, statistics, lists and blends equal a recount, for person %i',
      async (who) => {
        const viewer = viewers[who];
        if (viewer === undefined) throw new Error('no viewer');
        const rows = await readRawRows(test.api.context.sql);
        expect(rows.roasts.length).toBeGreaterThan(20);
        await expectInventory(viewer, rows);
        await expectRecipes(viewer, rows);
        await expectAlerts(viewer, rows);
        await expectMachinesAndStats(viewer, rows);
        await expectRoastList(viewer, rows);
        await expectBlendsAndPlans(viewer, rows);
      },
    );

    it.each([0, 1, 2])('analytics by every period and grouping equal a recount, for person %i', async (who) => {
      const viewer = viewers[who];
      if (viewer === undefined) throw new Error('no viewer');
      const rows = await readRawRows(test.api.context.sql);
      expect(rows.roasts.length).toBeGreaterThan(20);
      await expectAnalytics(viewer, rows);
    });
  });
};
