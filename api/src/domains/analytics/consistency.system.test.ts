import type { analyticsConsistency, analyticsGreen, analyticsRecipeConsistency } from '@roastery/contract/analytics';
import type { ResponseOf } from '@roastery/contract/endpoint';
import { uuidV7 } from '@roastery/runtime/uuid';
import { createJournalBoard } from '@roastery/testing/journal-board';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commitMessages } from '../../ingest/store-batch.ts';
import { markEvent, messageOf, openMigratedDatabase, registerMachine } from '../../testing/ingest-fixture.ts';
import { startTestApi, testAdmin, type TestApi } from '../../testing/test-api.ts';
import type { Visitor } from '../../testing/visitor.ts';

type Consistency = ResponseOf<typeof analyticsConsistency>;
type Green = ResponseOf<typeof analyticsGreen>;

const password = 'a long phrase for everybody here';
const control_profile = [
  { time: 0, burner: 100, exhaust: 30, drum: 60 },
  { time: 720, burner: 0, exhaust: 90, drum: 30 },
];

const readRecipes = (who: Visitor, query = '') =>
  who.send<ResponseOf<typeof analyticsRecipeConsistency>>('GET', `/analytics/consistency?${query}`);

const green = async (who: Visitor, query = ''): Promise<Green> =>
  (await who.send<Green>('GET', `/analytics/green?${query}`)).body;

describe('green coffee and consistency', () => {
  let database: Awaited<ReturnType<typeof openMigratedDatabase>>;
  let test: TestApi;
  let admin: Visitor;
  let ada: Visitor;
  let bob: Visitor;
  let profileId: string;
  let roastedDay = Date.parse('2026-09-01T10:00:00Z');

  /** Ten minutes at 1 Hz that rise from 100 °C by 0.15 °C per second, all `offset` °C higher; each a day later. */
  const roast = async (serial: string, offset: number, edit: Record<string, unknown>, by: Visitor): Promise<string> => {
    const id = uuidV7();
    roastedDay += 86_400_000;
    const board = createJournalBoard({ wallOffsetMs: roastedDay });
    const seqs: number[] = [];
    for (let second = 0; second <= 620; second++) {
      seqs.push(board.sample(second * 1000, 100 + offset + 0.15 * (second - 10), 200, 50));
    }
    const end = 625_000;
    const at = (second: number) => ({ seq: seqs[second] ?? 0, mono: second * 1000 });
    board.event(end, { type: 'roast', roast_id: id, state: 'in_progress' });
    board.event(end, markEvent(id, 'charge', at(10), null));
    board.event(end, markEvent(id, 'drop', at(610), null));
    board.event(end, { type: 'roast', roast_id: id, state: 'completed' });
    await commitMessages(
      database.sql,
      board.batches().map((batch) => messageOf(serial, batch)),
    );
    expect((await by.send('PUT', `/roasts/${id}`, edit)).status).toBe(200);
    return id;
  };
  const consistency = async (who: Visitor, query = ''): Promise<Consistency> =>
    (await who.send<Consistency>('GET', `/analytics/consistency/${profileId}?${query}`)).body;
  const newLot = async (lot_number: string, cost_per_kg: number | null): Promise<string> => {
    const body = { lot_number, coffee_name: 'Kochere', origin: 'Ethiopia', initial_weight: 100, cost_per_kg };
    return (await admin.send<{ id: string }>('POST', '/inventory/lots', body)).body.id;
  };

  beforeAll(async () => {
    database = await openMigratedDatabase();
    test = await startTestApi(database.url);
    admin = await test.signedIn(testAdmin.email, testAdmin.password);
    await admin.send('PUT', '/settings/roastery', { time_zone: 'UTC' });
    const enter = async (name: string, serial: string): Promise<Visitor> => {
      const account = { full_name: name, email: `${name}@example.org`, password };
      const { id } = (await admin.send<{ id: string }>('POST', '/admin/users', account)).body;
      await registerMachine(database.sql, serial, id);
      return test.signedIn(account.email, password);
    };
    ada = await enter('ada', 'A');
    bob = await enter('bob', 'B');
    profileId = (await admin.send<{ id: string }>('POST', '/profiles', { name: 'House', control_profile })).body.id;
  });
  afterAll(async () => {
    await test.close();
    await database[Symbol.asyncDispose]();
  });

  it('consistency: measures the distance from the reference roast, for visible roasts only', async () => {
    expect(await consistency(ada)).toMatchObject({ reference: null, roasts: [], total: 0, mean_rms: null, band: null });
    const first = await roast('A', 0, { profile_id: profileId }, ada);
    const warm = await roast('A', 3, { profile_id: profileId }, ada);
    const hot = await roast('A', 8, { profile_id: profileId }, ada);
    const foreign = await roast('B', 50, { profile_id: profileId, cupping_score: 90 }, bob);

    // Without a reference roast the others are compared with the median one.
    const own = await consistency(ada);
    expect(own.reference).toMatchObject({ id: warm, source: 'most_typical' });
    expect(own.roasts.map(({ id, distance }) => [id, distance?.rms])).toEqual([
      [hot, 5],
      [warm, 0],
      [first, 3],
    ]);
    expect(own.mean_rms).toBeCloseTo(4, 5);
    expect(own.total).toBe(3);
    const at = own.band?.time_seconds.indexOf(300) ?? -1;
    expect([own.band?.reference[at], own.band?.middle[at]]).toEqual([148, 148]);
    expect(own.band?.low[at]).toBeCloseTo(145.6, 5);
    expect(own.band?.high[at]).toBeCloseTo(152, 5);

    // Each figure opens exactly the roasts it counts.
    const picked = await ada.send<{ roasts: { id: string }[]; total: number }>(
      'GET',
      `/roasts?ids=${[first, hot, foreign].join(',')}`,
    );
    expect(picked.body).toMatchObject({ roasts: [{ id: hot }, { id: first }], total: 2 });
    expect((await ada.send('GET', `/roasts?ids=${first},x`)).status).toBe(422);

    // An admin sees Bob's roast, which has the highest cupping score.
    const all = await consistency(admin);
    expect(all.reference).toMatchObject({ id: foreign, source: 'best_rated' });
    expect(all.roasts.map(({ distance }) => distance?.rms)).toEqual([0, 42, 47, 50]);

    const { revision } = (await ada.send<{ revision: number }>('GET', `/profiles/${profileId}`)).body;
    const chosen = { name: 'House', control_profile, reference_roast_id: first, revision };
    expect((await ada.send('PUT', `/profiles/${profileId}`, chosen)).status).toBe(200);
    expect((await consistency(ada)).roasts.map(({ distance }) => distance?.rms)).toEqual([8, 3, 0]);
    expect((await consistency(ada, 'from=2026-09-04')).roasts.map(({ id }) => id)).toEqual([hot]);
    expect((await bob.send('GET', `/analytics/consistency/${uuidV7()}`)).status).toBe(404);
  });

  it('consistency: follows a mark moved by hand, although curves are cached', async () => {
    const before = await consistency(ada);
    const moved = before.roasts[0]?.id ?? '';
    expect((await ada.send('PUT', `/roasts/${moved}/marks/charge`, { time_seconds: 20 })).status).toBe(200);
    const after = await consistency(ada);
    // Twenty seconds later on the same line is 3 °C higher.
    expect(after.roasts[0]?.distance?.rms).toBeCloseTo((before.roasts[0]?.distance?.rms ?? 0) + 3, 1);
  });

  it('consistency of all recipes: lists the least consistent first, with the figures of their own pages', async () => {
    const { id: steady } = (await admin.send<{ id: string }>('POST', '/profiles', { name: 'Steady', control_profile }))
      .body;
    for (const offset of [0, 1, 2]) await roast('A', offset, { profile_id: steady }, ada);
    const { body } = await readRecipes(ada);
    expect(body.recipes.map(({ name, roasts, compared }) => [name, roasts, compared])).toEqual([
      ['House', 3, 2],
      ['Steady', 3, 2],
    ]);
    expect(body).toMatchObject({ total: 2, recipes: [{ source: 'chosen' }, { source: 'most_typical' }] });
    for (const { id, mean_rms: mean, max_rms: worst } of body.recipes) {
      const page = (await ada.send<Consistency>('GET', `/analytics/consistency/${id}`)).body;
      expect(mean).toBe(page.mean_rms);
      expect(worst).toBe(Math.max(...page.roasts.map(({ distance }) => distance?.rms ?? 0)));
    }
    // Bob sees his own roast of the first recipe, but no other one to compare it with.
    expect((await readRecipes(bob)).body).toMatchObject({
      total: 1,
      recipes: [{ name: 'House', compared: 0, mean_rms: null }],
    });
    expect((await readRecipes(ada, 'from=2030-01-01')).body).toEqual({ recipes: [], total: 0 });
  });

  it('green coffee: weights and cost equal the ledger, also after edits and deletions', async () => {
    const dear = await newLot('DEAR', 9.5);
    const plain = await newLot('PLAIN', null);
    const one = await roast('A', 0, { lot_id: dear, batch_size_kg: 12.5 }, ada);
    await roast('A', 0, { lot_id: plain, batch_size_kg: 7 }, ada);
    await roast('A', 0, { batch_size_kg: 3 }, ada);
    const doomed = await roast('A', 0, { lot_id: dear, batch_size_kg: 5 }, ada);
    await roast('B', 0, { lot_id: dear, batch_size_kg: 2 }, bob);
    await ada.send('PUT', `/roasts/${one}`, { batch_size_kg: 11.25 });
    await ada.send('DELETE', `/roasts/${doomed}`);
    await admin.send('POST', `/inventory/lots/${dear}/adjust`, { kg: -1, note: 'sample' });

    const own = await green(ada);
    expect(own.totals).toEqual({ kg: 18.25, cost: 106.875, kg_without_cost: 7, roasts: 2 });
    expect(own.kg_without_lot).toBe(3);
    expect(own.lots.map(({ lot_number, kg, cost, roasts }) => [lot_number, kg, cost, roasts])).toEqual([
      ['DEAR', 11.25, 106.875, 1],
      ['PLAIN', 7, 0, 1],
    ]);
    expect(own.periods.reduce((sum, { kg }) => sum + kg, 0)).toBe(18.25);
    const all = await green(admin, 'period=month&limit=1');
    expect(all).toMatchObject({
      totals: { kg: 20.25, roasts: 3 },
      total_lots: 2,
      lots: [{ kg: 13.25, cost: 125.875 }],
    });
    const [ledger] = await database.sql<
      { kg: number }[]
    >`SELECT -sum(kg) AS kg FROM lot_movements WHERE roast_id IS NOT NULL`;
    expect(all.totals.kg).toBe(ledger?.kg);
    const listed = await ada.send<{ total: number }>('GET', `/roasts?lot_id=${dear}&limit=1`);
    expect(listed.body.total).toBe(own.lots[0]?.roasts);
  });
});
