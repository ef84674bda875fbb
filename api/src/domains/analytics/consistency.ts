import type {
  analyticsConsistency,
  analyticsRecipeConsistency,
  ComparedRoast,
  RecipeConsistency,
  ReferenceSource,
} from '@roastery/contract/analytics';
import type { ResponseOf } from '@roastery/contract/endpoint';
import { curveDistance } from '@roastery/roasting/curves/compare';
import type { SignedInUser } from '../../http/server-context.ts';
import { readTimeZone } from '../../db/roastery-time-zone.ts';
import type { Sql } from '../../db/sql.ts';
import { notFound } from '../../http/app-error.ts';
import { nextTurn } from '@roastery/runtime/turns';
import { roastAccess } from '../../identity/access.ts';
import { roastedBy } from '../roasts/roast-row.ts';
import { alignedCurve, curveBand, middleCurve, type SecondCurve } from './curve-band.ts';
import { type CurveCache, type CurveSource, curveSourceColumns } from './curve-cache.ts';
import { type AnalyticsFilter, matching } from './matching.ts';

type Consistency = ResponseOf<typeof analyticsConsistency>;

/** Roasts that one page can show and one request can read. */
const maxRoasts = 40;

type Row = Omit<ComparedRoast, 'distance'> & CurveSource;
interface Compared {
  readonly row: Row;
  readonly curve: SecondCurve;
}

const rowColumns = (sql: Sql) => sql`
  r.id, r.said_number, r.start_time, m.display_name AS machine_name, ${roastedBy(sql)} AS roasted_by,
  r.duration_seconds, r.drop_temp, ${curveSourceColumns(sql)}`;
const rowTables = (sql: Sql) => sql`
  roasts r JOIN users o ON o.id = r.owner_id LEFT JOIN machines m ON m.id = r.machine_id`;

type Reference = Compared & { readonly source: ReferenceSource };
type ReferenceRow = Row & { readonly profile_of: string; readonly is_chosen: boolean };

/** The reference roasts of recipes that this person may see: the chosen ones, else the highest-scoring roasts. */
const findReferences = (sql: Sql, user: SignedInUser, profileIds: readonly string[]) => sql<ReferenceRow[]>`
  SELECT DISTINCT ON (p.id) ${rowColumns(sql)}, p.id AS profile_of, r.id = p.reference_roast_id AS is_chosen
    FROM profiles p
    CROSS JOIN LATERAL (
      SELECT p.reference_roast_id AS id
      UNION ALL
      (SELECT r.id FROM roasts r
        WHERE r.profile_id = p.id AND r.status = 'completed' AND r.cupping_score IS NOT NULL AND r.charge_seq IS NOT NULL
          AND ${roastAccess(sql, user)}
        ORDER BY r.cupping_score DESC, r.start_time DESC LIMIT 1)) AS candidate
    JOIN (${rowTables(sql)}) ON r.id = candidate.id
   WHERE p.id = ANY(${[...profileIds]}::uuid[]) AND ${roastAccess(sql, user)} AND r.charge_seq IS NOT NULL
   ORDER BY p.id, (r.id = p.reference_roast_id) DESC NULLS LAST, r.cupping_score DESC NULLS LAST, r.start_time DESC`;

const distanceFrom = (reference: SecondCurve, curve: SecondCurve): ComparedRoast['distance'] => {
  const distance = curveDistance(alignedCurve(curve), alignedCurve(reference));
  return distance === null
    ? null
    : {
        rms: Math.round(distance.rmsC * 100) / 100,
        max: Math.round(distance.maxC * 10) / 10,
        max_at: distance.maxAtSeconds,
      };
};

/** A reference without samples can't be compared: the roast closest to the median is used instead. */
const referenceOf = (
  compared: readonly Compared[],
  found: ReferenceRow | undefined,
  curve: SecondCurve,
): Reference | undefined => {
  if (found !== undefined && curve.length > 0)
    return { row: found, curve, source: found.is_chosen ? 'chosen' : 'best_rated' };
  const typical = medianRoast(compared);
  return typical && { ...typical, source: 'most_typical' };
};

/** Without a reference roast: the roast closest to the median of all. */
const medianRoast = (compared: readonly Compared[]): Compared | undefined => {
  const middle = middleCurve(compared.map(({ curve }) => curve));
  const ranked = compared.flatMap((one) => {
    const distance = distanceFrom(middle, one.curve);
    return distance === null ? [] : [{ one, rms: distance.rms }];
  });
  return ranked.sort((a, b) => a.rms - b.rms)[0]?.one;
};

const shown = ({ row }: Compared, distance: ComparedRoast['distance']): ComparedRoast => ({
  id: row.id,
  said_number: row.said_number,
  start_time: row.start_time,
  machine_name: row.machine_name,
  roasted_by: row.roasted_by,
  duration_seconds: row.duration_seconds,
  drop_temp: row.drop_temp,
  distance,
});

/** Of all but the reference itself, °C. */
const distancesOf = (compared: readonly Compared[], reference: Reference): number[] =>
  compared.flatMap(({ row, curve }) =>
    row.id === reference.row.id ? [] : (distanceFrom(reference.curve, curve)?.rms ?? []),
  );
const meanOf = (values: readonly number[]): number | null =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;

const compareAll = (
  profile: Consistency['profile'],
  compared: readonly Compared[],
  total: number,
  reference: Reference | undefined,
): Consistency => {
  if (reference === undefined) {
    return {
      profile,
      reference: null,
      roasts: compared.map((one) => shown(one, null)),
      total,
      mean_rms: null,
      band: null,
    };
  }
  const roasts = compared.map((one) => shown(one, distanceFrom(reference.curve, one.curve)));
  const { id, said_number, start_time } = reference.row;
  return {
    profile,
    reference: { id, said_number, start_time, source: reference.source },
    roasts,
    total,
    mean_rms: meanOf(distancesOf(compared, reference)),
    band: curveBand(
      compared.map(({ curve }) => curve).filter((curve) => curve.length > 0),
      reference.curve,
    ),
  };
};

/**
 * The deviations of a recipe's newest roasts from its reference. Bounded by their number; curves come from the cache.
 */
export const readConsistency = async (
  sql: Sql,
  user: SignedInUser,
  curves: CurveCache,
  profileId: string,
  filter: AnalyticsFilter,
): Promise<Consistency> => {
  const [profile] = await sql<{ id: string; name: string }[]>`
    SELECT id, name FROM profiles WHERE id = ${profileId} AND archived_at IS NULL`;
  if (!profile) throw notFound('Recipe');
  const zone = await readTimeZone(sql);
  const where = sql`
    ${matching(sql, user, { ...filter, profile_id: profileId }, zone)} AND r.status = 'completed'`;
  const [rows, [count], [found]] = await Promise.all([
    sql<Row[]>`
      SELECT ${rowColumns(sql)} FROM ${rowTables(sql)}
       WHERE ${where} AND r.charge_seq IS NOT NULL ORDER BY r.start_time DESC, r.id DESC LIMIT ${maxRoasts}`,
    sql<{ total: number }[]>`SELECT count(*) AS total FROM roasts r JOIN users o ON o.id = r.owner_id WHERE ${where}`,
    findReferences(sql, user, [profileId]),
  ]);
  const read = await curves.readAll(sql, found === undefined ? rows : [...rows, found]);
  const compared = rows.map((row, index) => ({ row, curve: read[index] ?? [] }));
  return compareAll(profile, compared, count?.total ?? 0, referenceOf(compared, found, read[rows.length] ?? []));
};

/** The limits of the list of all recipes: recipes, and roasts of each. */
const maxRecipes = 50;
const maxRoastsOfRecipe = 10;
/** Recipes whose curves are read by one query: about 30 curves of 7 KB. */
const recipesPerQuery = 3;

/** The recipes with the most matching roasts, the least consistent first. Costs at most 550 curves, most of them from the cache. */
export const readRecipeConsistency = async (
  sql: Sql,
  user: SignedInUser,
  curves: CurveCache,
  filter: AnalyticsFilter,
): Promise<ResponseOf<typeof analyticsRecipeConsistency>> => {
  const zone = await readTimeZone(sql);
  const where = sql`${matching(sql, user, filter, zone)} AND r.status = 'completed'`;
  const recipes = await sql<{ id: string; name: string; roasts: number; total: number }[]>`
    SELECT p.id, p.name, f.roasts, count(*) OVER () AS total
      FROM (SELECT r.profile_id, count(*) AS roasts FROM roasts r JOIN users o ON o.id = r.owner_id
             WHERE ${where} AND r.profile_id IS NOT NULL GROUP BY r.profile_id) f
      JOIN profiles p ON p.id = f.profile_id AND p.archived_at IS NULL
     ORDER BY f.roasts DESC, p.id LIMIT ${maxRecipes}`;
  const compared: RecipeConsistency[] = [];
  for (let start = 0; start < recipes.length; start += recipesPerQuery) {
    const some = recipes.slice(start, start + recipesPerQuery);
    const ids = some.map(({ id }) => id);
    const [rows, references] = await Promise.all([
      sql<(Row & { profile_of: string })[]>`
        SELECT n.* FROM unnest(${ids}::uuid[]) AS p (id)
         CROSS JOIN LATERAL (
           SELECT ${rowColumns(sql)}, r.profile_id AS profile_of FROM ${rowTables(sql)}
            WHERE ${where} AND r.profile_id = p.id AND r.charge_seq IS NOT NULL
            ORDER BY r.start_time DESC, r.id DESC LIMIT ${maxRoastsOfRecipe}) n`,
      findReferences(sql, user, ids),
    ]);
    const read = await curves.readAll(sql, [...rows, ...references]);
    const all = rows.map((row, index) => ({ row, curve: read[index] ?? [] }));
    for (const { id, name, roasts } of some) {
      await nextTurn();
      const own = all.filter(({ row }) => row.profile_of === id);
      const place = references.findIndex((found) => found.profile_of === id);
      const reference = referenceOf(own, references[place], read[rows.length + place] ?? []);
      const distances = reference === undefined ? [] : distancesOf(own, reference);
      compared.push({
        id,
        name,
        roasts,
        compared: distances.length,
        source: reference?.source ?? null,
        mean_rms: meanOf(distances),
        max_rms: distances.length === 0 ? null : Math.max(...distances),
      });
    }
  }
  compared.sort((a, b) => (b.mean_rms ?? -1) - (a.mean_rms ?? -1) || b.roasts - a.roasts);
  return { recipes: compared, total: recipes[0]?.total ?? 0 };
};
