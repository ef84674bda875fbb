import * as contract from '@roastery/contract/users';
import type { Domain } from '../../app.ts';
import { createUser, resetPassword, updateUser } from './commands.ts';
import { listUsers } from './queries.ts';

export const userRoutes: Domain = (routes) => {
  routes.forUser(contract.listUsers, ({ sql }, { query }) => listUsers(sql, query));
  routes.forUser(contract.createUser, (context, { body }) => createUser(context, body));
  routes.forUser(contract.updateUser, (context, { params, body }) => updateUser(context, params.id, body));
  routes.forUser(contract.resetPassword, (context, { params }) => resetPassword(context, params.id));
};
