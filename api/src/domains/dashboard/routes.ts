import * as contract from '@roastery/contract/dashboard';
import type { Domain } from '../../app.ts';
import { readSystemStats } from './system-stats.ts';

export const dashboardRoutes: Domain = (routes) => {
  routes.forUser(contract.systemStats, ({ sql, user }) => readSystemStats(sql, user));
};
