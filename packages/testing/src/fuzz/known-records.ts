import postgres from 'postgres';
import type { KnownRecords } from './schema-values.ts';

const maxIds = 60;

/** Which table the id after a part of a path, or in a field, is of. */
const tables: readonly (readonly [RegExp, string])[] = [
  [/roast-imports/, 'roast_imports'],
  [/lot-imports/, 'lot_imports'],
  [/file_id/, 'roast_import_files'],
  [/upload/, 'roast_uploads'],
  [/machine-maps|map_id/, 'machine_maps'],
  [/machine/, 'machines'],
  [/lot|alert/, 'lots'],
  [/profile|recipe/, 'profiles'],
  [/blend/, 'blends'],
  [/plan/, 'planned_roasts'],
  [/ticket|pairing/, 'pairing_tickets'],
  [/option/, 'options'],
  [/user/, 'users'],
  [/roast|^ids$/, 'roasts'],
];

/**
 * Records of a database that requests may name. Read again by `refresh`, since the requests change them.
 * @param kept users who sign in: no request may name them
 */
export const openKnownRecords = async (databaseUrl: string, kept: readonly string[]) => {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => undefined });
  const ids = new Map<string, string[]>();
  let words: string[] = [];
  const refresh = async (): Promise<void> => {
    for (const [, table] of tables) {
      const order = table === 'roasts' ? sql`charge_seq IS NULL, id DESC` : sql`id DESC`;
      const rows = await sql<{ id: string }[]>`
        SELECT id::text FROM ${sql(table)} WHERE NOT id::text = ANY(${[...kept]}) ORDER BY ${order} LIMIT ${maxIds}`;
      ids.set(
        table,
        rows.map(({ id }) => id),
      );
    }
    const rows = await sql<{ word: string | null }[]>`
      (SELECT coffee_name AS word FROM roasts LIMIT 20) UNION (SELECT origin FROM lots LIMIT 20)
      UNION (SELECT lot_number FROM lots LIMIT 10) UNION (SELECT serial_number FROM machines LIMIT 10)
      UNION (SELECT name FROM profiles LIMIT 10) UNION (SELECT full_name FROM users LIMIT 10)`;
    words = rows.flatMap(({ word }) => (word === null ? [] : [word]));
  };
  await refresh();
  const known: KnownRecords = {
    idFor(name, random) {
      const table = tables.find(([pattern]) => pattern.test(name))?.[1];
      return table === undefined ? undefined : random.pick(ids.get(table) ?? []);
    },
    get words() {
      return words;
    },
  };
  return { known, refresh, close: () => sql.end() };
};
