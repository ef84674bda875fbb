import { screen, within } from '@testing-library/dom';
import { describe, expect, it } from 'vitest';
import { openPortal, textOf } from '../testing/open-portal.tsx';
import { admin, ana, idOf } from '../testing/records.ts';

const main = () => screen.getByRole('main');
const headings = () => screen.getAllByRole('heading', { level: 2 });
const columnHeads = () => screen.getAllByRole('columnheader');
const fieldLabels = () => [...main().querySelectorAll('label')];
const formButtons = () => [...main().querySelectorAll('form a, form button[type=submit]')];
const buttons = () => [...main().querySelectorAll('a, button')];

/** Texts that a screen shows, in order; others may be between them. */
const shown = [
  {
    statement: 'inventory: four cards [P100]',
    address: '/inventory',
    among: headings,
    texts: ['Total Lots', 'Available Lots', 'Total Weight (kg)', 'Total Value ($)'],
  },
  {
    statement: 'inventory: columns [P103]',
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
    statement: 'new lot: sections [P99 P108]',
    address: '/inventory/lots/new',
    among: headings,
    texts: ['Coffee Information', 'Processing & Quality', 'Procurement', 'Inventory'],
  },
  {
    statement: 'new lot: fields [P108]',
    address: '/inventory/lots/new',
    among: fieldLabels,
    texts: ['Lot number', 'Coffee name', 'Cost per kg', 'Total Cost', 'Initial weight', 'Location', 'Notes'],
  },
  {
    statement: 'new lot: buttons [P111]',
    address: '/inventory/lots/new',
    among: formButtons,
    texts: ['Cancel', 'Save Lot'],
  },
  {
    statement: 'edit lot: buttons [P99 P111]',
    address: `/inventory/lots/${idOf(21)}/edit`,
    among: formButtons,
    texts: ['Cancel', 'Update Lot'],
  },
  {
    statement: 'recipes: cards [P112]',
    address: '/recipes',
    among: headings,
    texts: ['Total Recipes', 'Favorites', 'Most Used'],
  },
  {
    statement: 'recipe form: sections [P117]',
    address: `/recipes/${idOf(31)}`,
    among: headings,
    texts: ['Basic Information', 'Target Parameters', 'Inventory Integration', 'Control Profile'],
  },
  {
    statement: 'recipe form: control profile table [P118]',
    address: `/recipes/${idOf(31)}`,
    among: columnHeads,
    texts: ['Time m:ss', 'Burner %', 'Exhaust %', 'Drum RPM', 'Delete'],
  },
  {
    statement: 'recipe form: buttons [P118 P121]',
    address: `/recipes/${idOf(31)}`,
    among: buttons,
    texts: ['Preview Curve', 'Add Control Point', 'Cancel', 'Update Recipe'],
  },
  {
    statement: 'users: columns [P123]',
    address: '/admin/users',
    among: columnHeads,
    texts: ['Name', 'Email', 'Status', 'Role', 'Created date'],
  },
  {
    statement: 'settings: tabs [P128]',
    address: '/admin/settings',
    among: () => screen.getAllByRole('tab'),
    texts: ['Roastery Info', 'Dropdown Options'],
  },
  {
    statement: 'settings: fields of the roastery [P130]',
    address: '/admin/settings',
    among: fieldLabels,
    texts: ['Roastery Name', 'Address', 'Postal Code', 'City', 'Country', 'Email', 'Phone', 'Website'],
  },
  {
    statement: 'settings: categories [P129]',
    address: '/admin/settings?tab=options',
    among: buttons,
    texts: ['Variety', 'Origin', 'Process', 'Warehouse', 'Machine Type', 'Seed Defaults'],
  },
];

/** Drop-downs and all their options. */
const choices = [
  {
    statement: 'recipe form: roast levels [P180]',
    address: '/recipes/new',
    label: 'Roast level',
    offered: ['Light', 'Medium-Light', 'Medium', 'Medium-Dark', 'Dark'],
  },
  {
    statement: 'recipes: level filter [P113 P180]',
    address: '/recipes',
    label: 'Level',
    offered: ['All levels', 'Light', 'Medium', 'Dark'],
  },
  {
    statement: 'recipes: origin filter [P113]',
    address: '/recipes',
    label: 'Origin',
    offered: ['All origins', 'Kenya'],
  },
  {
    statement: 'inventory: statuses [P177]',
    address: '/inventory',
    label: 'Status',
    offered: ['All statuses', 'Available', 'In Use', 'Reserved', 'Depleted'],
  },
];

describe('the document’s texts on lots, recipes and administration', () => {
  it.each(shown)('shows $statement', async ({ address, among, texts }) => {
    await openPortal(address, { as: address.startsWith('/admin') ? admin : ana });
    // A star marks a required field.
    const found = () => among().map((part) => textOf(part).replace(/ ?\*$/, ''));
    await expect.poll(() => found().filter((text) => texts.includes(text))).toEqual(texts);
  });

  it.each(choices)('offers $statement', async ({ address, label, offered }) => {
    const { user } = await openPortal(address);
    await user.click(await screen.findByRole('combobox', { name: label }));
    const list = await screen.findByRole('listbox');
    await expect.poll(() => within(list).getAllByRole('option').map(textOf)).toEqual(offered);
  });

  it('requests ten roasts on the dashboard, a hundred on the list, and available lots [P88 P101 P139 P143]', async () => {
    for (const [address, endpoint, query] of [
      ['/dashboard', 'listRoasts', { limit: '10' }],
      ['/roasts', 'listRoasts', { limit: '100' }],
      ['/inventory', 'listLots', { limit: '100', status: 'Available' }],
    ] as const) {
      const { server } = await openPortal(address);
      expect(server.requests[0]?.endpoint).toBe('me');
      expect(server.requests).toContainEqual(
        expect.objectContaining({ endpoint, query: expect.objectContaining(query) }),
      );
    }
  });
});
