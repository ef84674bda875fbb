import { adminStats, type AuditEntry, listAudit as listAuditEndpoint } from '@roastery/contract/users';
import type { Domain } from '../../app.ts';
import { readTimeZone } from '../../db/roastery-time-zone.ts';
import { containing, type Sql } from '../../db/sql.ts';
import { isOnline } from '../../identity/machines.ts';

export const adminRoutes: Domain = (routes) => {
  routes.forUser(adminStats, ({ sql }) => readAdminStats(sql));
  routes.forUser(listAuditEndpoint, ({ sql }, { query }) => listAudit(sql, query));
};

export interface AdminStats {
  total_users: number;
  active_users: number;
  total_machines: number;
  active_machines: number;
  total_roasts: number;
  roasts_this_month: number;
}

/** Archived machines are not counted; the board of an active one is online. The month is the roastery's. */
export const readAdminStats = async (sql: Sql): Promise<AdminStats> => {
  const zone = await readTimeZone(sql);
  const [row] = await sql<AdminStats[]>`
    SELECT (SELECT count(*) FROM users) AS total_users,
           (SELECT count(*) FROM users WHERE is_active) AS active_users,
           (SELECT count(*) FROM machines WHERE archived_at IS NULL) AS total_machines,
           (SELECT count(*) FROM machines m WHERE m.archived_at IS NULL AND ${isOnline(sql)}) AS active_machines,
           (SELECT count(*) FROM roasts) AS total_roasts,
           (SELECT count(*) FROM roasts
             WHERE start_time >= date_trunc('month', now(), ${zone})
               AND start_time < date_trunc('month', now() AT TIME ZONE ${zone} + interval '1 month') AT TIME ZONE ${zone}
           ) AS roasts_this_month`;
  if (!row) throw new Error('no figures');
  return row;
};

export interface AuditQuery {
  readonly limit: number;
  readonly offset: number;
  readonly q?: string | undefined;
  readonly action?: string | undefined;
}

export const listAudit = async (sql: Sql, query: AuditQuery): Promise<{ entries: AuditEntry[]; total: number }> => {
  const search = query.q === undefined || query.q === '' ? undefined : containing(query.q);
  const where = sql`
    ${query.action === undefined || query.action === '' ? sql`true` : sql`action = ${query.action}`}
    ${search === undefined ? sql`` : sql`AND (actor ILIKE ${search} OR action ILIKE ${search} OR subject ILIKE ${search})`}`;
  const [count] = await sql<{ total: number }[]>`SELECT count(*) AS total FROM audit_log WHERE ${where}`;
  const entries = await sql<AuditEntry[]>`
    SELECT id, at, actor, action, subject, address, detail FROM audit_log WHERE ${where}
     ORDER BY at DESC, id DESC LIMIT ${query.limit} OFFSET ${query.offset}`;
  return { entries, total: count?.total ?? 0 };
};
