import * as contract from '@roastery/contract/analytics';
import type { analyticsChoices } from '@roastery/contract/analytics';
import type { ResponseOf } from '@roastery/contract/endpoint';
import { dismissMachineDrift } from '@roastery/contract/machine-drift';
import { getMachineLessons } from '@roastery/contract/machine-lessons';
import { getForecastBasis } from '@roastery/contract/roast-forecasts';
import type { Domain } from '../../app.ts';
import type { SignedInUser } from '../../http/server-context.ts';
import { readTimeZone } from '../../db/roastery-time-zone.ts';
import type { Sql } from '../../db/sql.ts';
import { roastedBy } from '../roasts/roast-row.ts';
import { readConsistency, readRecipeConsistency } from './consistency.ts';
import { createCurveCache } from './curve-cache.ts';
import { readForecastBasis } from './forecast-basis.ts';
import { createLearntForecasts } from './learnt-forecasts.ts';
import { dismissDrift } from './machine-drifts.ts';
import { createMachineLessons } from './machine-lessons.ts';
import { readGreen } from './green.ts';
import { readGroups } from './groups.ts';
import { readProduction } from './production.ts';
import { matchedWithPeople, matching } from './matching.ts';

export const analyticsRoutes: Domain = (routes) => {
  const curves = createCurveCache();
  const learnt = createLearntForecasts();
  const lessons = createMachineLessons();
  routes.forUser(contract.analyticsProduction, ({ sql, user }, { query }) => readProduction(sql, user, query));
  routes.forUser(contract.analyticsGroups, ({ sql, user }, { params, query }) =>
    readGroups(sql, user, params.by, query),
  );
  routes.forUser(contract.analyticsChoices, ({ sql, user }, { query }) => readChoices(sql, user, query));
  routes.forUser(contract.analyticsRecipeConsistency, ({ sql, user }, { query }) =>
    readRecipeConsistency(sql, user, curves, query),
  );
  routes.forUser(contract.analyticsConsistency, ({ sql, user }, { params, query }) =>
    readConsistency(sql, user, curves, params.id, query),
  );
  routes.forUser(getForecastBasis, ({ sql, user }, { params }) =>
    readForecastBasis(sql, user, { curves, learnt }, params.id),
  );
  routes.forUser(dismissMachineDrift, (context, { params }) => dismissDrift(context, params.id, params.drift_id));
  routes.forUser(getMachineLessons, ({ sql, user }, { params }) => lessons.of(sql, user, params.id));
  routes.forUser(contract.analyticsGreen, ({ sql, user }, { query }) => readGreen(sql, user, query));
};

/** Choices are limited; a longer list drops the least used ones. */
const maxChoices = 500;

interface ChoiceRow {
  kind: 'machine' | 'coffee' | 'recipe' | 'person';
  id: string | null;
  name: string;
  roasts: number;
}

/** Machines, coffees, recipes and people of the roasts in a span, by name. */
export const readChoices = async (
  sql: Sql,
  user: SignedInUser,
  span: { readonly from?: string | undefined; readonly to?: string | undefined },
): Promise<ResponseOf<typeof analyticsChoices>> => {
  const zone = await readTimeZone(sql);
  const rows = await sql<ChoiceRow[]>`
    WITH found AS (
      SELECT r.machine_id, r.profile_id, r.coffee_name, ${roastedBy(sql)} AS person,
             grouping(r.machine_id) = 0 AS of_machine, grouping(r.profile_id) = 0 AS of_profile,
             grouping(r.coffee_name) = 0 AS of_coffee, count(*) AS roasts
        FROM ${matchedWithPeople(sql)} WHERE ${matching(sql, user, span, zone)}
       GROUP BY GROUPING SETS ((r.machine_id), (r.profile_id), (r.coffee_name), (4))),
    named AS (
      SELECT 'machine' AS kind, m.id, m.display_name AS name, f.roasts
        FROM found f JOIN machines m ON m.id = f.machine_id WHERE f.of_machine
      UNION ALL
      SELECT 'recipe', p.id, p.name, f.roasts FROM found f JOIN profiles p ON p.id = f.profile_id WHERE f.of_profile
      UNION ALL
      SELECT 'coffee', NULL, f.coffee_name, f.roasts FROM found f WHERE f.of_coffee AND f.coffee_name IS NOT NULL
      UNION ALL
      SELECT 'person', NULL, f.person, f.roasts
        FROM found f WHERE NOT (f.of_machine OR f.of_profile OR f.of_coffee) AND f.person IS NOT NULL),
    placed AS (SELECT *, row_number() OVER (PARTITION BY kind ORDER BY roasts DESC, name) AS place FROM named)
    SELECT kind, id, name, roasts FROM placed WHERE place <= ${maxChoices} ORDER BY lower(name), id`;
  const named = (kind: ChoiceRow['kind']) =>
    rows.flatMap((row) =>
      row.kind === kind && row.id !== null ? [{ id: row.id, name: row.name, roasts: row.roasts }] : [],
    );
  const names = (kind: ChoiceRow['kind']) => rows.flatMap((row) => (row.kind === kind ? [row.name] : []));
  return {
    machines: named('machine').map(({ id, name }) => ({ id, name })),
    coffees: names('coffee'),
    recipes: named('recipe'),
    people: names('person'),
  };
};
