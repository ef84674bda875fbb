import * as contract from '@roastery/contract/dashboard';
import type { systemStats as systemStatsEndpoint } from '@roastery/contract/dashboard';
import type { ResponseOf } from '@roastery/contract/endpoint';
import type { Domain } from '../../app.ts';
import type { SignedInUser } from '../../http/server-context.ts';
import { readTimeZone } from '../../db/roastery-time-zone.ts';
import type { Sql } from '../../db/sql.ts';
import { batchKg, sumOfKg } from '../../ledger/weights.ts';
import { machineAccess, roastAccess } from '../../identity/access.ts';
import { isOnline } from '../../identity/machines.ts';

export const dashboardRoutes: Domain = (routes) => {
  routes.forUser(contract.systemStats, ({ sql, user }) => readSystemStats(sql, user));
};

export type SystemStats = ResponseOf<typeof systemStatsEndpoint>;

/**
 * The four figures of the dashboard, over the records that a person may see. A machine is active when it is not
 * archived and its board is online. Days and months are the roastery's own, including clock changes.
 */
export const readSystemStats = async (sql: Sql, user: SignedInUser, now = new Date()): Promise<SystemStats> => {
  const zone = await readTimeZone(sql);
  const at = now.toISOString();
  const visible = roastAccess(sql, user);
  const [[machines], [roasts]] = await Promise.all([
    sql<{ total: number; active: number }[]>`
      SELECT count(*) AS total,
             count(*) FILTER (WHERE ${isOnline(sql, sql`${at}::timestamptz`)}) AS active
      FROM machines m WHERE m.archived_at IS NULL AND ${machineAccess(sql, user)}`,
    sql<
      {
        today: number;
        month: number;
        kg: number;
        unweighed: number;
        has_roasts: boolean;
        has_lots: boolean;
        has_recipes: boolean;
      }[]
    >`
      SELECT
        (SELECT count(*) FROM roasts r WHERE ${visible}
          AND r.start_time >= date_trunc('day', ${at}::timestamptz, ${zone})
          AND r.start_time < date_trunc('day', ${at}::timestamptz AT TIME ZONE ${zone} + interval '1 day') AT TIME ZONE ${zone}) AS today,
        (SELECT count(*) FROM roasts r WHERE ${visible}
          AND r.start_time >= date_trunc('month', ${at}::timestamptz, ${zone})
          AND r.start_time < date_trunc('month', ${at}::timestamptz AT TIME ZONE ${zone} + interval '1 month') AT TIME ZONE ${zone}) AS month,
        (SELECT ${sumOfKg(sql, batchKg(sql))} FROM roasts r WHERE ${visible}) AS kg,
        (SELECT count(*) FROM roasts r WHERE ${visible} AND r.status = 'completed' AND r.end_weight_kg IS NULL) AS unweighed,
        EXISTS (SELECT FROM roasts r WHERE ${visible}) AS has_roasts,
        EXISTS (SELECT FROM lots) AS has_lots, EXISTS (SELECT FROM profiles) AS has_recipes`,
  ]);
  return {
    activeMachines: machines?.active ?? 0,
    totalMachines: machines?.total ?? 0,
    todayRoasts: roasts?.today ?? 0,
    thisMonthRoasts: roasts?.month ?? 0,
    totalRoasted: roasts?.kg ?? 0,
    unweighedRoasts: roasts?.unweighed ?? 0,
    hasRoasts: roasts?.has_roasts ?? false,
    hasLots: roasts?.has_lots ?? false,
    hasRecipes: roasts?.has_recipes ?? false,
  };
};
