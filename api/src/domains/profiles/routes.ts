import type { ResponseOf } from '@roastery/contract/endpoint';
import * as contract from '@roastery/contract/profiles';
import type { Domain } from '../../app.ts';
import { JsonPieces } from '../../http/streamed-answer.ts';
import { cloneProfile, deleteProfile, setReference, toggleFavorite } from './commands.ts';
import { listProfiles } from './queries.ts';
import { createProfile, mustFindProfile, updateProfile } from './save-profile.ts';

/**
 * One recipe after another: 500 recipes of 1,800 points are 50 MB, whose JSON would block the event loop if generated
 * at once.
 */
function* profilePieces({ profiles, total }: ResponseOf<typeof contract.listProfiles>): Generator<string> {
  yield '{"profiles":[';
  for (const [index, profile] of profiles.entries()) yield `${index === 0 ? '' : ','}${JSON.stringify(profile)}`;
  yield `],"total":${total}}`;
}

export const profileRoutes: Domain = (routes) => {
  routes.forUser(
    contract.listProfiles,
    async ({ sql, user }, { query }) => new JsonPieces(profilePieces(await listProfiles(sql, user, query))),
  );
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
