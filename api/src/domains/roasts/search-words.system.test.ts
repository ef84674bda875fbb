import { uuidV7 } from '@roastery/runtime/uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openMigratedDatabase, registerMachine } from '../../testing/ingest-fixture.ts';
import { listRoasts } from './list-roasts.ts';

const person = {
  id: uuidV7(),
  full_name: 'Ada',
  email: 'a@b',
  is_active: true,
  is_admin: true,
  created_at: '',
  preferences: {},
  shared: { see: [], roast: [], all: false },
};

/** Coffee, origin, recipe, person, and start; all on the machine `Roaster` of Ada. */
const roasts = [
  ['Kochere', 'Ethiopia', 'Light filter', 'Ida Berg', '2025-03-09T10:00:00Z'],
  ['Guji', 'Ethiopia', 'Espresso', null, '2026-03-20T10:00:00Z'],
  // 31 March in New York.
  ['Sidamo', 'Ethiopia', null, 'Jon', '2026-04-01T03:30:00Z'],
  ['Maragogype', 'Mexico', 'Espresso', 'Ida Berg', '2026-07-01T10:00:00Z'],
] as const;

describe('the search of roasts', () => {
  let database: Awaited<ReturnType<typeof openMigratedDatabase>>;
  const found = async (q: string, sort: 'best_match' | '-start_time' = '-start_time'): Promise<(string | null)[]> => {
    const answer = await listRoasts(database.sql, person, { q, sort, limit: 100, offset: 0 });
    expect(answer.total).toBe(answer.roasts.length);
    return answer.roasts.map((roast) => roast.coffee_name);
  };

  beforeAll(async () => {
    database = await openMigratedDatabase();
    const { sql } = database;
    await sql`INSERT INTO roastery_settings (time_zone) VALUES ('America/New_York') ON CONFLICT (only_row) DO UPDATE SET time_zone = excluded.time_zone`;
    const machine = await registerMachine(sql, 'RM15-1', person.id);
    for (const [coffee, origin, recipe, by, start] of roasts) {
      await sql`
        INSERT INTO roasts (id, machine_id, owner_id, status, start_time, coffee_name, coffee_origin, profile_name, roasted_by)
        VALUES (${uuidV7()}, ${machine.id}, ${person.id}, 'completed', ${start}, ${coffee}, ${origin}, ${recipe}, ${by})`;
    }
  });
  afterAll(() => database[Symbol.asyncDispose]());

  it.each([
    { q: 'ethiopia march', names: ['Sidamo', 'Guji', 'Kochere'], what: 'an origin and a month' },
    { q: 'march  Ethiopia ', names: ['Sidamo', 'Guji', 'Kochere'], what: 'words in another order' },
    { q: '2026 mar eth', names: ['Sidamo', 'Guji'], what: 'a year, a short month and the beginning of an origin' },
    { q: 'mar', names: ['Maragogype', 'Sidamo', 'Guji', 'Kochere'], what: 'a month or a part of a coffee' },
    { q: 'filter ida', names: ['Kochere'], what: 'a recipe and a person' },
    { q: 'roaster espresso july', names: ['Maragogype'], what: 'a machine, a recipe and a month' },
    { q: 'ada ethiopia', names: ['Guji'], what: 'the owner, who roasted where no other person is named' },
    { q: 'ethiopia zebra', names: [], what: 'one word that no roast has' },
    { q: 'april', names: [], what: 'a month in the time zone of the roastery only' },
    { q: '#', names: ['Maragogype', 'Sidamo', 'Guji', 'Kochere'], what: 'no word' },
  ])('finds roasts by $what', async ({ q, names }) => {
    expect(await found(q)).toEqual(names);
  });

  it('has the roast of a number first where it sorts by match, then the newest', async () => {
    await database.sql`UPDATE roasts SET batch_number = CASE coffee_name WHEN 'Kochere' THEN '7' WHEN 'Guji' THEN '70' WHEN 'Sidamo' THEN '17' ELSE '27' END`;
    expect(await found('#7')).toEqual(['Maragogype', 'Sidamo', 'Guji', 'Kochere']);
    expect(await found('#7', 'best_match')).toEqual(['Kochere', 'Maragogype', 'Sidamo', 'Guji']);
    expect(await found('', 'best_match')).toEqual(['Maragogype', 'Sidamo', 'Guji', 'Kochere']);
  });
});
