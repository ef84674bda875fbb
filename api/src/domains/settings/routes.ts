import * as contract from '@roastery/contract/settings';
import type { Domain } from '../../app.ts';
import { createOption, deleteOption, listOptions, seedDefaults } from './options.ts';
import { changeRoastery, readRoastery } from './roastery.ts';

export const settingsRoutes: Domain = (routes) => {
  routes.forUser(contract.listOptions, ({ sql }, { params, query }) =>
    listOptions(sql, params.category, query.active_only ?? false),
  );
  routes.forUser(contract.createOption, (context, { body }) => createOption(context, body));
  routes.forUser(contract.deleteOption, (context, { params }) => deleteOption(context, params.id));
  routes.forUser(contract.seedDefaults, (context) => seedDefaults(context));
  routes.forUser(contract.getRoasterySettings, ({ sql }) => readRoastery(sql));
  routes.forUser(contract.putRoasterySettings, (context, { body }) => changeRoastery(context, body));
};
