import { listProfiles, type Profile } from '@roastery/contract/profiles';
import useSWR, { type SWRResponse } from 'swr';
import type { ApiError } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';

/** What the api gives at once. */
const pageSize = 500;

const readAll = async (): Promise<readonly Profile[]> => {
  const recipes: Profile[] = [];
  let total = 1;
  while (recipes.length < total) {
    const page = await call(listProfiles, { query: { limit: pageSize, offset: recipes.length } });
    recipes.push(...page.profiles);
    // A list that shrinks meanwhile must not be asked for for ever.
    total = page.profiles.length === 0 ? 0 : page.total;
  }
  return recipes;
};

/** Every recipe: search and filters of the list work in the browser. Read again by `refresh(listProfiles)`. */
export const useRecipes = (): SWRResponse<readonly Profile[], ApiError> => useSWR([listProfiles.name, 'all'], readAll);
