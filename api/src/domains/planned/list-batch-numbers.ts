import type { BatchNumber, listBatchNumbers as endpoint } from '@roastery/contract/batch-numbers';
import type { ParsedQuery } from '@roastery/contract/endpoint';
import { containing, type Sql } from '../../db/sql.ts';
import type { SignedInUser } from '../../http/server-context.ts';
import { machineAccess, roastAccess } from '../../identity/access.ts';

/** The state of a number follows from its plan, its roast and the tombstone of a removed roast. */
const numbers = (sql: Sql) => sql`
  SELECT b.batch_number, b.given_at, m.display_name AS machine_name, coalesce(r.id, g.id) AS roast_id,
         CASE WHEN r.id IS NULL AND p.bound_at IS NULL AND p.cancelled_at IS NULL THEN p.id END AS plan_id,
         coalesce(r.coffee_name, p.coffee_name, l.coffee_name, b.coffee_name, g.coffee_name) AS coffee_name,
         CASE WHEN r.id IS NOT NULL THEN 'roasted'
              WHEN p.bound_at IS NULL AND p.cancelled_at IS NOT NULL THEN 'cancelled'
              WHEN p.id IS NOT NULL AND p.bound_at IS NULL THEN 'planned'
              WHEN t.kept IS NOT NULL THEN 'discarded'
              WHEN t.roast_id IS NOT NULL THEN 'deleted'
              WHEN b.lost_at IS NOT NULL THEN 'lost'
              ELSE 'replaced' END AS state,
         CASE WHEN r.id IS NOT NULL THEN NULL
              WHEN p.bound_at IS NULL AND p.cancelled_at IS NOT NULL THEN p.cancelled_at
              WHEN p.id IS NOT NULL AND p.bound_at IS NULL THEN NULL
              ELSE coalesce(t.deleted_at, b.lost_at) END AS ended_at,
         b.machine_id, b.lost_at, b.roast_id AS given_to
  FROM batch_numbers b
  LEFT JOIN machines m ON m.id = b.machine_id
  LEFT JOIN roasts r ON r.batch_number = b.batch_number
  LEFT JOIN roasts g ON g.id = b.roast_id
  LEFT JOIN planned_roasts p ON p.batch_number = b.batch_number
  LEFT JOIN lots l ON l.id = p.lot_id
  LEFT JOIN roast_tombstones t ON t.roast_id = b.roast_id`;

/**
 * Numbers of machines that the caller may see. Roasts without a machine are their owner's; only admins see the owner of
 * a number without a roast. A lost one had no owner.
 */
const numberAccess = (sql: Sql, user: SignedInUser) =>
  user.is_admin
    ? sql`true`
    : sql`(
        n.machine_id = ANY(ARRAY(SELECT m.id FROM machines m WHERE ${machineAccess(sql, user)}))
        OR (n.machine_id IS NULL AND (n.lost_at IS NOT NULL OR EXISTS (
          SELECT FROM roasts r WHERE (r.batch_number = n.batch_number OR r.id = n.given_to) AND ${roastAccess(sql, user)}))))`;

type State = BatchNumber['state'];

/** A cheap condition that all numbers of a state meet: few rows are left to join. */
const mayBe = (sql: Sql, state: State) => {
  const planned = (isCancelled: boolean) => sql`n.batch_number IN (
    SELECT batch_number FROM planned_roasts
    WHERE bound_at IS NULL AND (cancelled_at IS NOT NULL) = ${isCancelled} AND batch_number IS NOT NULL)`;
  switch (state) {
    case 'planned':
      return planned(false);
    case 'cancelled':
      return planned(true);
    case 'discarded':
    case 'deleted':
      return sql`n.given_to IN (SELECT roast_id FROM roast_tombstones)`;
    case 'lost':
      return sql`n.lost_at IS NOT NULL`;
    case 'roasted':
    case 'replaced':
      break;
  }
  return sql`true`;
};

/**
 * The names of all coffees that were roasted, by one index probe each: a few hundred, however many roasts there are.
 */
const roastedCoffees = (sql: Sql) => sql`
  WITH RECURSIVE coffees (name) AS (
    (SELECT coffee_name FROM roasts WHERE coffee_name IS NOT NULL ORDER BY coffee_name LIMIT 1)
    UNION ALL
    SELECT (SELECT r.coffee_name FROM roasts r WHERE r.coffee_name > coffees.name ORDER BY r.coffee_name LIMIT 1)
    FROM coffees WHERE coffees.name IS NOT NULL)
  SELECT name FROM coffees WHERE name IS NOT NULL`;

/** A cheap condition that all numbers found by a search meet: each table is searched by its own columns. */
const mayBeFound = (sql: Sql, search: string) => sql`n.batch_number IN (
  SELECT batch_number FROM batch_numbers WHERE batch_number || ' ' || coalesce(coffee_name, '') ILIKE ${search}
  UNION ALL
  SELECT batch_number FROM batch_numbers
   WHERE machine_id = ANY(ARRAY(SELECT id FROM machines WHERE display_name ILIKE ${search}))
  UNION ALL
  SELECT batch_number FROM roasts
   WHERE batch_number IS NOT NULL AND coffee_name = ANY(ARRAY(
     SELECT c.name FROM (${roastedCoffees(sql)}) c WHERE c.name ILIKE ${search}))
  UNION ALL
  SELECT p.batch_number FROM planned_roasts p LEFT JOIN lots l ON l.id = p.lot_id
   WHERE p.batch_number IS NOT NULL AND (p.coffee_name ILIKE ${search} OR l.coffee_name ILIKE ${search}))`;

/** One page of the used numbers, newest first. */
export const listBatchNumbers = async (
  sql: Sql,
  user: SignedInUser,
  { limit, offset, q, state }: ParsedQuery<typeof endpoint>,
): Promise<{ numbers: BatchNumber[]; total: number }> => {
  const search = q === undefined || q === '' ? undefined : containing(q.replace(/^#/, ''));
  const where = sql`
    ${numberAccess(sql, user)}
    ${state === undefined ? sql`` : sql`AND ${mayBe(sql, state)} AND n.state = ${state}`}
    ${
      search === undefined
        ? sql``
        : sql`AND ${mayBeFound(sql, search)}
              AND (n.batch_number ILIKE ${search} OR n.coffee_name ILIKE ${search} OR n.machine_name ILIKE ${search})`
    }`;
  const [rows, [count]] = await Promise.all([
    sql<BatchNumber[]>`
      SELECT n.batch_number, n.given_at, n.machine_name, n.roast_id, n.plan_id, n.coffee_name, n.state, n.ended_at
      FROM (${numbers(sql)}) n WHERE ${where}
      ORDER BY n.given_at DESC, length(n.batch_number) DESC, n.batch_number DESC LIMIT ${limit} OFFSET ${offset}`,
    sql<{ total: number }[]>`SELECT count(*) AS total FROM (${numbers(sql)}) n WHERE ${where}`,
  ]);
  return { numbers: [...rows], total: count?.total ?? 0 };
};
