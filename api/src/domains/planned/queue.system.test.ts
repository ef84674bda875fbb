import type { PlannedRoast } from '@roastery/contract/planned';
import { uuidV7 } from '@roastery/runtime/uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addProfile } from '../../testing/example-data.ts';
import { openTestApi, type OpenedTestApi } from '../../testing/test-api.ts';
import type { Visitor } from '../../testing/visitor.ts';
import { readPlansOfMachine } from './roast-plan.ts';

interface Refused {
  readonly detail: { readonly field: string; readonly message: string }[] | string;
}

const sentence = (message: string) => [{ field: 'batch_size_kg', message }];

describe('queue of a machine', () => {
  let opened: OpenedTestApi;
  let admin: Visitor;
  beforeAll(async () => {
    opened = await openTestApi();
    ({ admin } = opened);
  });
  afterAll(() => opened.close());

  const addMachine = async (): Promise<string> => {
    const body = { serial_number: uuidV7(), display_name: 'Drum', machine_type: 'RM15', max_capacity_kg: 15 };
    return (await admin.send<{ id: string }>('POST', '/machines', body)).body.id;
  };
  const plan = (machineId: string, more: object) =>
    admin.send<PlannedRoast & Refused>('POST', '/roasts/planned', { machine_id: machineId, ...more });
  const queueOf = async (machineId: string) =>
    (await admin.send<{ planned: PlannedRoast[] }>('GET', `/roasts/planned?machine_id=${machineId}`)).body.planned;
  const coffees = async (machineId: string) => (await queueOf(machineId)).map((one) => one.coffee_name);

  it('adds the same roast several times in one action, each with its own number', async () => {
    const machineId = await addMachine();
    const { body } = await plan(machineId, { coffee_name: 'Guji', batch_size_kg: 12, count: 4 });
    const queue = await queueOf(machineId);
    expect(queue.map((one) => [one.coffee_name, one.batch_size_kg, one.ahead])).toEqual(
      [0, 1, 2, 3].map((ahead) => ['Guji', 12, ahead]),
    );
    expect(queue[0]?.id).toBe(body.id);
    expect(new Set(queue.map((one) => one.batch_number)).size).toBe(4);
    expect((await plan(machineId, { coffee_name: 'Guji', count: 31 })).status).toBe(422);
  });

  it('is reordered, also on the board; an order without one of the waiting roasts is refused', async () => {
    const machineId = await addMachine();
    for (const name of ['One', 'Two', 'Three']) await plan(machineId, { coffee_name: name, batch_size_kg: 5 });
    const ids = (await queueOf(machineId)).map(({ id }) => id);
    const order = (planIds: string[]) =>
      admin.send<Refused>('PUT', `/machines/${machineId}/queue`, { plan_ids: planIds });
    expect((await order([...ids].reverse())).status).toBe(200);
    expect(await coffees(machineId)).toEqual(['Three', 'Two', 'One']);
    const onBoard = await readPlansOfMachine(opened.test.api.context.sql, machineId);
    expect(onBoard.map((one) => one.coffee_name)).toEqual(['Three', 'Two', 'One']);
    await plan(machineId, { coffee_name: 'Last', batch_size_kg: 5 });
    expect((await coffees(machineId)).at(-1)).toBe('Last');
    expect((await order(ids)).status).toBe(409);
    expect((await order([...ids, ids[0] ?? ''])).status).toBe(409);
  });

  it('is edited and cleared; numbers of cleared roasts stay', async () => {
    const machineId = await addMachine();
    const { body: made } = await plan(machineId, { coffee_name: 'Guji', batch_size_kg: 12, notes: 'slow' });
    const edit = { coffee_name: 'Sidamo', batch_size_kg: 9, notes: '' };
    const { body: edited } = await admin.send<PlannedRoast>('PUT', `/roasts/planned/${made.id}`, edit);
    expect(edited).toMatchObject({
      coffee_name: 'Sidamo',
      batch_size_kg: 9,
      notes: null,
      batch_number: made.batch_number,
    });
    await plan(machineId, { coffee_name: 'Second' });
    const cleared = await admin.send('DELETE', `/machines/${machineId}/queue`);
    expect(cleared.body).toEqual({ message: '2 queued roasts were cancelled.' });
    expect(await queueOf(machineId)).toEqual([]);
    expect((await admin.send('PUT', `/roasts/planned/${made.id}`, edit)).status).toBe(409);
    const { body } = await admin.send<{ total: number }>('GET', '/batch-numbers?state=cancelled');
    expect(body.total).toBe(2);
  });

  it('refuses a batch above the machine’s capacity or outside the recipe’s range, with a message', async () => {
    const { sql } = opened.test.api.context;
    const machineId = await addMachine();
    const [ranged, bounded] = [await addProfile(sql), await addProfile(sql)];
    await sql`UPDATE profiles SET min_batch_size = 10, max_batch_size = 12.5 WHERE id = ${ranged}`;
    await sql`UPDATE profiles SET min_batch_size = 8 WHERE id = ${bounded}`;
    const refusal = async (more: object) => {
      const { status, body } = await plan(machineId, more);
      return status === 201 ? undefined : body.detail;
    };
    expect(await refusal({ batch_size_kg: 15.1 })).toEqual(sentence('Drum holds at most 15 kg'));
    expect(await refusal({ batch_size_kg: 13, profile_id: ranged })).toEqual(
      sentence('House blend takes 10 kg to 12.5 kg'),
    );
    expect(await refusal({ batch_size_kg: 9, profile_id: ranged })).toEqual(
      sentence('House blend takes 10 kg to 12.5 kg'),
    );
    expect(await refusal({ batch_size_kg: 7, profile_id: bounded })).toEqual(
      sentence('House blend takes at least 8 kg'),
    );
    expect(await refusal({ batch_size_kg: 12, profile_id: ranged })).toBeUndefined();
    const [waiting] = await queueOf(machineId);
    const edited = await admin.send<Refused>('PUT', `/roasts/planned/${waiting?.id}`, { batch_size_kg: 14 });
    expect([edited.status, edited.body.detail]).toEqual([422, sentence('House blend takes 10 kg to 12.5 kg')]);
  });
});
