import * as contract from '@roastery/contract/alerts';
import type { LotAlert } from '@roastery/contract/alerts';
import type { Domain } from '../../app.ts';
import type { UserContext } from '../../context.ts';
import type { Sql } from '../../db/sql.ts';
import { notFound } from '../../http/app-error.ts';
import { isWatched } from '../../ledger/move-lot.ts';
import { readMailStatus, sendTestMail } from './mail-status.ts';

export const alertRoutes: Domain = (routes) => {
  routes.forUser(contract.listAlerts, async ({ sql, user }) => ({ alerts: await listAlerts(sql, user.id) }));
  routes.forUser(contract.dismissAlert, (context, { params }) => dismissAlert(context, params.id));
  routes.forUser(contract.getMailStatus, (context) => readMailStatus(context));
  routes.forUser(contract.sendTestMail, (context) => sendTestMail(context));
};

/** Watched lots that are low and that this person has not dismissed, newest first. */
export const listAlerts = async (sql: Sql, userId: string): Promise<LotAlert[]> => {
  const rows = await sql<LotAlert[]>`
    SELECT a.lot_id, l.lot_number, l.coffee_name, l.current_weight, a.raised_at,
           ARRAY(SELECT p.name FROM profiles p
                  WHERE p.green_coffee_lot_id = l.id AND p.alert_low_inventory AND p.archived_at IS NULL
                  ORDER BY lower(p.name), p.id) AS recipes
      FROM lot_alerts a JOIN lots l ON l.id = a.lot_id
     WHERE ${isWatched(sql)} AND NOT EXISTS (
           SELECT FROM lot_alert_dismissals d WHERE d.lot_id = a.lot_id AND d.user_id = ${userId})
     ORDER BY a.raised_at DESC, a.lot_id`;
  return [...rows];
};

/** For this person, until the lot was restocked and falls again. Dismissing twice is allowed. */
export const dismissAlert = async ({ sql, user }: UserContext, lotId: string): Promise<{ message: string }> => {
  const [alert] = await sql`
    WITH alert AS (SELECT lot_id FROM lot_alerts WHERE lot_id = ${lotId} FOR KEY SHARE),
    noted AS (
      INSERT INTO lot_alert_dismissals (lot_id, user_id) SELECT lot_id, ${user.id} FROM alert ON CONFLICT DO NOTHING)
    SELECT lot_id FROM alert`;
  if (alert === undefined) throw notFound('Alert');
  return { message: 'Dismissed until the lot runs low again.' };
};
