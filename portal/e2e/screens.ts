import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { repositoryRoot } from '@roastery/testing/shared-data';
import type { Page } from 'playwright-core';

export interface Screen {
  name: string;
  /** `{machine}`, `{map}`, `{past}`, `{live}`, `{lot}`, `{recipe}`, `{blend}` and the like stand for ids. */
  address: string;
  who: 'ana' | 'tomo' | 'admin' | 'signed out';
  /** Content that must be present before the screen is checked. */
  shows: string | RegExp;
  /** The steps of a user on it first. */
  does?: (page: Page) => Promise<unknown>;
  /** A modal, a menu or the like covers the page. */
  isOver?: true;
  /** Complaints that belong to the screen: the browser reports every refusal of the server. */
  allows?: RegExp;
}

const press = (name: string | RegExp) => (page: Page) =>
  page.getByRole('button', { name, exact: true }).first().click();

const typeOnce = async (page: Page, label: string, text: string): Promise<void> => page.getByLabel(label).fill(text);

/** A line a sample, 5 s apart: charge at 0:30, drop at 9:00. */
const shortRoast = Array.from({ length: 120 }, (_, k) => {
  const bean = k < 6 ? 200 : k < 20 ? 200 - (k - 6) * 7 : 102 + k;
  return `${k * 5},${bean},${{ 6: 'Charge', 108: 'Drop' }[k] ?? ''}`;
});
const csvFile = (name: string, text: string) => ({ name, mimeType: 'text/csv', buffer: Buffer.from(text) });

const signedOut = { who: 'signed out', allows: /auth\/me|401/ } as const;
const over = { isOver: true } as const;

/**
 * Every screen, and every modal and tab that matters. A new page of the map must be here: the test reports missing
 * ones.
 */
export const screens: readonly Screen[] = [
  { name: 'login', address: '/login', shows: 'Coffee Roast Management', ...signedOut },
  { name: 'login-refused', address: '/login', shows: 'Email is required', does: press('Login'), ...signedOut },

  { name: 'dashboard-empty', address: '/', who: 'tomo', shows: 'No roasts yet' },
  { name: 'machines-empty', address: '/machines', who: 'tomo', shows: 'No machines registered' },
  { name: 'analytics-empty', address: '/analytics', who: 'tomo', shows: /No roasts/ },

  { name: 'dashboard', address: '/dashboard', who: 'ana', shows: 'Huila Pink Bourbon' },
  { name: 'register', address: '/machines/register', who: 'ana', shows: 'You set up its board in the next step.' },
  {
    name: 'machines-registered',
    address: '/machines/register',
    who: 'ana',
    shows: 'Machine Registered Successfully!',
    does: async (page) => {
      await typeOnce(page, 'Serial Number', `NEW-${Date.now()}`);
      await typeOnce(page, 'Display Name', 'A new machine');
      await press('Register Machine')(page);
    },
  },
  {
    name: 'machines-map-edit',
    address: '/machines',
    who: 'ana',
    shows: 'Readings per second',
    does: async (page) => {
      await press('Actions for Giesen W6 sample room')(page);
      await page.getByRole('menuitem', { name: 'Map and settings' }).click();
    },
    ...over,
  },
  { name: 'machine-probe', address: '/machines/{machine}/probe', who: 'ana', shows: 'What to read' },
  { name: 'cockpit', address: '/machines/{probat}/live', who: 'ana', shows: /^(?:Next step|Next event)$/ },
  { name: 'cockpit-unheard', address: '/machines/{machine}/live', who: 'ana', shows: 'Nothing is planned' },
  { name: 'machine-maps', address: '/machines/maps', who: 'ana', shows: 'Not verified on real hardware' },
  { name: 'machine-map-own', address: '/machines/maps/{map}', who: 'ana', shows: 'Add channel' },
  {
    name: 'machine-map-revisions',
    address: '/machines/maps/{map}?tab=revisions',
    who: 'ana',
    shows: 'Bean probe moved',
  },
  {
    name: 'machine-map-revision',
    address: '/machines/maps/{map}?tab=revisions&rev=1',
    who: 'ana',
    shows: 'Restore as revision 3',
  },
  { name: 'timeline', address: '/machines/{drum}/timeline', who: 'ana', shows: /^Roasts in this range \(4\)/ },
  {
    name: 'timeline-picked',
    address: '/machines/{drum}/timeline?roast={picked}',
    who: 'ana',
    shows: 'Discard as false start',
  },
  {
    name: 'timeline-marked',
    address: '/machines/{drum}/timeline?charge={charge}&drop={drop}',
    who: 'ana',
    shows: 'Selected range',
  },
  { name: 'timeline-empty', address: '/machines/{machine}/timeline', who: 'ana', shows: 'Nothing recorded yet' },
  { name: 'machine-learnt', address: '/machines/{drum}/learnt', who: 'ana', shows: 'Forecast of the curve' },
  { name: 'machine-learnt-empty', address: '/machines/{machine}/learnt', who: 'ana', shows: 'Nothing learnt yet' },
  { name: 'roast-aborted', address: '/roasts/{lost}?at=0', who: 'ana', shows: 'Set charge to 0:00' },
  { name: 'roasts', address: '/roasts', who: 'ana', shows: 'Yirgacheffe Konga' },
  { name: 'roasts-filters', address: '/roasts', who: 'ana', shows: 'Yirgacheffe Konga', does: press('Filters') },
  {
    name: 'roasts-customize',
    address: '/roasts',
    who: 'ana',
    shows: 'Yirgacheffe Konga',
    does: press('Customize'),
    ...over,
  },
  {
    name: 'roasts-selected',
    address: '/roasts',
    who: 'ana',
    shows: '1 selected',
    does: (page) =>
      page
        .getByRole('checkbox', { name: /^Select Roast/ })
        .nth(1)
        .click(),
  },
  { name: 'roasts-empty', address: '/roasts?q=nothing+like+it', who: 'ana', shows: 'No roasts match your search' },
  {
    name: 'roasts-filtered',
    address: '/roasts?status=completed&coffee_name=Yirgacheffe+Konga',
    who: 'ana',
    shows: 'Reset filters (2)',
  },
  { name: 'roast', address: '/roasts/{past}', who: 'ana', shows: /^Reference: / },
  { name: 'roast-inspected', address: '/roasts/{past}?at=300', who: 'ana', shows: 'Inspecting 5:00' },
  { name: 'roast-markers', address: '/roasts/{past}?at=510&markers=correct', who: 'ana', shows: 'Correct markers' },
  {
    name: 'roast-behind',
    address: '/roasts/{past}',
    who: 'ana',
    shows: 'Reference curve',
    does: press('Change curve'),
    ...over,
  },
  {
    name: 'roast-edit',
    address: '/roasts/{past}',
    who: 'ana',
    shows: 'The recorded curve is not changed.',
    does: press('Edit'),
    ...over,
  },
  { name: 'roast-export', address: '/roasts/{past}', who: 'ana', shows: 'Chart PNG', does: press('Export'), ...over },
  {
    name: 'roast-delete',
    address: '/roasts/{past}',
    who: 'ana',
    shows: 'Are you sure you want to delete this roast?',
    does: press('Delete'),
    ...over,
  },
  { name: 'roast-live', address: '/roasts/{live}', who: 'ana', shows: /^ROASTING|ROASTING \d/ },
  {
    name: 'roast-not-found',
    address: '/roasts/01900000-0000-7000-8000-000000000000',
    who: 'ana',
    shows: 'Roast not found',
    allows: /404|Could not read/,
  },
  { name: 'new-roast', address: '/roasts/new', who: 'ana', shows: 'The queue is empty' },
  { name: 'new-roast-hand', address: '/roasts/new?way=hand', who: 'ana', shows: 'Times and temperatures' },
  { name: 'new-roast-pick', address: '/roasts/new?way=upload', who: 'ana', shows: /Drop roast files/ },
  {
    name: 'new-roast-upload',
    address: '/roasts/new?way=upload',
    who: 'ana',
    shows: 'detected from the values',
    does: (page) =>
      page
        .getByLabel('Files to import')
        .setInputFiles(csvFile('roast.csv', `Time,BT,Event\n${shortRoast.join('\n')}\n`)),
  },
  {
    name: 'new-roast-many',
    address: '/roasts/new?way=upload',
    who: 'ana',
    shows: /1 of 2 files can be imported/,
    does: (page) =>
      page
        .getByLabel('Files to import')
        .setInputFiles([
          csvFile('2025-11-20 0740 Guji.csv', `Time,BT,Event\n${shortRoast.join('\n')}\n`),
          csvFile('notes.txt', 'no roast'),
        ]),
  },
  { name: 'compare', address: '/roasts/compare?ids={past},{live}', who: 'ana', shows: 'Difference from A' },
  {
    name: 'compare-rate',
    address: '/roasts/compare?ids={past},{live}&show=ror',
    who: 'ana',
    shows: 'Difference from A',
  },
  { name: 'compare-empty', address: '/roasts/compare', who: 'ana', shows: 'Nothing to compare yet' },
  { name: 'times-to-check', address: '/roasts/times', who: 'ana', shows: 'No times to check' },
  { name: 'batch-numbers', address: '/roasts/batch-numbers', who: 'ana', shows: 'Roasted' },
  { name: 'blends', address: '/roasts/blends', who: 'ana', shows: 'House espresso' },
  { name: 'blend-new', address: '/roasts/blends/new', who: 'ana', shows: /Add at least one roast/ },
  { name: 'blend', address: '/roasts/blends/{blend}', who: 'ana', shows: 'House espresso' },
  { name: 'recipes', address: '/recipes', who: 'ana', shows: 'Huila filter' },
  {
    name: 'recipes-delete',
    address: '/recipes',
    who: 'ana',
    shows: /Delete recipe "Huila filter"/,
    does: press('Delete Huila filter'),
    ...over,
  },
  { name: 'recipe-new', address: '/recipes/new', who: 'ana', shows: 'Control Profile' },
  { name: 'recipe', address: '/recipes/{recipe}', who: 'ana', shows: 'Control Profile' },
  {
    name: 'recipe-preview',
    address: '/recipes/{recipe}',
    who: 'ana',
    shows: /721/,
    does: press('Preview Curve'),
    ...over,
  },
  { name: 'inventory', address: '/inventory', who: 'ana', shows: 'L-2026-014' },
  {
    name: 'inventory-lots',
    address: '/inventory/lots?status=Depleted',
    who: 'ana',
    shows: /No inventory lots|No lots/,
  },
  {
    name: 'inventory-delete',
    address: '/inventory',
    who: 'ana',
    shows: /L-2026-014/,
    does: async (page) => {
      await page
        .getByRole('checkbox', { name: /^Select Lot/i })
        .last()
        .click();
      await press('Delete (1)')(page);
    },
    ...over,
  },
  {
    name: 'inventory-import',
    address: '/inventory/lots/import',
    who: 'ana',
    shows: 'Choose a list of lots',
  },
  {
    name: 'inventory-import-review',
    address: '/inventory/lots/import?import={lots}',
    who: 'ana',
    shows: 'Missing or unreadable',
  },
  { name: 'lot-new', address: '/inventory/lots/new', who: 'ana', shows: 'Processing & Quality' },
  { name: 'lot', address: '/inventory/lots/{lot}/edit', who: 'ana', shows: 'Counted' },
  {
    name: 'lot-adjust',
    address: '/inventory/lots/{lot}/edit',
    who: 'ana',
    shows: 'What the scale shows.',
    does: press('Adjust weight'),
    ...over,
  },
  { name: 'analytics', address: '/analytics', who: 'ana', shows: /Roasted, (?:kg|lb)/ },
  { name: 'analytics-daily', address: '/analytics?by=recipe&period=day', who: 'ana', shows: /Roasted, (?:kg|lb)/ },
  { name: 'analytics-consistency', address: '/analytics?tab=consistency', who: 'ana', shows: /Average deviation/i },
  {
    name: 'analytics-consistency-of-recipe',
    address: '/analytics?tab=consistency&profile_id={recipe}',
    who: 'ana',
    shows: /Worst roast/i,
  },
  { name: 'analytics-green', address: '/analytics?tab=green', who: 'ana', shows: 'Green used' },
  { name: 'account', address: '/account', who: 'ana', shows: /Devices that are signed in/ },
  { name: 'not-found', address: '/no-such-page', who: 'ana', shows: 'There is no page at this address' },

  { name: 'machines', address: '/machines', who: 'admin', shows: 'Roasting now' },
  {
    name: 'machines-register',
    address: '/machines',
    who: 'admin',
    shows: 'Register New Machine',
    does: press('Add Machine'),
    ...over,
  },
  {
    name: 'machines-edit',
    address: '/machines',
    who: 'admin',
    shows: 'The serial number cannot be changed.',
    does: press(/^Edit /),
    ...over,
  },
  {
    name: 'machines-delete',
    address: '/machines',
    who: 'admin',
    shows: /This action cannot be undone if the machine has no roasts/,
    does: press(/^Delete /),
    ...over,
  },
  {
    name: 'machines-people',
    address: '/machines',
    who: 'admin',
    shows: 'Add a person',
    does: async (page) => {
      await press('Actions for Probat P25')(page);
      await page.getByRole('menuitem', { name: 'People' }).click();
    },
    ...over,
  },
  { name: 'users', address: '/admin/users', who: 'admin', shows: 'ana@roastery.example' },
  {
    name: 'users-create',
    address: '/admin/users',
    who: 'admin',
    shows: /lowercase/,
    does: press('Create User'),
    ...over,
  },
  {
    name: 'users-menu',
    address: '/admin/users',
    who: 'admin',
    shows: 'Reset password',
    does: press('Actions for Ana Restrepo'),
    ...over,
  },
  { name: 'statistics', address: '/admin/stats', who: 'admin', shows: 'Total Roasts' },
  { name: 'settings', address: '/admin/settings', who: 'admin', shows: 'Time zone' },
  { name: 'settings-options', address: '/admin/settings?tab=options', who: 'admin', shows: 'Seed Defaults' },
  { name: 'devices', address: '/admin/devices', who: 'admin', shows: 'PRB-P25-0042' },
  { name: 'devices-tickets', address: '/admin/devices?tab=tickets', who: 'admin', shows: 'PRB-P25-0042' },
  { name: 'devices-software', address: '/admin/devices?tab=software', who: 'admin', shows: 'No software for boards' },
  { name: 'devices-wall', address: '/admin/devices?tab=wall', who: 'admin', shows: 'Name of the screen' },
  { name: 'wall', address: '/wall', who: 'ana', shows: 'Giesen W6 sample room' },
  { name: 'audit', address: '/admin/audit', who: 'admin', shows: /ana@roastery.example/ },
  { name: 'admin-not-found', address: '/admin/no-such-page', who: 'admin', shows: 'There is no page at this address' },
  {
    name: 'palette',
    address: '/dashboard',
    who: 'admin',
    shows: 'Go to',
    does: async (page) => {
      await page.getByText('Recent Activity').waitFor();
      await page.keyboard.press('Control+k');
    },
    ...over,
  },
  {
    name: 'keys',
    address: '/machines',
    who: 'admin',
    shows: 'Search or run a command',
    does: async (page) => {
      await page.getByText('Roasting now').first().waitFor();
      await page.keyboard.press('?');
    },
    ...over,
  },
  {
    name: 'account-menu',
    address: '/dashboard',
    who: 'admin',
    shows: 'Fahrenheit, °F',
    does: (page) => page.getByRole('banner').getByRole('button').last().click(),
    ...over,
  },
];

/** The pages of the portal's map that none of these addresses opens. */
export const pagesWithout = async (addresses: readonly string[]): Promise<string[]> => {
  const map = await readFile(path.join(repositoryRoot(), 'portal', 'src', 'app', 'routes.tsx'), 'utf8');
  const patterns = Array.from(map.matchAll(/path: '([^']+)'/g), ([, pattern = '']) => pattern);
  if (patterns.length < 25) throw new Error('the map of the pages was not read');
  const opened = addresses.map((address) => address.replace(/\?.*$/, ''));
  return patterns.filter((pattern) => {
    const matching = new RegExp(`^${pattern.replaceAll(/:\w+/g, '[^/]+').replaceAll('*', '.+')}$`);
    return !opened.some((address) => matching.test(address));
  });
};
