import { adminStats, listAudit as listAuditEndpoint } from '@roastery/contract/users';
import type { Domain } from '../../app.ts';
import { listAudit, readAdminStats } from './queries.ts';

export const adminRoutes: Domain = (routes) => {
  routes.forUser(adminStats, ({ sql }) => readAdminStats(sql));
  routes.forUser(listAuditEndpoint, ({ sql }, { query }) => listAudit(sql, query));
};
