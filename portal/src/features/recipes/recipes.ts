import { listProfiles, type Profile } from '@roastery/contract/profiles';
import { formatNumber } from '../../format/numbers.ts';
import useSWR, { type SWRResponse } from 'swr';
import type { ApiError } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';

export const levelChoices = ['Light', 'Medium', 'Dark'] as const;
export type LevelChoice = (typeof levelChoices)[number];

/** The list filters by three levels; Medium covers its neighbours. */
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

/** Origins that occur in the recipes, in order of the alphabet. */
export const originsOf = (recipes: readonly Profile[]): readonly string[] =>
  [...new Set(recipes.flatMap(({ coffee_origin: origin }) => (origin === null || origin === '' ? [] : [origin])))].sort(
    (one, other) => one.localeCompare(other),
  );

/** Three figures above the list: how many, how many with one's own star, and the most any was used. */
export const recipeTotals = (recipes: readonly Profile[]) => ({
  total: recipes.length,
  favorites: recipes.filter((recipe) => recipe.is_favorite).length,
  mostUsed: recipes.reduce((most, recipe) => Math.max(most, recipe.times_used), 0),
});

/** Roast time as a card has it: `12 min`, `10.5 min`. */
export const minutesText = (seconds: number): string => formatNumber(seconds / 60, 0, 1);

export const kgText = (kg: number): string => formatNumber(kg, 1, 2);

/** How many full batches a lot still gives; null without a lot or a batch size. */
export const estimatedRoasts = (currentKg: number | undefined, maxBatchKg: number | null): number | null =>
  currentKg === undefined || maxBatchKg === null || maxBatchKg <= 0
    ? null
    : Math.max(0, Math.floor(currentKg / maxBatchKg));

export const isInsufficient = (currentKg: number | undefined, maxBatchKg: number | null): boolean =>
  currentKg !== undefined && maxBatchKg !== null && currentKg < maxBatchKg;

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
