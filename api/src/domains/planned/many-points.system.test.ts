import { maxPacketBytes } from '@roastery/contract/mqtt';
import { maxControlPoints, type Profile } from '@roastery/contract/profiles';
import { plansShape } from '@roastery/contract/roast-plan';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addMachine } from '../../testing/example-data.ts';
import { type OpenedTestApi, openTestApi } from '../../testing/test-api.ts';
import { readPlansOfMachine } from './roast-plan.ts';

const points = (count: number) =>
  Array.from({ length: count }, (_, time) => ({
    time,
    burner: (time % 300) / 3,
    exhaust: 30 + (time % 180) / 3,
    drum: 30 + (time % 160) / 3,
  }));

describe('recipes of 1,800 points', () => {
  let opened: OpenedTestApi;
  beforeAll(async () => {
    opened = await openTestApi();
  });
  afterAll(() => opened.close());

  it('are saved, read and listed completely; one more point is refused', async () => {
    const { admin } = opened;
    const tooMany = { name: 'Too many', control_profile: points(maxControlPoints + 1) };
    expect((await admin.send('POST', '/profiles', tooMany)).status).toBe(422);
    const body = { name: 'Second by second', control_profile: points(maxControlPoints) };
    const saved = await admin.send<Profile>('POST', '/profiles', body);
    expect(saved.status).toBe(201);
    expect((await admin.send<Profile>('GET', `/profiles/${saved.body.id}`)).body).toEqual(saved.body);
    const { body: listed } = await admin.send<{ profiles: Profile[]; total: number }>('GET', '/profiles');
    expect(listed).toEqual({ profiles: [saved.body], total: 1 });
  });

  it('plans: are sent to a board up to the message limit, the first one completely', async () => {
    const { admin, test } = opened;
    const { sql } = test.api.context;
    const me = await admin.send<{ id: string }>('GET', '/auth/me');
    const machineId = await addMachine(sql, me.body.id);
    const body = { name: 'Long', control_profile: points(maxControlPoints) };
    const recipe = (await admin.send<Profile>('POST', '/profiles', body)).body;
    for (let n = 0; n < 4; n += 1) {
      const plan = { machine_id: machineId, profile_id: recipe.id, batch_size_kg: 12 };
      expect((await admin.send('POST', '/roasts/planned', plan)).status).toBe(201);
    }
    const plans = await readPlansOfMachine(sql, machineId);
    const payload = JSON.stringify({ v: 1, plans });
    expect(Buffer.byteLength(payload)).toBeLessThan(maxPacketBytes - 1024);
    expect(plansShape.safeParse(JSON.parse(payload)).success).toBe(true);
    expect(plans[0]?.points).toHaveLength(maxControlPoints);
  });
});
