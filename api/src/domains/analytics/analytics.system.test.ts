import type { Figures, GroupFigures, PeriodFigures } from '@roastery/contract/analytics';
import type { RoastRow } from '@roastery/contract/roasts';
import { uuidV7 } from '@roastery/runtime/uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openMigratedDatabase, registerMachine } from '../../testing/ingest-fixture.ts';
import { recountFigures } from '../../testing/recount/figures.ts';
import { randomFrom } from '../../testing/seeded-random.ts';
import { startTestApi, testAdmin, type TestApi } from '../../testing/test-api.ts';
import type { Visitor } from '../../testing/visitor.ts';

const password = 'a long phrase for everybody here';
const zone = 'Europe/Berlin';
const coffees = ['Kochere', 'Huila', 'Sidra & Co', null];
const people = ['Ida', 'Jon', null];
const count = 300;

interface RawRoast {
  id: string;
  owner_id: string;
  machine_id: string | null;
  coffee_name: string | null;
  profile_id: string | null;
  person: string;
  status: string;
  start_time: string;
  batch_size_kg: number | null;
  duration_seconds: number | null;
  development_time_ratio: number | null;
  /** Local time in Berlin. */
  day: string;
}

const expectFigures = (actual: Figures, roasts: RawRoast[], about: string): void => {
  for (const [name, value] of Object.entries(recountFigures(roasts))) {
    const found = actual[name as keyof Figures];
    if (value === null || found === null) expect(found, `${about}: ${name}`).toBe(value);
    else expect(found, `${about}: ${name}`).toBeCloseTo(value, 8);
  }
};

const berlinDays = new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' });

const production = async (who: Visitor, query = '') => {
  const { status, body } = await who.send<{
    totals: Figures;
    earlier: PeriodFigures | null;
    period: string;
    periods: PeriodFigures[];
  }>('GET', `/analytics/production?${query}`);
  expect(status).toBe(200);
  return body;
};
const listTotal = async (who: Visitor, query: string): Promise<number> =>
  (await who.send<{ roasts: RoastRow[]; total: number }>('GET', `/roasts?limit=1&${query}`)).body.total;
const offered = async (who: Visitor, query = '') =>
  (
    await who.send<{
      machines: { id: string }[];
      coffees: string[];
      recipes: { name: string; roasts: number }[];
      people: string[];
    }>('GET', `/analytics/choices?${query}`)
  ).body;

describe('analytics', () => {
  let database: Awaited<ReturnType<typeof openMigratedDatabase>>;
  let test: TestApi;
  let admin: Visitor;
  let owner: Visitor;
  let ownerId: string;
  let recipes: string[];
  let raw: RawRoast[];

  const addUser = async (name: string): Promise<{ id: string; visitor: Visitor }> => {
    const account = { full_name: name, email: `${name.toLowerCase()}@example.org`, password };
    const { body } = await admin.send<{ id: string }>('POST', '/admin/users', account);
    return { id: body.id, visitor: await test.signedIn(account.email, password) };
  };

  beforeAll(async () => {
    database = await openMigratedDatabase();
    test = await startTestApi(database.url);
    const { sql } = database;
    admin = await test.signedIn(testAdmin.email, testAdmin.password);
    await admin.send('PUT', '/settings/roastery', { time_zone: zone });
    const ada = await addUser('Ada');
    const bob = await addUser('Bob');
    owner = ada.visitor;
    ownerId = ada.id;
    const machines = await Promise.all([
      registerMachine(sql, 'A', ada.id),
      registerMachine(sql, 'B', ada.id),
      registerMachine(sql, 'C', bob.id),
    ]);
    recipes = [];
    for (const name of ['House', 'Filter']) {
      const control_profile = [
        { time: 0, burner: 100, exhaust: 30, drum: 60 },
        { time: 720, burner: 0, exhaust: 90, drum: 30 },
      ];
      recipes.push((await admin.send<{ id: string }>('POST', '/profiles', { name, control_profile })).body.id);
    }
    const random = randomFrom(7);
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
    // Across both clock changes of 2026, to the second.
    const [first, last] = [Date.parse('2026-01-20T00:00:00Z'), Date.parse('2026-11-21T12:00:00Z')];
    for (let index = 0; index < count; index++) {
      const machine = pick(machines);
      const status = pick(['completed', 'completed', 'completed', 'aborted', 'in_progress']);
      const profile = pick([...recipes, null]);
      await sql`
        INSERT INTO roasts ${sql({
          id: uuidV7(),
          machine_id: random() < 0.1 ? null : machine.id,
          owner_id: machine.owner,
          status,
          start_time: new Date(first + Math.floor(random() * (last - first))).toISOString(),
          coffee_name: pick(coffees),
          profile_id: profile,
          roasted_by: pick(people),
          batch_size_kg: random() < 0.1 ? null : Math.round(random() * 15_000) / 1000 + 0.001,
          duration_seconds: status === 'in_progress' ? null : 500 + Math.floor(random() * 300),
          development_time_ratio: random() < 0.2 ? null : 0.12 + random() * 0.12,
        })}`;
    }
    const stored = await sql<Omit<RawRoast, 'day'>[]>`
      SELECT r.id, r.owner_id, r.machine_id, r.coffee_name, r.profile_id, coalesce(r.roasted_by, o.full_name) AS person,
             r.status, r.start_time, r.batch_size_kg, r.duration_seconds, r.development_time_ratio
        FROM roasts r JOIN users o ON o.id = r.owner_id`;
    raw = stored.map((roast) => ({ ...roast, day: berlinDays.format(new Date(roast.start_time)) }));
  });
  afterAll(async () => {
    await test.close();
    await database[Symbol.asyncDispose]();
  });

  it('equal a recount of the raw rows, for an admin and for the owner of two machines', async () => {
    const mine = raw.filter((roast) => roast.owner_id === ownerId);
    expect(mine.length).toBeLessThan(raw.length);
    for (const [who, roasts] of [
      [admin, raw],
      [owner, mine],
    ] as const) {
      for (const period of ['day', 'week', 'month']) {
        const answer = await production(who, `period=${period}`);
        expect(answer.period).toBe(period);
        expectFigures(answer.totals, roasts, 'totals');
        expect(answer.periods.reduce((sum, one) => sum + one.roasts, 0)).toBe(roasts.length);
        expect(answer.periods.reduce((sum, one) => sum + one.kg, 0)).toBeCloseTo(answer.totals.kg, 6);
        for (const one of answer.periods) {
          const within = roasts.filter(({ day }) => day >= one.from && day <= one.to);
          expectFigures(one, within, `${period} ${one.from}`);
        }
      }
    }
  });

  it('count the roasts that the list shows for each figure', async () => {
    const filter = `coffee_name=${encodeURIComponent('Sidra & Co')}&profile_id=${recipes[0]}`;
    const answer = await production(owner, `from=2026-03-01&to=2026-04-12&${filter}`);
    expect(answer.period).toBe('day');
    expect(answer.periods).toHaveLength(43);
    for (const { from, to, roasts } of answer.periods) {
      expect(await listTotal(owner, `from=${from}&to=${to}&${filter}`), from).toBe(roasts);
    }
    expect(answer.earlier).toMatchObject({ from: '2026-01-17', to: '2026-02-28' });
    expect(answer.earlier?.roasts).toBe(await listTotal(owner, `from=2026-01-17&to=2026-02-28&${filter}`));
  });

  const keys = {
    machine: (roast: RawRoast) => roast.machine_id,
    coffee: (roast: RawRoast) => roast.coffee_name,
    recipe: (roast: RawRoast) => roast.profile_id,
    person: (roast: RawRoast) => roast.person,
  };
  it.each(['machine', 'coffee', 'recipe', 'person'] as const)('groups by %s: add up to the totals', async (by) => {
    const { body } = await admin.send<{ groups: GroupFigures[]; total: number }>(
      'GET',
      `/analytics/groups/${by}?limit=50`,
    );
    const expected = new Set(raw.map(keys[by]));
    expect(body.total).toBe(expected.size);
    expect(body.groups).toHaveLength(expected.size);
    expect(body.groups.map((group) => group.kg)).toEqual(body.groups.map((group) => group.kg).sort((a, b) => b - a));
    for (const group of body.groups) {
      const key = by === 'machine' || by === 'recipe' ? group.id : group.name;
      expectFigures(
        group,
        raw.filter((roast) => keys[by](roast) === key),
        `${by} ${key}`,
      );
    }
    const beyond = await admin.send<{ groups: GroupFigures[]; total: number }>(
      'GET',
      `/analytics/groups/${by}?offset=50`,
    );
    expect(beyond.body).toEqual({ groups: [], total: expected.size });
    const names = await admin.send<{ groups: GroupFigures[] }>('GET', `/analytics/groups/${by}?sort=name&limit=2`);
    expect(names.body.groups).toHaveLength(2);
  });

  it('choices: contain the values in the span, without other users’ machines', async () => {
    const all = await offered(admin);
    expect(all.machines).toHaveLength(3);
    expect(all.coffees).toEqual(['Huila', 'Kochere', 'Sidra & Co']);
    expect(all.people).toEqual(['Ada', 'Bob', 'Ida', 'Jon']);
    expect(all.recipes.map(({ name }) => name)).toEqual(['Filter', 'House']);
    expect(all.recipes[1]?.roasts).toBe(raw.filter((roast) => roast.profile_id === recipes[0]).length);
    const own = await offered(owner);
    expect(own.machines).toHaveLength(2);
    expect(own.people).toEqual(['Ada', 'Ida', 'Jon']);
    expect(await offered(owner, 'from=2030-01-01')).toEqual({ machines: [], coffees: [], recipes: [], people: [] });
  });

  it('span: is refused with a reason, and accepted when valid', async () => {
    const refused = await owner.send('GET', '/analytics/production?from=2026-05-02&to=2026-05-01');
    expect(refused).toMatchObject({ status: 422, body: { detail: [{ field: 'from' }] } });
    const all = await production(owner, 'from=1900-01-01&to=2200-12-31&period=day');
    expect(all.period).toBe('month');
    expect(all.periods.length).toBeLessThan(20);
    expect((await production(owner, 'from=2031-01-01')).periods).toMatchObject([{ roasts: 0, from: '2031-01-01' }]);
  });
});
