import type { Profile } from '@roastery/contract/profiles';
import { describe, expect, it } from 'vitest';
import { filterRecipes, originsOf, recipeTotals } from './recipes.ts';

const recipe = (name: string, change: Partial<Profile> = {}): Profile => ({
  id: name,
  name,
  description: null,
  coffee_origin: null,
  coffee_variety: null,
  roast_level: 'Medium',
  target_charge_temp: null,
  target_drop_temp: 210,
  target_roast_time: 720,
  target_development_time: 150,
  min_batch_size: 10,
  max_batch_size: 15,
  green_coffee_lot_id: null,
  auto_deduct_inventory: true,
  alert_low_inventory: false,
  control_profile: [],
  auto_interpolate: true,
  is_favorite: false,
  times_used: 0,
  lot_info: null,
  reference_roast_id: null,
  reference_is_chosen: false,
  revision: 1,
  ...change,
});
const recipes = [
  recipe('Konga Filter', { coffee_origin: 'Ethiopia', roast_level: 'Light', is_favorite: true, times_used: 12 }),
  recipe('Sidamo', { coffee_origin: 'Ethiopia', roast_level: 'Medium-Light', description: 'for the filter bar' }),
  recipe('House', { coffee_origin: 'Brazil', roast_level: 'Medium-Dark', times_used: 31 }),
  recipe('Gayo', { roast_level: 'Dark' }),
];
const all = { q: '', origin: undefined, level: undefined, favoritesOnly: false };
const names = (filters: Partial<Parameters<typeof filterRecipes>[1]>) =>
  filterRecipes(recipes, { ...all, ...filters }).map(({ name }) => name);

describe('the recipe list', () => {
  it('searches name and description, whatever the case [P113]', () => {
    expect(names({ q: ' FILTER ' })).toEqual(['Konga Filter', 'Sidamo']);
    expect(names({ q: 'brazil' })).toEqual([]);
  });
  it('includes the neighbours of Medium [P180]', () => {
    expect(names({ level: 'Medium' })).toEqual(['Sidamo', 'House']);
    expect(names({ level: 'Light' })).toEqual(['Konga Filter']);
    expect(names({ level: 'Dark' })).toEqual(['Gayo']);
  });
  it('filters by origin and by star, together', () => {
    expect(names({ origin: 'Ethiopia' })).toEqual(['Konga Filter', 'Sidamo']);
    expect(names({ origin: 'Ethiopia', favoritesOnly: true })).toEqual(['Konga Filter']);
  });
  it('offers the existing origins [P113]', () => expect(originsOf(recipes)).toEqual(['Brazil', 'Ethiopia']));
  it('counts recipes, favorites and uses [P112]', () => {
    expect(recipeTotals(recipes)).toEqual({ total: 4, favorites: 1, mostUsed: 31 });
    expect(recipeTotals([])).toEqual({ total: 0, favorites: 0, mostUsed: 0 });
  });
});
