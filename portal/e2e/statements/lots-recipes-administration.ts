import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const headings = (page: Page) => page.getByRole('heading', { level: 2 });
const columnHeads = (page: Page) => page.getByRole('columnheader');
const fieldLabels = (page: Page) => page.getByRole('main').locator('label');

/** Texts that a screen shows, in order; others may be between them. */
export const shown = [
  {
    statement: 'inventory: four cards',
    address: '/inventory',
    among: headings,
    texts: ['Total Lots', 'Available Lots', 'Total Weight (kg)', 'Total Value ($)'],
  },
  {
    statement: 'inventory: columns',
    address: '/inventory/lots',
    among: columnHeads,
    texts: [
      'Lot',
      'Name',
      'Origin',
      'Registration date',
      'Location',
      'Initial weight',
      'Weight',
      'Run out estimation',
      'Used in profiles',
      'Process',
      'Status',
    ],
  },
  {
    statement: 'new lot: sections',
    address: '/inventory/lots/new',
    among: headings,
    texts: ['Coffee Information', 'Processing & Quality', 'Procurement', 'Inventory'],
  },
  {
    statement: 'new lot: fields',
    address: '/inventory/lots/new',
    among: fieldLabels,
    texts: ['Lot number', 'Coffee name', 'Cost per kg', 'Total Cost', 'Initial weight', 'Location', 'Notes'],
  },
  {
    statement: 'new lot: buttons',
    address: '/inventory/lots/new',
    among: (page: Page) => page.getByRole('main').locator('form').locator('a, button[type=submit]'),
    texts: ['Cancel', 'Save Lot'],
  },
  {
    statement: 'edit lot: buttons',
    address: '/inventory/lots/{lot}/edit',
    among: (page: Page) => page.getByRole('main').locator('form').locator('a, button[type=submit]'),
    texts: ['Cancel', 'Update Lot'],
  },
  {
    statement: 'recipes: cards',
    address: '/recipes',
    among: headings,
    texts: ['Total Recipes', 'Favorites', 'Most Used'],
  },
  {
    statement: 'recipe form: sections',
    address: '/recipes/{recipe}',
    among: headings,
    texts: ['Basic Information', 'Target Parameters', 'Inventory Integration', 'Control Profile'],
  },
  {
    statement: 'recipe form: control profile table',
    address: '/recipes/{recipe}',
    among: columnHeads,
    texts: ['Time m:ss', 'Burner %', 'Exhaust %', 'Drum RPM', 'Delete'],
  },
  {
    statement: 'recipe form: buttons',
    address: '/recipes/{recipe}',
    among: (page: Page) => page.getByRole('main').locator('a, button'),
    texts: ['Preview Curve', 'Add Control Point', 'Cancel', 'Update Recipe'],
  },
  {
    statement: 'users: columns',
    address: '/admin/users',
    among: columnHeads,
    texts: ['Name', 'Email', 'Status', 'Role', 'Created date'],
  },
  {
    statement: 'settings: tabs',
    address: '/admin/settings',
    among: (page: Page) => page.getByRole('tab'),
    texts: ['Roastery Info', 'Dropdown Options'],
  },
  {
    statement: 'settings: fields of the roastery',
    address: '/admin/settings',
    among: fieldLabels,
    texts: ['Roastery Name', 'Address', 'Postal Code', 'City', 'Country', 'Email', 'Phone', 'Website'],
  },
  {
    statement: 'settings: categories',
    address: '/admin/settings?tab=options',
    among: (page: Page) => page.getByRole('main').getByRole('button'),
    texts: ['Variety', 'Origin', 'Process', 'Warehouse', 'Machine Type', 'Seed Defaults'],
  },
];

/** Drop-downs and all their options. */
export const choices = [
  {
    statement: 'recipe form: roast levels',
    address: '/recipes/new',
    label: 'Roast level',
    offered: ['Light', 'Medium-Light', 'Medium', 'Medium-Dark', 'Dark'],
  },
  {
    statement: 'recipes: level filter',
    address: '/recipes',
    label: 'Level',
    offered: ['All levels', 'Light', 'Medium', 'Dark'],
  },
  { statement: 'recipes: origin filter', address: '/recipes', label: 'Origin', offered: ['All origins', 'Kenya'] },
  {
    statement: 'inventory: statuses',
    address: '/inventory',
    label: 'Status',
    offered: ['All statuses', 'Available', 'In Use', 'Reserved', 'Depleted'],
  },
];

/** Limits of the lot form: where the arrow keys end, their step, and the sentence for a figure beyond. */
export const limits = [
  { field: 'Altitude', min: '0', step: '1', beyond: '-1', says: /^Altitude: 0/ },
  { field: 'Cupping score', min: '0', max: '100', step: '0.1', beyond: '100.1', says: 'Cupping score: 0-100' },
  { field: 'Moisture content', min: '0', max: '100', step: '1', beyond: '101', says: 'Moisture: 0-100%' },
  { field: 'Water activity', min: '0', max: '1', step: '0.01', beyond: '1.01', says: 'Water activity: 0-1' },
  { field: 'Cost per kg', min: '0', step: '0.01', beyond: '-0.5', says: 'Cost per kg: 0 or more' },
  { field: 'Initial weight', min: '0', step: '0.1', beyond: '0', says: 'Initial weight must be greater than 0' },
];

export const fillLot = async (page: Page): Promise<void> => {
  await page.getByLabel('Lot number').fill('RW-26-01');
  await page.getByLabel('Coffee name').fill('Gitesi');
  await page.getByRole('combobox', { name: 'Origin' }).fill('Rwanda');
  await page.getByLabel('Initial weight').fill('30.5');
};
const saveLot = async (page: Page): Promise<void> => {
  await fillLot(page);
  await page.getByRole('button', { name: 'Save Lot' }).click();
};
const saveRecipe = async (page: Page): Promise<void> => {
  await page.getByLabel('Recipe name').fill('Gitesi Espresso');
  await page.getByRole('button', { name: 'Save Recipe' }).click();
};
const press = (name: string) => (page: Page) => page.getByRole('button', { name, exact: true }).click();
const confirm = (page: Page): Promise<void> =>
  page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
const deleteLots = async (page: Page): Promise<void> => {
  await page.getByRole('row').filter({ hasText: 'KE-26-05' }).getByRole('checkbox').click();
  await press('Delete (1)')(page);
  await expect
    .poll(async () => (await page.getByRole('alertdialog').getByRole('listitem').innerText()).split(/\s{1,}/).join(' '))
    .toBe('KE-26-05 Kiambu AA');
  await confirm(page);
};
const deleteRecipe = async (page: Page): Promise<void> => {
  await press('Delete Kiambu Filter')(page);
  await page.getByText('Delete recipe "Kiambu Filter"?').waitFor();
  await confirm(page);
};
const deleteOption = async (page: Page): Promise<void> => {
  await press('Delete Bourbon')(page);
  await confirm(page);
};
const createPerson = async (page: Page): Promise<void> => {
  await press('Create User')(page);
  const form = page.getByRole('dialog', { name: 'Create User' });
  await form.getByLabel('Full Name').fill('Kofi Mensah');
  await form.getByLabel('Email').fill('kofi@roastery.example');
  await form.getByLabel('Password').fill('seven 7');
  await form.getByRole('button', { name: 'Create User' }).click();
  await form.getByText('Use at least 8 characters').waitFor();
  await form.getByLabel('Password').fill('drying beds in the sun 8');
  await form.getByRole('button', { name: 'Create User' }).click();
};

const reason = 'The ledger is being counted';
const fields = [
  { field: 'altitude', message: 'Altitude: 0-9000 m' },
  { field: 'density', message: 'Density: 0-5 g/mL' },
];
/** Changes that the server refuses: without a message, with a sentence, or field by field. */
export const refusals = [
  { does: 'lot save', address: '/inventory/lots/new', by: saveLot, says: ['Failed to save lot'] },
  { does: 'lot save', address: '/inventory/lots/new', by: saveLot, detail: reason, says: [reason] },
  {
    does: 'lot save by field',
    address: '/inventory/lots/new',
    by: saveLot,
    detail: fields,
    says: ['Validation errors: • altitude: Altitude: 0-9000 m • density: Density: 0-5 g/mL'],
  },
  {
    does: 'bulk delete',
    address: '/inventory',
    by: deleteLots,
    says: ['Failed to delete some lots. Please try again.'],
  },
  { does: 'recipe save', address: '/recipes/new', by: saveRecipe, says: ['Failed to save recipe'] },
  { does: 'recipe save', address: '/recipes/new', by: saveRecipe, detail: reason, says: [reason] },
  { does: 'clone', address: '/recipes', by: press('Clone Kiambu Filter'), says: ['Failed to clone recipe'] },
  {
    does: 'clone',
    address: '/recipes',
    by: press('Clone Kiambu Filter'),
    detail: reason,
    says: ['Failed to clone recipe', reason],
  },
  { does: 'recipe delete', address: '/recipes', by: deleteRecipe, says: ['Failed to delete recipe'] },
  { does: 'create user', address: '/admin/users', by: createPerson, says: ['Failed to create user'] },
  { does: 'create user', address: '/admin/users', by: createPerson, detail: reason, says: [reason] },
  {
    does: 'seed',
    address: '/admin/settings?tab=options',
    by: press('Seed Defaults'),
    detail: reason,
    says: [reason],
  },
  { does: 'option delete', address: '/admin/settings?tab=options', by: deleteOption, detail: reason, says: [reason] },
].map((refusal) => ({ ...refusal, sentence: refusal.says[0] }));

/** Lists that can't be fetched. */
export const lost = [
  { address: '/inventory', list: '/inventory/lots?', says: ['No inventory lots found', 'Lots could not be loaded'] },
  { address: '/recipes', list: '/profiles?', says: ['No recipes found', 'Recipes could not be loaded'] },
  { address: '/admin/users', list: '/admin/users?', says: ['No users found', 'Users could not be loaded'] },
  { address: '/admin/stats', list: '/admin/stats', says: ['--', 'The statistics could not be loaded'] },
  {
    address: '/admin/settings?tab=options',
    list: '/settings/options/variety',
    says: ['No variety yet', 'The options could not be loaded'],
  },
];
