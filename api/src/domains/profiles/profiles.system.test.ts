import type { Profile } from '@roastery/contract/profiles';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addLot, addRoast } from '../../testing/example-data.ts';
import { type OpenedTestApi, openTestApi, type TestApi } from '../../testing/test-api.ts';
import type { Visitor } from '../../testing/visitor.ts';

const points = [
  { time: 0, burner: 100, exhaust: 30, drum: 60 },
  { time: 720, burner: 0, exhaust: 90, drum: 30 },
];
const anna = { full_name: 'Anna', email: 'anna@example.com', password: 'drum and bean and flame' };

describe('recipes', () => {
  let opened: OpenedTestApi;
  let test: TestApi;
  let admin: Visitor;
  let other: Visitor;
  let adminId: string;
  let profile: Profile;
  beforeAll(async () => {
    opened = await openTestApi();
    ({ test, admin } = opened);
    adminId = (await admin.send<{ id: string }>('GET', '/auth/me')).body.id;
    await admin.send('POST', '/admin/users', anna);
    other = await test.signedIn(anna.email, anna.password);
  });
  afterAll(() => opened.close());
  const get = async (who: Visitor, id = profile.id): Promise<Profile> =>
    (await who.send<Profile>('GET', `/profiles/${id}`)).body;
  const names = async (query: string) =>
    (await admin.send<{ profiles: Profile[] }>('GET', `/profiles?${query}`)).body.profiles.map((one) => one.name);

  it('are saved with the document’s defaults and their lot [P202]', async () => {
    const lotId = await addLot(test.api.context.sql);
    const body = { name: 'Espresso', green_coffee_lot_id: lotId, control_profile: points };
    const answer = await admin.send<Profile>('POST', '/profiles', body);
    expect(answer.status).toBe(201);
    profile = answer.body;
    expect(profile).toMatchObject({
      roast_level: 'Medium',
      target_drop_temp: 210,
      target_roast_time: 720,
      target_development_time: 150,
      min_batch_size: 10,
      max_batch_size: 15,
      auto_deduct_inventory: true,
      alert_low_inventory: false,
      times_used: 0,
      is_favorite: false,
      lot_info: { lot_number: `L-${lotId}`, current_weight: 60 },
      control_profile: points,
    });
  });

  it('report every invalid field [P186]', async () => {
    const answer = await admin.send<{ detail: { field: string; message: string }[] }>('POST', '/profiles', {
      name: ' ',
      target_drop_temp: 0,
      green_coffee_lot_id: null,
      control_profile: [{ time: 0, burner: 101, exhaust: 20, drum: 90 }],
    });
    expect(answer.status).toBe(422);
    expect(answer.body.detail).toEqual(
      expect.arrayContaining([
        { field: 'name', message: 'Recipe name is required' },
        { field: 'target_drop_temp', message: 'Drop temp must be greater than 0' },
        { field: 'control_profile.0.burner', message: 'Burner: 0-100%' },
        { field: 'control_profile.0.exhaust', message: 'Exhaust: 30-90%' },
        { field: 'control_profile.0.drum', message: 'Drum: 30-85 RPM' },
      ]),
    );
    const lotless = { name: 'x', control_profile: points, green_coffee_lot_id: adminId };
    expect((await admin.send<{ detail: unknown }>('POST', '/profiles', lotless)).body.detail).toEqual([
      { field: 'green_coffee_lot_id', message: 'There is no such lot' },
    ]);
  });

  it('favorites: belong to each user [P174]', async () => {
    const path = `/profiles/${profile.id}/toggle-favorite`;
    expect((await admin.send('POST', path)).body).toEqual({ is_favorite: true });
    expect((await get(admin)).is_favorite).toBe(true);
    expect((await get(other)).is_favorite).toBe(false);
    const favorites = await other.send<{ total: number }>('GET', '/profiles?favorites_only=true');
    expect(favorites.body.total).toBe(0);
    expect((await admin.send('POST', path)).body).toEqual({ is_favorite: false });
  });

  it('reference: is the chosen roast, else the best rated of the visible ones', async () => {
    const { sql } = test.api.context;
    const [poor, best, chosen] = [
      await addRoast(sql, adminId),
      await addRoast(sql, adminId),
      await addRoast(sql, adminId),
    ];
    await sql`UPDATE roasts SET profile_id = ${profile.id}, cupping_score = 80 WHERE id = ${poor}`;
    await sql`UPDATE roasts SET profile_id = ${profile.id}, cupping_score = 88 WHERE id = ${best}`;
    expect((await get(admin)).reference_roast_id).toBe(best);
    expect((await get(other)).reference_roast_id).toBeNull();
    const edit = { name: 'Espresso', control_profile: points, reference_roast_id: chosen, revision: 1 };
    const edited = await admin.send<Profile>('PUT', `/profiles/${profile.id}`, edit);
    expect(edited.body).toMatchObject({ reference_roast_id: chosen, revision: 2, green_coffee_lot_id: null });
    expect((await admin.send('PUT', `/profiles/${profile.id}`, edit)).status).toBe(409);
    const foreign = await other.send('PUT', `/profiles/${profile.id}`, { ...edit, revision: 2 });
    expect(foreign.status).toBe(422);
  });

  it('reference: is the roast that a new recipe was made from, if its maker may see it', async () => {
    const roastId = await addRoast(test.api.context.sql, adminId);
    const body = { name: 'From a roast', control_profile: points, reference_roast_id: roastId };
    const made = await admin.send<Profile>('POST', '/profiles', body);
    expect(made.body).toMatchObject({ reference_roast_id: roastId, reference_is_chosen: true });
    expect((await other.send('POST', '/profiles', body)).status, 'another user’s roast').toBe(422);
  });

  it('reference roast: is set while another user edits the recipe', async () => {
    const { sql } = test.api.context;
    const [curved, bare] = [await addRoast(sql, adminId), await addRoast(sql, adminId)];
    await sql`UPDATE roasts SET charge_seq = 7 WHERE id = ${curved}`;
    const choose = (roast_id: string | null, who = admin) =>
      who.send<Profile>('PUT', `/profiles/${profile.id}/reference`, { roast_id });
    const before = await get(admin);
    expect((await choose(curved)).body).toMatchObject({
      reference_roast_id: curved,
      reference_is_chosen: true,
      revision: before.revision,
    });
    expect(await get(other)).toMatchObject({ reference_roast_id: null, reference_is_chosen: false });
    expect((await choose(bare)).status, 'nothing to measure against').toBe(409);
    expect((await choose(curved, other)).status, 'another user’s roast').toBe(422);
    expect((await get(admin)).reference_roast_id).toBe(curved);
    const best = (await choose(null)).body;
    expect(best.reference_is_chosen).toBe(false);
    expect(best.reference_roast_id, 'the best rated again').not.toBe(curved);
    expect(best.reference_roast_id).not.toBeNull();
  });

  it('clone: makes a copy without use, favorites and reference', async () => {
    await test.api.context.sql`UPDATE profiles SET times_used = 7 WHERE id = ${profile.id}`;
    const copy = (await admin.send<Profile>('POST', `/profiles/${profile.id}/clone`)).body;
    expect(copy).toMatchObject({ name: 'Espresso (Copy)', times_used: 0, control_profile: points, revision: 1 });
    expect((await get(admin)).times_used).toBe(7);
  });

  it('are filtered: Medium covers its neighbours', async () => {
    for (const roast_level of ['Light', 'Medium-Light', 'Medium-Dark', 'Dark']) {
      await admin.send('POST', '/profiles', {
        name: roast_level,
        roast_level,
        coffee_origin: 'Peru',
        control_profile: points,
      });
    }
    expect(await names('roast_level=Medium&origin=Peru')).toEqual(['Medium-Dark', 'Medium-Light']);
    expect(await names('roast_level=Light')).toEqual(['Light']);
    expect(await names('q=espresso')).toEqual(['Espresso', 'Espresso (Copy)']);
  });

  it('leave their name on their roasts when they are deleted', async () => {
    expect((await admin.send('DELETE', `/profiles/${profile.id}`)).status).toBe(200);
    expect((await admin.send('GET', `/profiles/${profile.id}`)).status).toBe(404);
    const names = await test.api.context.sql`
      SELECT DISTINCT profile_name, profile_id FROM roasts WHERE profile_name IS NOT NULL`;
    expect(names).toEqual([{ profile_name: 'Espresso', profile_id: null }]);
  });
});
