import * as contract from '@roastery/contract/analytics';
import type { Domain } from '../../app.ts';
import { readChoices } from './choices.ts';
import { readConsistency } from './consistency.ts';
import { createCurveCache } from './curve-cache.ts';
import { readGreen } from './green.ts';
import { readGroups } from './groups.ts';
import { readProduction } from './production.ts';

export const analyticsRoutes: Domain = (routes) => {
  const curves = createCurveCache();
  routes.forUser(contract.analyticsProduction, ({ sql, user }, { query }) => readProduction(sql, user, query));
  routes.forUser(contract.analyticsGroups, ({ sql, user }, { params, query }) =>
    readGroups(sql, user, params.by, query),
  );
  routes.forUser(contract.analyticsChoices, ({ sql, user }, { query }) => readChoices(sql, user, query));
  routes.forUser(contract.analyticsConsistency, ({ sql, user }, { params, query }) =>
    readConsistency(sql, user, curves, params.id, query),
  );
  routes.forUser(contract.analyticsGreen, ({ sql, user }, { query }) => readGreen(sql, user, query));
};
