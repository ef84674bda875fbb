import * as contract from '@roastery/contract/auth';
import type { Domain } from '../../app.ts';
import { changePassword } from './change-password.ts';
import { changePreferences } from './change-preferences.ts';
import { endOwnSession, listOwnSessions } from './own-sessions.ts';

export const accountRoutes: Domain = (routes) => {
  routes.forUser(contract.listSessions, async (context) => ({ sessions: await listOwnSessions(context) }));
  routes.forUser(contract.endSession, (context, { params }) => endOwnSession(context, params.id));
  routes.forUser(contract.changePassword, (context, { body }) => changePassword(context, body));
  routes.forUser(contract.updatePreferences, (context, { body }) => changePreferences(context, body));
};
