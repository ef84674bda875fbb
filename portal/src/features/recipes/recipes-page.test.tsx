import { listProfiles, toggleProfileFavorite } from '@roastery/contract/profiles';
import { screen, within } from '@testing-library/dom';
import { describe, expect, it } from 'vitest';
import { openPortal, textOf } from '../../testing/open-portal.tsx';
import { idOf, recipe } from '../../testing/records.ts';
import { answer } from '../../testing/table-server.ts';

const lychee = recipe({
  id: idOf(32),
  name: 'Lychee',
  description: 'for the filter bar',
  coffee_origin: 'Colombia',
  coffee_variety: 'Castillo',
  roast_level: 'Medium-Light',
  target_drop_temp: 206,
  target_roast_time: 585,
  green_coffee_lot_id: idOf(21),
  lot_info: { lot_number: 'CO-26-11', current_weight: 61.5 },
});
const gayo = recipe({ id: idOf(33), name: 'Gayo Dark', coffee_origin: 'Indonesia', roast_level: 'Dark' });
const recipes = (...profiles: ReturnType<typeof recipe>[]) =>
  answer(listProfiles, { profiles, total: profiles.length });
const names = () => screen.queryAllByRole('article').map((card) => textOf(within(card).getByRole('heading')));
const card = (name: string) => screen.getByRole('article', { name });
const stat = (label: string) =>
  textOf(screen.getByRole('heading', { name: label }).parentElement?.parentElement ?? document.body);

describe('recipes', () => {
  it('are empty at first [P119 P202 P203 P208 P209]', async () => {
    const { user } = await openPortal('/recipes', { answers: [recipes()] });
    await screen.findByText('No recipes found');
    await user.click(screen.getByRole('link', { name: 'Create Recipe' }));
    await expect.poll(() => location.pathname).toBe('/recipes/new');
  });

  it('cards show their main figures [P113 P114 P115 P179]', async () => {
    await openPortal('/recipes', { answers: [recipes(lychee, gayo)] });
    await screen.findByRole('article', { name: 'Lychee' });
    const items = within(screen.getByRole('list', { name: 'Recipes' })).getAllByRole('listitem');
    expect(textOf(items[0] ?? document.body)).toBe('Create Recipe');
    for (const part of [
      'Medium-Light',
      'for the filter bar',
      '206.0 °C',
      '9.8 min',
      'Colombia',
      'Castillo',
      'CO-26-11',
      '61.5 kg',
      'Used 0 ×',
    ]) {
      expect(textOf(card('Lychee'))).toContain(part);
    }
    expect([stat('Total Recipes'), stat('Favorites')]).toEqual(['Total Recipes 2', 'Favorites 0']);
    expect(stat('Most Used')).toMatch(/^Most Used 0/);
  });

  it('are found by words, origin, level and star [P113 P114 P115 P179]', async () => {
    const konga = recipe({ name: 'Konga Filter', coffee_origin: 'Ethiopia' });
    const { fill, server, user } = await openPortal('/recipes', {
      answers: [recipes(konga, lychee, gayo), answer(toggleProfileFavorite, { is_favorite: true })],
    });
    await screen.findByRole('article', { name: 'Lychee' });
    await fill(screen.getByRole('searchbox', { name: 'Search recipes' }), 'FILTER');
    await expect.poll(names).toEqual(['Konga Filter', 'Lychee']);
    await user.click(screen.getByRole('combobox', { name: 'Level' }));
    await user.click(await screen.findByRole('option', { name: 'Medium' }));
    await user.click(screen.getByRole('combobox', { name: 'Origin' }));
    await user.click(await screen.findByRole('option', { name: 'Colombia' }));
    await expect.poll(names).toEqual(['Lychee']);
    await expect.poll(() => location.search).toContain('q=FILTER');
    server.answer(recipes(konga, { ...lychee, is_favorite: true }, gayo));
    await user.click(screen.getByRole('button', { name: 'Add Lychee to favorites' }));
    await screen.findByRole('button', { name: 'Remove Lychee from favorites' });
    await user.click(screen.getByRole('button', { name: /^Reset filters/ }));
    await expect.poll(() => names().length).toBe(3);
    await user.click(screen.getByRole('checkbox', { name: 'Favorites only', hidden: false }));
    await expect.poll(names).toEqual(['Lychee']);
    await expect.poll(() => location.search).toContain('favorites=1');
  });
});
