import type { Machine } from '@roastery/contract/machines';
import type { SignedInUser } from '../../http/server-context.ts';
import { machineAccess, machineRole } from '../../identity/access.ts';
import { connectionOf, lacksMapOf, silenceOf } from '../../identity/machines.ts';
import { asksChannels, exchangedRoasts } from '../machine-maps/channel-check.ts';
import { unreadDrift } from '../analytics/machine-drifts.ts';
import { unreadUpdate } from '../machine-maps/map-updates.ts';
import { containing, type Sql } from '../../db/sql.ts';
import { batchKg, sumOfKg } from '../../ledger/weights.ts';

/** A roast counts with its green weight. */
const columns = (sql: Sql, user: SignedInUser) => sql`
  m.id, m.serial_number, m.display_name, m.machine_type, m.max_capacity_kg, m.batch_prefix, m.created_at, m.archived_at, m.last_seen_at,
  m.owner_id, o.full_name AS owner_name, m.revision, ${machineRole(sql, user)} AS role,
  ${lacksMapOf(sql)} AS lacks_map, ${silenceOf(sql)},
  coalesce(m.status -> 'source' ->> 'kind' = 'artisan', false) AS runs_artisan,
  ${exchangedRoasts(sql)} AS channels_exchanged,
  ${connectionOf(sql)} AS connection,
  ${unreadUpdate(sql, user)} AS map_update, ${asksChannels(sql, user)} AS asks_channels,
  ${unreadDrift(sql, user)} AS drift,
  coalesce(t.total_roasts, 0) AS total_roasts, coalesce(t.total_kg_roasted, 0) AS total_kg_roasted,
  (SELECT r.id FROM roasts r WHERE r.machine_id = m.id AND r.status = 'in_progress'
    ORDER BY r.start_time DESC LIMIT 1) AS current_roast_id`;

const totals = (sql: Sql) => sql`
  LEFT JOIN LATERAL (
    SELECT count(*) AS total_roasts, ${sumOfKg(sql, batchKg(sql))} AS total_kg_roasted FROM roasts r WHERE r.machine_id = m.id
  ) t ON true`;

export const findMachine = async (sql: Sql, user: SignedInUser, id: string): Promise<Machine | undefined> => {
  const [row] = await sql<Machine[]>`
    SELECT ${columns(sql, user)} FROM machines m JOIN users o ON o.id = m.owner_id ${totals(sql)}
     WHERE m.id = ${id} AND ${machineAccess(sql, user)}`;
  return row;
};

export interface MachineListQuery {
  readonly limit: number;
  readonly offset: number;
  readonly q?: string | undefined;
  readonly sort: 'newest' | 'oldest' | 'most_roasts' | 'name';
  readonly include_archived: 'true' | 'false';
}

const orders = {
  newest: (sql: Sql) => sql`m.created_at DESC, m.id DESC`,
  oldest: (sql: Sql) => sql`m.created_at, m.id`,
  most_roasts: (sql: Sql) => sql`total_roasts DESC, m.created_at DESC, m.id DESC`,
  name: (sql: Sql) => sql`lower(m.display_name), m.id`,
};

export const listMachines = async (
  sql: Sql,
  user: SignedInUser,
  query: MachineListQuery,
): Promise<{ machines: Machine[]; total: number }> => {
  const search = query.q === undefined || query.q === '' ? undefined : containing(query.q);
  const where = sql`
    ${machineAccess(sql, user)}
    ${query.include_archived === 'true' ? sql`` : sql`AND m.archived_at IS NULL`}
    ${search === undefined ? sql`` : sql`AND (m.serial_number ILIKE ${search} OR m.display_name ILIKE ${search})`}`;
  const [count] = await sql<{ total: number }[]>`SELECT count(*) AS total FROM machines m WHERE ${where}`;
  const machines = await sql<Machine[]>`
    SELECT ${columns(sql, user)} FROM machines m JOIN users o ON o.id = m.owner_id ${totals(sql)}
     WHERE ${where} ORDER BY ${orders[query.sort](sql)} LIMIT ${query.limit} OFFSET ${query.offset}`;
  return { machines, total: count?.total ?? 0 };
};

/** Machines that are not archived; roasts and kg of archived ones still count. */
export const readTotals = async (sql: Sql, user: SignedInUser) => {
  const [machines] = await sql<{ machines: number }[]>`
    SELECT count(*) AS machines FROM machines m WHERE m.archived_at IS NULL AND ${machineAccess(sql, user)}`;
  const [roasts] = await sql<{ roasts: number; kg_roasted: number }[]>`
    SELECT count(*) AS roasts, ${sumOfKg(sql, batchKg(sql))} AS kg_roasted
      FROM roasts r JOIN machines m ON m.id = r.machine_id WHERE ${machineAccess(sql, user)}`;
  return { machines: machines?.machines ?? 0, roasts: roasts?.roasts ?? 0, kg_roasted: roasts?.kg_roasted ?? 0 };
};
