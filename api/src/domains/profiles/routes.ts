import * as contract from '@roastery/contract/profiles';
import type { Domain } from '../../app.ts';
import { cloneProfile } from './clone-profile.ts';
import { deleteProfile } from './delete-profile.ts';
import { listProfiles } from './queries.ts';
import { createProfile, mustFindProfile, updateProfile } from './save-profile.ts';
import { setReference } from './set-reference.ts';
import { toggleFavorite } from './toggle-favorite.ts';

export const profileRoutes: Domain = (routes) => {
  routes.forUser(contract.listProfiles, ({ sql, user }, { query }) => listProfiles(sql, user, query));
  routes.forUser(contract.getProfile, ({ sql, user }, { params }) => mustFindProfile(sql, user, params.id));
  routes.forUser(contract.createProfile, (context, { body }) => createProfile(context, body));
  routes.forUser(contract.updateProfile, (context, { params, body }) => updateProfile(context, params.id, body));
  routes.forUser(contract.deleteProfile, (context, { params }) => deleteProfile(context, params.id));
  routes.forUser(contract.toggleProfileFavorite, (context, { params }) => toggleFavorite(context, params.id));
  routes.forUser(contract.setReferenceRoast, (context, { params, body }) =>
    setReference(context, params.id, body.roast_id),
  );
  routes.forUser(contract.cloneProfile, (context, { params }) => cloneProfile(context, params.id));
};
