import type { PlannedDay, PlannedRoast } from '@roastery/contract/planned';
import { uuidV7 } from '@roastery/runtime/uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addLot } from '../../testing/example-data.ts';
import { openTestApi, type OpenedTestApi } from '../../testing/test-api.ts';
import type { Visitor } from '../../testing/visitor.ts';

describe('queue of a machine, by day', () => {
  let opened: OpenedTestApi;
  let admin: Visitor;
  let today: string;
  const dayIn = (days: number): string => new Date(Date.parse(today) + days * 86_400_000).toISOString().slice(0, 10);
  beforeAll(async () => {
    opened = await openTestApi();
    ({ admin } = opened);
    ({ today } = (await admin.send<{ today: string }>('GET', '/roasts/planned')).body);
  });
  afterAll(() => opened.close());

  const sql = () => opened.test.api.context.sql;
  const addMachine = async (): Promise<string> => {
    const body = { serial_number: uuidV7(), display_name: 'Drum', machine_type: 'RM30', max_capacity_kg: 30 };
    return (await admin.send<{ id: string }>('POST', '/machines', body)).body.id;
  };
  const plan = (machineId: string, coffee: string, more: object = {}) =>
    admin.send<PlannedRoast>('POST', '/roasts/planned', {
      machine_id: machineId,
      coffee_name: coffee,
      batch_size_kg: 10,
      ...more,
    });
  const queueOf = async (machineId: string) =>
    (
      await admin.send<{ planned: PlannedRoast[]; days: PlannedDay[] }>(
        'GET',
        `/roasts/planned?machine_id=${machineId}`,
      )
    ).body;
  const orderOf = async (machineId: string) =>
    (await queueOf(machineId)).planned.map((one) => `${one.coffee_name} ${one.day}`);

  it('keeps the order of the days: today unless said, and never an earlier one', async () => {
    const machineId = await addMachine();
    await plan(machineId, 'Later', { day: dayIn(2) });
    await plan(machineId, 'Sooner', { day: dayIn(1) });
    await plan(machineId, 'Now');
    expect(await orderOf(machineId)).toEqual([`Now ${dayIn(0)}`, `Sooner ${dayIn(1)}`, `Later ${dayIn(2)}`]);
    const past = await plan(machineId, 'Past', { day: dayIn(-1) });
    expect([past.status, past.body]).toMatchObject([
      422,
      { detail: [{ field: 'day', message: 'Choose today or a later day' }] },
    ]);
  });

  it('moves roasts to another day with the order, or behind the others of a day with an edit', async () => {
    const machineId = await addMachine();
    for (const name of ['One', 'Two', 'Three']) await plan(machineId, name);
    await plan(machineId, 'Tomorrow', { day: dayIn(1) });
    const [one, two, three, tomorrow] = (await queueOf(machineId)).planned.map(({ id }) => id);
    const moved = await admin.send('PUT', `/machines/${machineId}/queue`, {
      plan_ids: [three, one, two, tomorrow],
      moved: { plan_ids: [one, two], day: dayIn(1) },
    });
    expect(moved.status).toBe(200);
    const days = [dayIn(0), dayIn(1)] as const;
    expect(await orderOf(machineId)).toEqual([
      `Three ${days[0]}`,
      `One ${days[1]}`,
      `Two ${days[1]}`,
      `Tomorrow ${days[1]}`,
    ]);
    await admin.send('PUT', `/roasts/planned/${one}`, { day: dayIn(0) });
    expect(await orderOf(machineId)).toEqual([
      `Three ${days[0]}`,
      `One ${days[0]}`,
      `Two ${days[1]}`,
      `Tomorrow ${days[1]}`,
    ]);
  });

  it('takes what was left of an earlier day into today, before what is planned for today', async () => {
    const machineId = await addMachine();
    const { body: left } = await plan(machineId, 'Left');
    await sql()`UPDATE planned_roasts SET day = day - 3 WHERE id = ${left.id}`;
    await plan(machineId, 'Today');
    expect(await orderOf(machineId)).toEqual([`Left ${dayIn(0)}`, `Today ${dayIn(0)}`]);
    expect((await queueOf(machineId)).days.map(({ day, batches }) => [day, batches])).toEqual([[dayIn(0), 2]]);
  });

  it('says batches and green coffee of each day, and what the plans of all machines use up', async () => {
    const [first, second] = [await addMachine(), await addMachine()];
    const lotId = await addLot(sql());
    await sql()`UPDATE lots SET current_weight = 25 WHERE id = ${lotId}`;
    await plan(first, 'Guji', { lot_id: lotId, coffee_name: null, count: 2 });
    await plan(first, 'Guji', { lot_id: lotId, coffee_name: null, day: dayIn(1) });
    await plan(second, 'Guji', { lot_id: lotId, coffee_name: null, day: dayIn(1), batch_size_kg: 2.5 });
    const said = (await queueOf(first)).days.map(({ day, batches, green_kg: kg, short }) => [day, batches, kg, short]);
    const missing = { lot_id: lotId, lot_number: expect.any(String), coffee_name: expect.any(String), missing_kg: 7.5 };
    expect(said).toEqual([
      [dayIn(0), 2, 20, []],
      [dayIn(1), 1, 10, [missing]],
    ]);
  });

  it('says when a day is done, from the machine’s usual first charge and pace', async () => {
    const machineId = await addMachine();
    await plan(machineId, 'Guji', { day: dayIn(1), count: 3 });
    expect((await queueOf(machineId)).days[0]?.done_at).toBeNull();
    const { id: ownerId } = (await sql()<{ id: string }[]>`SELECT id FROM users WHERE is_admin`)[0] ?? { id: '' };
    // Two days that began at 8:00, a charge every 15 minutes, 10 minutes each; a pause of three hours does not count.
    await sql()`
      INSERT INTO roasts (id, owner_id, machine_id, status, start_time, duration_seconds)
      SELECT gen_random_uuid(), ${ownerId}, ${machineId}, 'completed',
             (${dayIn(-2)}::date + d) + interval '8 h' + n * interval '15 min' + (n / 3) * interval '3 h', 600
      FROM generate_series(0, 1) d, generate_series(0, 5) n`;
    expect((await queueOf(machineId)).days[0]?.done_at).toBe(`${dayIn(1)}T08:40:00.000Z`);
  });
});
