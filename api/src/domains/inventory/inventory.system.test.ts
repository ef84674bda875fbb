import type { Lot, LotMovement } from '@roastery/contract/inventory';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addRoast } from '../../testing/example-data.ts';
import { type OpenedTestApi, openTestApi, type TestApi } from '../../testing/test-api.ts';
import type { Visitor } from '../../testing/visitor.ts';

const form = { lot_number: 'ETH-1', coffee_name: 'Guji', origin: 'Ethiopia', initial_weight: 60, cost_per_kg: 8.5 };

describe('lots', () => {
  let opened: OpenedTestApi;
  let test: TestApi;
  let admin: Visitor;
  let lot: Lot;
  beforeAll(async () => {
    opened = await openTestApi();
    ({ test, admin } = opened);
  });
  afterAll(() => opened.close());
  const get = async (id = lot.id): Promise<Lot> => (await admin.send<Lot>('GET', `/inventory/lots/${id}`)).body;
  const movements = async (): Promise<LotMovement[]> =>
    (await admin.send<{ movements: LotMovement[] }>('GET', `/inventory/lots/${lot.id}/movements`)).body.movements;

  it('are created with their weight as the first movement', async () => {
    const answer = await admin.send<Lot>('POST', '/inventory/lots', { ...form, harvest_date: '2026-01-31' });
    expect(answer.status).toBe(201);
    lot = answer.body;
    expect(lot).toMatchObject({
      current_weight: 60,
      percentage_remaining: 100,
      status: 'Available',
      estimated_runout_days: null,
      harvest_date: '2026-01-31T00:00:00.000Z',
      revision: 1,
    });
    expect((await movements()).map(({ kg, reason, by }) => ({ kg, reason, by }))).toEqual([
      { kg: 60, reason: 'initial', by: 'Administrator' },
    ]);
    const again = await admin.send<{ code: string }>('POST', '/inventory/lots', form);
    expect([again.status, again.body.code]).toEqual([409, 'already_exists']);
  });

  it('change by the difference when the initial weight is edited, and refuse an outdated edit', async () => {
    const edited = await admin.send<Lot>('PUT', `/inventory/lots/${lot.id}`, {
      ...form,
      initial_weight: 59.4,
      revision: 1,
    });
    expect(edited.body).toMatchObject({ initial_weight: 59.4, current_weight: 59.4, revision: 2, harvest_date: null });
    const late = await admin.send<{ code: string }>('PUT', `/inventory/lots/${lot.id}`, { ...form, revision: 1 });
    expect([late.status, late.body.code]).toEqual([409, 'changed_meanwhile']);
    expect((await get()).lot_number).toBe('ETH-1');
  });

  it('are adjusted with a reason, exactly, also by many requests at once [P172]', async () => {
    const path = `/inventory/lots/${lot.id}/movements`;
    const nameless = await admin.send<{ detail: unknown }>('POST', path, { kg: -1, note: ' ' });
    expect(nameless.body.detail).toEqual([{ field: 'note', message: 'Enter a reason' }]);
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, i) => admin.send('POST', path, { kg: i % 2 ? -0.1 : 0.3, note: 'count' })),
    );
    expect(answers.every((answer) => answer.status === 201)).toBe(true);
    expect((await get()).current_weight).toBe(63.4);
    const ledger = await movements();
    expect(ledger[0]?.balance_kg).toBe(63.4);
    const balances = ledger.map((movement) => movement.balance_kg).reverse();
    const sums = ledger.map((movement) => movement.kg).reverse();
    let sum = 0;
    expect(balances).toEqual(sums.map((kg) => (sum = Math.round((sum + kg) * 1e6) / 1e6)));
  });

  it('status: in use, reserved, depleted, available again [P177]', async () => {
    const { sql } = test.api.context;
    const edit = (is_reserved: boolean) => admin.send('PUT', `/inventory/lots/${lot.id}`, { ...form, is_reserved });
    const adjust = (kg: number) => admin.send('POST', `/inventory/lots/${lot.id}/movements`, { kg, note: 'x' });
    await edit(true);
    expect((await get()).status).toBe('Reserved');
    const [owner] = await sql<{ id: string }[]>`SELECT id FROM users LIMIT 1`;
    const roastId = await addRoast(sql, owner?.id ?? '');
    await sql`UPDATE roasts SET lot_id = ${lot.id}, status = 'in_progress' WHERE id = ${roastId}`;
    expect((await get()).status).toBe('In Use');
    await sql`UPDATE roasts SET status = 'completed' WHERE id = ${roastId}`;
    await edit(false);
    const { current_weight } = await get();
    await adjust(-current_weight);
    expect(await get()).toMatchObject({ status: 'Depleted', current_weight: 0, percentage_remaining: 0 });
    await adjust(30);
    expect((await get()).status).toBe('Available');
  });

  it('estimate their run-out from the consumption of the last 30 days', async () => {
    await test.api.context.sql`
      INSERT INTO lot_movements (id, lot_id, kg, reason, at)
      VALUES (gen_random_uuid(), ${lot.id}, -15, 'roast', now() - interval '3 days'),
             (gen_random_uuid(), ${lot.id}, -90, 'roast', now() - interval '31 days')`;
    expect((await get()).estimated_runout_days).toBeCloseTo(30 / (15 / 30), 6);
  });

  it('are listed, filtered and summed [P173]', async () => {
    await admin.send('POST', '/inventory/lots', {
      ...form,
      lot_number: 'KEN-1',
      origin: 'Kenya',
      location: 'Main Warehouse',
      initial_weight: 10,
      cost_per_kg: 12,
    });
    const list = async (query: string) => {
      const { body } = await admin.send<{ lots: Lot[]; total: number }>('GET', `/inventory/lots?${query}`);
      return [body.lots.map((one) => one.lot_number), body.total];
    };
    expect(await list('sort=lot_number')).toEqual([['ETH-1', 'KEN-1'], 2]);
    expect(await list('sort=-current_weight&limit=1')).toEqual([['ETH-1'], 2]);
    expect(await list('origin=Kenya')).toEqual([['KEN-1'], 1]);
    expect(await list('location=Main%20Warehouse&status=Available&q=ken')).toEqual([['KEN-1'], 1]);
    expect(await list('status=Depleted')).toEqual([[], 0]);
    expect((await admin.send('GET', '/inventory/stats/summary')).body).toEqual({
      total_lots: 2,
      total_weight_kg: 40,
      available_lots: 2,
      total_value: 30 * 8.5 + 10 * 12,
    });
    expect((await admin.send('GET', '/inventory/filters/origins')).body).toEqual(['Ethiopia', 'Kenya']);
    expect((await admin.send('GET', '/inventory/filters/locations')).body).toEqual(['Main Warehouse']);
  });

  it('with history are archived, without it deleted [P106]', async () => {
    const archived = await admin.send('DELETE', `/inventory/lots/${lot.id}`);
    expect(archived.body).toMatchObject({ archived: true });
    expect((await get()).archived_at).not.toBeNull();
    expect((await admin.send('PUT', `/inventory/lots/${lot.id}`, form)).status).toBe(404);
    const [kenya] = (await admin.send<{ lots: Lot[] }>('GET', '/inventory/lots')).body.lots;
    const deleted = await admin.send('DELETE', `/inventory/lots/${kenya?.id}`);
    expect(deleted.body).toMatchObject({ archived: false });
    expect((await admin.send('GET', `/inventory/lots/${kenya?.id}`)).status).toBe(404);
  });
});
