import postgres from 'postgres';
import type { Samples } from './page-calls.ts';

const maxIds = 40;
/** At 4 Hz. */
const hourOfSamples = 14_400;

type Rows = PromiseLike<readonly postgres.Row[]>;
const ids = async (rows: Rows): Promise<string[]> => (await rows).map((row) => String(row['id']));
const day = async (rows: Rows): Promise<string[]> => (await rows).map((row) => String(row['day']));

/** Input and choices of users, between two days. */
export const sampleWords = (from: string, to: string): Samples['words'] => ({
  // A frequent word, a rare one, one of three letters, a number, and one without a result.
  q: ['house', 'Kochere 12', 'ida', 'PR-0', 'zebra'],
  coffee_name: ['Santos 12'],
  origin: ['Ethiopia'],
  location: ['Annex'],
  roasted_by: ['Ida'],
  former_recipe: ['House recipe 7'],
  level: ['Light', 'Medium'],
  action: ['lot.created'],
  from: [from],
  to: [to],
  'getTimeline from': [`${from}T00:00:00Z`],
  'getTimeline to': [`${to}T00:00:00Z`],
  points: ['600'],
  runs_out_within_days: ['14'],
  before: ['60'],
  after: ['60'],
  rev: ['1'],
  time_zone: ['Europe/Berlin'],
});

/**
 * Records and words of a large roastery that this person may see: the busiest, which cost most.
 * @param person the caller; after it an upload of theirs, a machine map, and the roasts of a quarter of an hour to open
 * first: a roast of hours is requested separately
 */
export const findSamples = async (
  url: string,
  person: { readonly id: string; readonly isAdmin: boolean },
  { uploadId, mapId, roastIds }: { readonly uploadId: string; readonly mapId: string; readonly roastIds: string[] },
): Promise<Samples> => {
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  const mine = person.isAdmin ? sql`true` : sql`r.owner_id = ${person.id}`;
  try {
    return {
      ids: {
        machine: await ids(
          sql`SELECT machine_id AS id FROM roasts r WHERE ${mine} GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT ${maxIds}`,
        ),
        roast: await ids(sql`
          SELECT id FROM roasts r WHERE ${mine} AND charge_seq IS NOT NULL AND drop_seq - charge_seq < ${hourOfSamples}
           ORDER BY id = ANY(${roastIds}::uuid[]) DESC, start_time DESC LIMIT ${maxIds}`),
        blend: await ids(sql`SELECT id FROM blends r WHERE ${mine} ORDER BY created_at DESC LIMIT ${maxIds}`),
        plan: await ids(
          sql`SELECT p.id FROM planned_roasts p JOIN machines r ON r.id = p.machine_id WHERE ${mine} ORDER BY p.id LIMIT ${maxIds}`,
        ),
        lot: await ids(
          sql`SELECT lot_id AS id FROM lot_movements GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT ${maxIds}`,
        ),
        recipe: await ids(
          sql`SELECT p.id FROM profiles p WHERE p.archived_at IS NULL ORDER BY p.times_used DESC, p.id LIMIT ${maxIds}`,
        ),
        recipeWithCurves: await ids(sql`
          SELECT r.profile_id AS id FROM roasts r JOIN profiles p ON p.id = r.profile_id
           WHERE ${mine} AND r.charge_seq IS NOT NULL AND p.archived_at IS NULL
           GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT ${maxIds}`),
        upload: [uploadId],
        import: await ids(sql`SELECT id FROM roast_imports WHERE user_id = ${person.id} ORDER BY id LIMIT ${maxIds}`),
        lotImport: await ids(sql`SELECT id FROM lot_imports WHERE user_id = ${person.id} ORDER BY id LIMIT ${maxIds}`),
        map: [mapId],
      },
      words: sampleWords(
        (await day(sql`SELECT (now() - interval '365 days')::date::text AS day`))[0] ?? '',
        (await day(sql`SELECT now()::date::text AS day`))[0] ?? '',
      ),
    };
  } finally {
    await sql.end();
  }
};
