import * as contract from '@roastery/contract/alarms';
import type { RoastAlarm } from '@roastery/contract/alarms';
import type { Domain } from '../../app.ts';
import type { UserContext } from '../../context.ts';
import { notFound } from '../../http/app-error.ts';
import { requireRoast } from '../../identity/access.ts';
import { mountPush } from './push.ts';
import { mountAlarmRules } from './rules.ts';
import { notifyAlarms, readRecentAlarms, readRoastAlarms } from './stored-alarms.ts';

export const alarmRoutes: Domain = (routes) => {
  routes.forUser(contract.listRecentAlarms, async ({ sql, user }) => ({ alarms: await readRecentAlarms(sql, user) }));
  routes.forUser(contract.listRoastAlarms, async ({ sql, user }, { params }) => {
    await requireRoast(sql, user, params.id, 'see');
    return { alarms: await readRoastAlarms(sql, params.id) };
  });
  mountAlarmRules(routes);
  mountPush(routes);
  routes.forUser(contract.acknowledgeAlarm, (context, { params }) => acknowledge(context, params.id, params.alarm_id));
};

/**
 * The first acknowledgement stays. It does not change the roast and is stored with the alarm, so it has no audit row.
 */
const acknowledge = async ({ sql, user }: UserContext, roastId: string, alarmId: string): Promise<RoastAlarm> => {
  await requireRoast(sql, user, roastId, 'roast');
  await sql`
    WITH changed AS (
      UPDATE roast_alarms SET acknowledged_at = now(), acknowledged_by = ${user.id}
      WHERE id = ${alarmId} AND roast_id = ${roastId} AND acknowledged_at IS NULL
      RETURNING roast_id, machine_id)
    ${notifyAlarms(sql)}`;
  const alarm = (await readRoastAlarms(sql, roastId)).find(({ id }) => id === alarmId);
  if (alarm === undefined) throw notFound('Alarm');
  return alarm;
};
