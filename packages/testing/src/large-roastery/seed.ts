import postgres from 'postgres';
import type { RoasterySizes, SeededPeople } from './sizes.ts';
import { seedPeopleAndMachines, seedGreenCoffee, seedRecipes } from './seed-masters.ts';
import { seedBlends, seedFavorites, seedAudit, seedRoasts } from './seed-roasts.ts';
import { seedAlarms, seedCurves } from './seed-curves.ts';

/**
 * Functions of the session that make the same roastery in every run: `made_id` a version 7 UUID of a moment, `chance` a number
 * from 0 to 1, `pick` one of several words.
 */
const defineFunctions = (sql: postgres.Sql) =>
  sql.unsafe(`
    CREATE FUNCTION pg_temp.made_id(kind text, n bigint, at timestamptz) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
      SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7' || substr(h, 1, 3)
              || '8' || substr(h, 4, 3) || substr(h, 7, 12))::uuid FROM md5(kind || n) AS h $$;
    CREATE FUNCTION pg_temp.chance(about text, n bigint) RETURNS double precision LANGUAGE sql IMMUTABLE AS $$
      SELECT ('x' || substr(md5(about || n), 1, 8))::bit(32)::bigint / 4294967296.0 $$;
    CREATE FUNCTION pg_temp.pick(about text, n bigint, words text[]) RETURNS text LANGUAGE sql IMMUTABLE AS $$
      SELECT words[1 + floor(pg_temp.chance(about, n) * cardinality(words))::int] $$;`);

/**
 * Fills a migrated database with a large roastery of three years, by SQL: people, machines with their boards, lots and
 * their ledger, recipes, roasts with marks, batch numbers, curves and alarms, favorites, blends, audit. Stored sums equal
 * those of the rows.
 */
export const seedLargeRoastery = async (url: string, sizes: RoasterySizes, people: SeededPeople): Promise<void> => {
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  try {
    await defineFunctions(sql);
    await sql.begin(async (tx) => {
      await seedPeopleAndMachines(tx, sizes, people);
      await seedGreenCoffee(tx, sizes, people);
      await seedRecipes(tx, sizes, people);
      await seedRoasts(tx, sizes);
      await seedCurves(tx, sizes);
      await seedAlarms(tx);
      await seedBlends(tx, sizes);
      await seedFavorites(tx);
      await seedAudit(tx, sizes);
    });
    await sql`VACUUM ANALYZE`;
  } finally {
    await sql.end();
  }
};
