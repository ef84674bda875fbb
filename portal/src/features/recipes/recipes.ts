import { listProfiles, type Profile } from '@roastery/contract/profiles';
import { formatNumber } from '../../format/numbers.ts';
import useSWR, { type SWRResponse } from 'swr';
import type { ApiError } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';

export const levelChoices = ['Light', 'Medium', 'Dark'] as const;
export type LevelChoice = (typeof levelChoices)[number];

/** The list filters by three levels; Medium includes its neighbours. */
const levelOf: Record<string, LevelChoice> = {
  Light: 'Light',
  'Medium-Light': 'Medium',
  Medium: 'Medium',
  'Medium-Dark': 'Medium',
  Dark: 'Dark',
};

export interface RecipeFilters {
  q: string;
  origin: string | undefined;
  level: LevelChoice | undefined;
  favoritesOnly: boolean;
}

const contains = (text: string | null, words: string) => text?.toLowerCase().includes(words) ?? false;

export const filterRecipes = (recipes: readonly Profile[], filters: RecipeFilters): readonly Profile[] => {
  const words = filters.q.trim().toLowerCase();
  return recipes.filter(
    (recipe) =>
      (words === '' || contains(recipe.name, words) || contains(recipe.description, words)) &&
      (filters.origin === undefined || recipe.coffee_origin === filters.origin) &&
      (filters.level === undefined || levelOf[recipe.roast_level] === filters.level) &&
      (!filters.favoritesOnly || recipe.is_favorite),
  );
};

/** The origins of the recipes, in alphabetical order. */
export const originsOf = (recipes: readonly Profile[]): readonly string[] =>
  [...new Set(recipes.flatMap(({ coffee_origin: origin }) => (origin === null || origin === '' ? [] : [origin])))].sort(
    (one, other) => one.localeCompare(other),
  );

/** Figures above the list: number of recipes, favorites of this person, highest number of uses. */
export const recipeTotals = (recipes: readonly Profile[]) => ({
  total: recipes.length,
  favorites: recipes.filter((recipe) => recipe.is_favorite).length,
  mostUsed: recipes.reduce((most, recipe) => Math.max(most, recipe.times_used), 0),
});

/** Roast time in minutes: `12`, `10.5`. */
export const minutesText = (seconds: number): string => formatNumber(seconds / 60, 0, 1);

/** Number of full batches left in a lot; null without a lot or a batch size. */
export const estimatedRoasts = (currentKg: number | undefined, maxBatchKg: number | null): number | null =>
  currentKg === undefined || maxBatchKg === null || maxBatchKg <= 0
    ? null
    : Math.max(0, Math.floor(currentKg / maxBatchKg));

export const isInsufficient = (currentKg: number | undefined, maxBatchKg: number | null): boolean =>
  currentKg !== undefined && maxBatchKg !== null && currentKg < maxBatchKg;

/** The maximum of the api. */
const pageSize = 500;

const readAll = async (): Promise<readonly Profile[]> => {
  const recipes: Profile[] = [];
  let total = 1;
  while (recipes.length < total) {
    const page = await call(listProfiles, { query: { limit: pageSize, offset: recipes.length } });
    recipes.push(...page.profiles);
    // The list may shrink between two requests: an empty page ends the loop.
    total = page.profiles.length === 0 ? 0 : page.total;
  }
  return recipes;
};

/** All recipes, for search and filters in the browser. `refresh(listProfiles)` reads them again. */
export const useRecipes = (): SWRResponse<readonly Profile[], ApiError> => useSWR([listProfiles.name, 'all'], readAll);
