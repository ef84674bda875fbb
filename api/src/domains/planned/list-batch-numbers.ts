import type { BatchNumber, listBatchNumbers as endpoint } from '@roastery/contract/batch-numbers';
import type { ParsedQuery } from '@roastery/contract/endpoint';
import { containing, type Sql } from '../../db/sql.ts';
import type { SignedInUser } from '../../http/server-context.ts';
import { machineAccess, roastAccess } from '../../identity/access.ts';

/** The state of a number follows from its plan, its roast and the tombstone of a removed roast. */
const numbers = (sql: Sql, user: SignedInUser) => sql`
  SELECT b.batch_number, b.given_at, m.display_name AS machine_name, r.id AS roast_id,
         CASE WHEN r.id IS NULL AND p.bound_at IS NULL AND p.cancelled_at IS NULL THEN p.id END AS plan_id,
         coalesce(r.coffee_name, p.coffee_name, l.coffee_name, b.coffee_name) AS coffee_name,
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
              ELSE coalesce(t.deleted_at, b.lost_at) END AS ended_at
  FROM batch_numbers b
  LEFT JOIN machines m ON m.id = b.machine_id
  LEFT JOIN roasts r ON r.batch_number = b.batch_number
  LEFT JOIN planned_roasts p ON p.batch_number = b.batch_number
  LEFT JOIN lots l ON l.id = p.lot_id
  LEFT JOIN roast_tombstones t ON t.roast_id = b.roast_id
  WHERE (m.id IS NOT NULL AND ${machineAccess(sql, user)}) OR (m.id IS NULL AND ${numberWithoutMachine(sql, user)})`;

/**
 * Roasts without a machine are their owner's; only admins see the owner of a number without a roast. A lost one had no
 * owner.
 */
const numberWithoutMachine = (sql: Sql, user: SignedInUser) =>
  user.is_admin ? sql`true` : sql`(b.lost_at IS NOT NULL OR (r.id IS NOT NULL AND ${roastAccess(sql, user)}))`;

/** One page of the used numbers, newest first. */
export const listBatchNumbers = async (
  sql: Sql,
  user: SignedInUser,
  { limit, offset, q, state }: ParsedQuery<typeof endpoint>,
): Promise<{ numbers: BatchNumber[]; total: number }> => {
  const search = q === undefined || q === '' ? undefined : containing(q.replace(/^#/, ''));
  const where = sql`
    true ${state === undefined ? sql`` : sql`AND n.state = ${state}`}
    ${
      search === undefined
        ? sql``
        : sql`AND (n.batch_number ILIKE ${search} OR n.coffee_name ILIKE ${search} OR n.machine_name ILIKE ${search})`
    }`;
  const rows = await sql<BatchNumber[]>`
    SELECT n.* FROM (${numbers(sql, user)}) n WHERE ${where}
    ORDER BY n.given_at DESC, length(n.batch_number) DESC, n.batch_number DESC LIMIT ${limit} OFFSET ${offset}`;
  const [count] = await sql<{ total: number }[]>`
    SELECT count(*) AS total FROM (${numbers(sql, user)}) n WHERE ${where}`;
  return { numbers: [...rows], total: count?.total ?? 0 };
};
