import type { Blend, BlendableRoast } from '@roastery/contract/blends';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OpenedTestApi, openTestApi, type TestApi } from '../../testing/test-api.ts';
import type { Visitor } from '../../testing/visitor.ts';

describe('a post-roast blend', () => {
  let opened: OpenedTestApi;
  let test: TestApi;
  let admin: Visitor;
  let eve: Visitor;
  beforeAll(async () => {
    opened = await openTestApi();
    ({ test, admin } = opened);
    const body = { full_name: 'Eve', email: 'eve@example.com', password: 'a long phrase for eve' };
    await admin.send('POST', '/admin/users', body);
    eve = await test.signedIn(body.email, body.password);
  });
  afterAll(() => opened.close());

  const logRoast = async (coffee: string, more: object, by = admin): Promise<string> => {
    const body = { coffee_name: coffee, start_time: '2026-11-20T07:40:00.000Z', duration_seconds: 640, ...more };
    return (await by.send<{ id: string }>('POST', '/roasts', body)).body.id;
  };
  const blend = (components: readonly { roast_id: string; kg: number }[], by = admin) =>
    by.send<Blend & { detail: { field: string; message: string }[] }>('POST', '/blends', { name: 'House', components });
  const leftOf = async (roastId: string, query = '') =>
    (await admin.send<{ roasts: BlendableRoast[] }>('GET', `/blends/roasts${query}`)).body.roasts.find(
      ({ roast_id: id }) => id === roastId,
    );

  it('blend: contains at most the remaining weight of a roast', async () => {
    const guji = await logRoast('Guji', { batch_size_kg: 12, end_weight_kg: 10.2 });
    const huila = await logRoast('Huila', { batch_size_kg: 8 });
    expect(await leftOf(guji)).toMatchObject({ weight_kg: 10.2, is_roasted_weight: true, left_kg: 10.2 });
    expect(await leftOf(huila)).toMatchObject({ weight_kg: 8, is_roasted_weight: false });
    const made = await blend([
      { roast_id: guji, kg: 6.1 },
      { roast_id: huila, kg: 2 },
    ]);
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({ total_kg: 8.1, created_by: 'Administrator' });
    expect(made.body.components.map(({ coffee_name: name, kg }) => [name, kg])).toEqual([
      ['Guji', 6.1],
      ['Huila', 2],
    ]);
    expect(await leftOf(guji)).toMatchObject({ used_kg: 6.1, left_kg: 4.1 });
    const tooMuch = await blend([{ roast_id: guji, kg: 4.2 }]);
    expect([tooMuch.status, tooMuch.body.detail]).toEqual([
      422,
      [{ field: 'components.0.kg', message: expect.stringMatching(/^Only 4\.1 kg of \d+ is left$/) }],
    ]);
    expect((await blend([{ roast_id: guji, kg: 4.1 }])).status).toBe(201);
    expect(await leftOf(guji)).toBeUndefined();
  });

  it('blend: two concurrent ones use the coffee once', async () => {
    const roast = await logRoast('Guji', { batch_size_kg: 10 });
    const other = await logRoast('Huila', { batch_size_kg: 10 });
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, k) =>
        blend((k % 2 === 0 ? [roast, other] : [other, roast]).map((id) => ({ roast_id: id, kg: 3 }))),
      ),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
    expect(await leftOf(roast)).toMatchObject({ left_kg: 1 });
  });

  it('blend: its own share counts as left while it is edited, and is returned when removed', async () => {
    const roast = await logRoast('Guji', { batch_size_kg: 10 });
    const { body: made } = await blend([{ roast_id: roast, kg: 9 }]);
    expect(await leftOf(roast, `?blend_id=${made.id}`)).toMatchObject({ left_kg: 10 });
    const change = { name: 'Filter', components: [{ roast_id: roast, kg: 10 }], revision: made.revision };
    const changed = await admin.send<Blend>('PUT', `/blends/${made.id}`, change);
    expect(changed.body).toMatchObject({ name: 'Filter', total_kg: 10 });
    expect((await admin.send('PUT', `/blends/${made.id}`, change)).status).toBe(409);
    await admin.send('DELETE', `/blends/${made.id}`);
    expect(await leftOf(roast)).toMatchObject({ left_kg: 10 });
  });

  it('blend: a roast can’t weigh less than its blends contain; a deleted roast stays listed', async () => {
    const roast = await logRoast('Guji', { batch_size_kg: 10 });
    const { body: made } = await blend([{ roast_id: roast, kg: 8.7 }]);
    const refused = await admin.send<{ detail: string }>('PUT', `/roasts/${roast}`, { end_weight_kg: 8.5 });
    expect([refused.status, refused.body.detail]).toEqual([409, expect.stringMatching(/^Blends use 8\.7 kg/)]);
    expect((await admin.send('PUT', `/roasts/${roast}`, { end_weight_kg: 8.7 })).status).toBe(200);
    await admin.send('DELETE', `/roasts/${roast}`);
    const after = await admin.send<Blend>('GET', `/blends/${made.id}`);
    expect(after.body.components).toEqual([
      expect.objectContaining({ roast_id: null, coffee_name: 'Guji', kg: 8.7, share: 1 }),
    ]);
    const renamed = await admin.send<Blend>('PUT', `/blends/${made.id}`, { name: 'Last of the Guji', components: [] });
    expect(renamed.body).toMatchObject({ name: 'Last of the Guji', total_kg: 8.7 });
  });

  it('is never empty', async () => {
    const roast = await logRoast('Guji', { batch_size_kg: 10 });
    const { body: made } = await blend([{ roast_id: roast, kg: 1 }]);
    const emptied = await admin.send<{ detail: unknown }>('PUT', `/blends/${made.id}`, {
      name: 'House',
      components: [],
    });
    const sentence = [{ field: 'components', message: 'Add at least one roast' }];
    expect([emptied.status, emptied.body.detail]).toEqual([422, sentence]);
    const none = await blend([]);
    expect([none.status, none.body.detail]).toEqual([422, sentence]);
  });

  it('blend: consists of visible roasts and is visible to its owner and admins', async () => {
    const hers = await logRoast('Guji', { batch_size_kg: 10 }, eve);
    const his = await logRoast('Huila', { batch_size_kg: 10 });
    expect((await blend([{ roast_id: his, kg: 1 }], eve)).status).toBe(422);
    const made = await blend([{ roast_id: hers, kg: 1 }], eve);
    expect((await admin.send('GET', `/blends/${made.body.id}`)).status).toBe(200);
    const { body: own } = await eve.send<{ total: number }>('GET', '/blends');
    expect(own.total).toBe(1);
    expect((await admin.send<{ total: number }>('GET', '/blends?q=guji')).body.total).toBeGreaterThan(1);
  });

  it('blend: is found, and the roasts for one, by words in any order, of its name and of its roasts', async () => {
    const [sidamo, kochere] = [
      await logRoast('Sidamo Natural', { batch_size_kg: 10, coffee_origin: 'Ethiopia' }),
      await logRoast('Kochere', { batch_size_kg: 10, coffee_origin: 'Ethiopia' }),
    ];
    await admin.send('POST', '/blends', {
      name: 'Winter Espresso',
      components: [
        { roast_id: sidamo, kg: 1 },
        { roast_id: kochere, kg: 1 },
      ],
    });
    const namesOf = async (q: string) => {
      const { body } = await admin.send<{ blends: Blend[] }>('GET', `/blends?q=${encodeURIComponent(q)}`);
      return body.blends.map(({ name }) => name);
    };
    expect(await namesOf('espresso sidamo')).toEqual(['Winter Espresso']);
    expect(await namesOf('kochere natural')).toEqual(['Winter Espresso']);
    expect(await namesOf('espresso zebra')).toEqual([]);
    const offered = await admin.send<{ roasts: { roast_id: string }[] }>('GET', '/blends/roasts?q=ethiopia%20natural');
    expect(offered.body.roasts.map((roast) => roast.roast_id)).toEqual([sidamo]);
  });
});
