import type { analyticsConsistency, ComparedRoast, ReferenceSource } from '@roastery/contract/analytics';
import type { ResponseOf } from '@roastery/contract/endpoint';
import { curveDistance } from '@roastery/roasting/compare';
import type { SignedInUser } from '../../http/server-context.ts';
import { readTimeZone } from '../../db/roastery-time-zone.ts';
import type { Sql } from '../../db/sql.ts';
import { notFound } from '../../http/app-error.ts';
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
  r.id, r.shown_number AS roast_number, r.start_time, m.display_name AS machine_name, ${roastedBy(sql)} AS roasted_by,
  r.duration_seconds, r.drop_temp, ${curveSourceColumns(sql)}`;
const rowTables = (sql: Sql) => sql`
  roasts r JOIN users o ON o.id = r.owner_id LEFT JOIN machines m ON m.id = r.machine_id`;

/** The recipe's reference roast as far as this person may see it: its choice, else its best cupped roast. */
const findReference = async (
  sql: Sql,
  user: SignedInUser,
  profileId: string,
): Promise<{ row: Row; source: ReferenceSource } | undefined> => {
  const [found] = await sql<(Row & { is_chosen: boolean })[]>`
    SELECT ${rowColumns(sql)}, r.id = p.reference_roast_id AS is_chosen
      FROM ${rowTables(sql)} JOIN profiles p ON p.id = ${profileId}
     WHERE ${roastAccess(sql, user)} AND r.charge_seq IS NOT NULL
       AND (r.id = p.reference_roast_id
            OR (r.profile_id = p.id AND r.status = 'completed' AND r.cupping_score IS NOT NULL))
     ORDER BY (r.id = p.reference_roast_id) DESC NULLS LAST, r.cupping_score DESC NULLS LAST, r.start_time DESC LIMIT 1`;
  if (found === undefined) return undefined;
  const { is_chosen: isChosen, ...row } = found;
  return { row, source: isChosen ? 'chosen' : 'best_rated' };
};

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

/** Without a reference roast: the roast that lies nearest to the median of all. */
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
  roast_number: row.roast_number,
  start_time: row.start_time,
  machine_name: row.machine_name,
  roasted_by: row.roasted_by,
  duration_seconds: row.duration_seconds,
  drop_temp: row.drop_temp,
  distance,
});

const compareAll = (
  profile: Consistency['profile'],
  compared: readonly Compared[],
  total: number,
  reference: (Compared & { source: ReferenceSource }) | undefined,
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
  const others = roasts.flatMap(({ id, distance }) =>
    id === reference.row.id || distance === null ? [] : [distance.rms],
  );
  const { id, roast_number, start_time } = reference.row;
  return {
    profile,
    reference: { id, roast_number, start_time, source: reference.source },
    roasts,
    total,
    mean_rms: others.length === 0 ? null : others.reduce((sum, rms) => sum + rms, 0) / others.length,
    band: curveBand(
      compared.map(({ curve }) => curve).filter((curve) => curve.length > 0),
      reference.curve,
    ),
  };
};

/** How near the newest roasts of a recipe came to its reference. Bounded by their number; curves come from the cache. */
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
  const [rows, [count], reference] = await Promise.all([
    sql<Row[]>`
      SELECT ${rowColumns(sql)} FROM ${rowTables(sql)}
       WHERE ${where} AND r.charge_seq IS NOT NULL ORDER BY r.start_time DESC, r.id DESC LIMIT ${maxRoasts}`,
    sql<{ total: number }[]>`SELECT count(*) AS total FROM roasts r JOIN users o ON o.id = r.owner_id WHERE ${where}`,
    findReference(sql, user, profileId),
  ]);
  const read = await curves.readAll(sql, reference === undefined ? rows : [...rows, reference.row]);
  const compared = rows.map((row, index) => ({ row, curve: read[index] ?? [] }));
  const referenceCurve = read[rows.length] ?? [];
  // A reference whose samples were not kept says nothing.
  if (reference !== undefined && referenceCurve.length > 0) {
    return compareAll(profile, compared, count?.total ?? 0, { ...reference, curve: referenceCurve });
  }
  const typical = medianRoast(compared);
  return compareAll(
    profile,
    compared,
    count?.total ?? 0,
    typical === undefined ? undefined : { ...typical, source: 'most_typical' },
  );
};
