import type { PlannedDay, PlannedRoast } from '@roastery/contract/planned';
import { kilograms, milligrams } from '@roastery/roasting/units';
import { readTimeZone } from '../../db/roastery-time-zone.ts';
import type { Sql } from '../../db/sql.ts';
import { dayOf } from './planned-row.ts';

/** Roasts of a machine by which its pace is judged, and the least for a statement. */
const paceRoasts = 60;
const leastRoasts = 3;
/** A longer time from charge to charge is a pause, s. */
const longestBetween = 5400;

interface Pace {
  readonly machine_id: string;
  readonly day: string;
  readonly roasts: number;
  /** From charge to charge, and from charge to drop, s. */
  readonly gap: number | null;
  readonly roasting: number | null;
  readonly is_today: boolean;
  /** The usual first charge of the machine, on this day. */
  readonly usual_start: string | null;
  readonly last_start: string | null;
}

/** The pace of each machine on each of these days, from its last roasts. */
const readPaces = async (sql: Sql, machineIds: readonly string[], days: readonly string[]) => {
  const timeZone = await readTimeZone(sql);
  return sql<Pace[]>`
    SELECT d.machine_id, d.day::text, p.roasts::int, p.gap::float8, p.roasting::float8,
           d.day = (now() AT TIME ZONE ${timeZone})::date AS is_today,
           (d.day + make_interval(secs => f.seconds)) AT TIME ZONE ${timeZone} AS usual_start, p.last_start
    FROM (SELECT id AS machine_id, said::date AS day
            FROM unnest(${[...machineIds]}::uuid[], ${[...days]}::text[]) AS o (id, said)) d
    CROSS JOIN LATERAL (
      SELECT count(b.gap) FILTER (WHERE b.gap < ${longestBetween}) AS roasts, max(b.start_time) AS last_start,
             percentile_cont(0.5) WITHIN GROUP (ORDER BY b.gap) FILTER (WHERE b.gap < ${longestBetween}) AS gap,
             percentile_cont(0.5) WITHIN GROUP (ORDER BY b.duration_seconds) AS roasting
      FROM (SELECT r.start_time, r.duration_seconds,
                   extract(epoch FROM r.start_time - lag(r.start_time) OVER (ORDER BY r.start_time)) AS gap
              FROM (SELECT start_time, duration_seconds FROM roasts
                     WHERE machine_id = d.machine_id AND status <> 'aborted' ORDER BY start_time DESC LIMIT ${paceRoasts}) r) b) p
    CROSS JOIN LATERAL (
      SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY e.seconds) AS seconds
      FROM (SELECT min(extract(epoch FROM (r.start_time AT TIME ZONE ${timeZone})::time)) AS seconds
              FROM (SELECT start_time FROM roasts
                     WHERE machine_id = d.machine_id AND status <> 'aborted' ORDER BY start_time DESC LIMIT ${paceRoasts}) r
             GROUP BY (r.start_time AT TIME ZONE ${timeZone})::date) e) f`;
};

/** When so many batches are done, ms: they begin at the usual time of day, today not before the drum is free. */
const doneAt = (pace: Pace | undefined, batches: number, now: number): number | null => {
  if (pace === undefined || pace.roasts < leastRoasts || pace.gap === null || pace.roasting === null) return null;
  const usual = pace.usual_start === null ? Number.NaN : Date.parse(pace.usual_start);
  const isFree = pace.last_start === null ? 0 : Date.parse(pace.last_start) + pace.gap * 1000;
  const isRoasting = isFree > now - longestBetween * 1000;
  const first = pace.is_today ? Math.max(now, isFree, isRoasting ? 0 : usual) : usual;
  return Number.isNaN(first) ? null : first + ((batches - 1) * pace.gap + pace.roasting) * 1000;
};

interface Shortage {
  readonly lot_id: string;
  readonly day: string;
  readonly lot_number: string;
  readonly coffee_name: string;
  readonly missing_kg: number;
}

/** Lots that the plans of all machines up to a day use up. */
const readShortages = (sql: Sql, lotIds: readonly string[]) => sql<Shortage[]>`
  WITH planned AS (
    SELECT p.lot_id, ${dayOf(sql)} AS day, sum(p.batch_size_kg) AS kg FROM planned_roasts p
     WHERE p.bound_at IS NULL AND p.cancelled_at IS NULL AND p.lot_id = ANY(${[...lotIds]}::uuid[]) GROUP BY 1, 2),
  needed AS (SELECT lot_id, day, sum(kg) OVER (PARTITION BY lot_id ORDER BY day) AS kg FROM planned)
  SELECT n.lot_id, n.day::text, l.lot_number, l.coffee_name, (n.kg - l.current_weight)::float8 AS missing_kg
  FROM needed n JOIN lots l ON l.id = n.lot_id WHERE n.kg > l.current_weight ORDER BY l.lot_number`;

const keyOf = (machineId: string, day: string): string => `${machineId} ${day}`;

/** What the waiting plans make of each day of each machine, in their order. */
export const readPlannedDays = async (
  sql: Sql,
  planned: readonly PlannedRoast[],
  now: number,
): Promise<PlannedDay[]> => {
  const plansOf = new Map<string, PlannedRoast[]>();
  for (const plan of planned) {
    const key = keyOf(plan.machine_id, plan.day);
    plansOf.set(key, [...(plansOf.get(key) ?? []), plan]);
  }
  const firsts = [...plansOf.values()].flatMap(([first]) => first ?? []);
  if (firsts.length === 0) return [];
  const [paces, shortages] = await Promise.all([
    readPaces(
      sql,
      firsts.map((plan) => plan.machine_id),
      firsts.map((plan) => plan.day),
    ),
    readShortages(sql, [...new Set(planned.flatMap((plan) => plan.lot_id ?? []))]),
  ]);
  const paceOf = new Map(paces.map((pace) => [keyOf(pace.machine_id, pace.day), pace]));
  return [...plansOf.entries()].flatMap(([key, plans]): PlannedDay[] => {
    const [first] = plans;
    if (first === undefined) return [];
    const done = doneAt(paceOf.get(key), plans.length, now);
    const short = shortages.filter(
      ({ lot_id: lot, day }) => day === first.day && plans.some((one) => one.lot_id === lot),
    );
    return [
      {
        machine_id: first.machine_id,
        day: first.day,
        batches: plans.length,
        green_kg: kilograms(plans.reduce((sum, { batch_size_kg: kg }) => sum + milligrams(kg ?? 0), 0)),
        done_at: done === null ? null : new Date(done).toISOString(),
        short: short.map(({ day: _day, ...lot }) => ({ ...lot, missing_kg: kilograms(milligrams(lot.missing_kg)) })),
      },
    ];
  });
};
