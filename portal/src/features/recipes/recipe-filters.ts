import type { Profile } from '@roastery/contract/profiles';

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
