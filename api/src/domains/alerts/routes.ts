import * as contract from '@roastery/contract/alerts';
import type { Domain } from '../../app.ts';
import { dismissAlert, listAlerts } from './lot-alerts.ts';
import { readMailStatus, sendTestMail } from './mail-status.ts';

export const alertRoutes: Domain = (routes) => {
  routes.forUser(contract.listAlerts, async ({ sql, user }) => ({ alerts: await listAlerts(sql, user.id) }));
  routes.forUser(contract.dismissAlert, (context, { params }) => dismissAlert(context, params.id));
  routes.forUser(contract.getMailStatus, (context) => readMailStatus(context));
  routes.forUser(contract.sendTestMail, (context) => sendTestMail(context));
};
