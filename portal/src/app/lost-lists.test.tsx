import { systemStats } from '@roastery/contract/dashboard';
import { listLots } from '@roastery/contract/inventory';
import { listMachines } from '@roastery/contract/machines';
import { listProfiles } from '@roastery/contract/profiles';
import { listRoasts } from '@roastery/contract/roasts';
import { listOptions } from '@roastery/contract/settings';
import { adminStats, listUsers } from '@roastery/contract/users';
import { screen, waitFor, within } from '@testing-library/dom';
import { describe, expect, it } from 'vitest';
import { openPortal } from '../testing/open-portal.tsx';
import { admin, ana, lot, machine, option, recipe, roast } from '../testing/records.ts';
import { answer, broken, refused } from '../testing/table-server.ts';

/** Lists that can't be fetched, and their later answer. */
const lost = [
  {
    address: '/inventory',
    failing: answer(listLots, broken()),
    later: answer(listLots, { lots: [lot()], total: 1 }),
    says: ['No inventory lots found', 'Lots could not be loaded'],
  },
  {
    address: '/recipes',
    failing: answer(listProfiles, broken()),
    later: answer(listProfiles, { profiles: [recipe()], total: 1 }),
    says: ['No recipes found', 'Recipes could not be loaded'],
  },
  {
    address: '/admin/users',
    failing: answer(listUsers, broken()),
    later: answer(listUsers, { users: [admin], total: 1 }),
    says: ['No users found', 'Users could not be loaded'],
  },
  {
    address: '/admin/stats',
    failing: answer(adminStats, broken()),
    later: answer(adminStats, {
      total_users: 2,
      active_users: 1,
      total_machines: 3,
      active_machines: 1,
      total_roasts: 9,
      roasts_this_month: 4,
    }),
    says: ['--', 'The statistics could not be loaded'],
  },
  {
    address: '/admin/settings?tab=options',
    failing: answer(listOptions, broken()),
    later: answer(listOptions, [option('variety', 'Bourbon')]),
    says: ['No variety yet', 'The options could not be loaded'],
  },
];

describe('lists of lots, recipes and the administration', () => {
  it.each(lost)('$address without its list: empty, said, logged and read again [P200 P201]', async (row) => {
    const { address, failing, later, says } = row;
    const as = address.startsWith('/admin') ? admin : ana;
    const { user, server, logged } = await openPortal(address, { as, answers: [failing] });
    const main = within(screen.getByRole('main'));
    for (const words of says) expect((await main.findAllByText(words, { exact: false })).length).toBeGreaterThan(0);
    expect(logged.join('\n')).toContain('Could not read');
    server.answer(later);
    await user.click(screen.getAllByRole('button', { name: 'Retry' })[0] ?? document.body);
    await waitFor(() => expect(main.queryByText(says[1] ?? '', { exact: false })).toBeNull());
  });
});

describe('failed reads', () => {
  const notToday = refused('Not today.');
  it.each([
    [
      'Machines could not be loaded',
      '/machines',
      answer(listMachines, notToday),
      answer(listMachines, [machine()]),
      'No machines registered',
    ],
    [
      'Roasts could not be loaded',
      '/roasts',
      answer(listRoasts, notToday),
      answer(listRoasts, { roasts: [roast()], total: 1 }),
      'No roasts yet',
    ],
    [
      'The latest roasts could not be loaded',
      '/dashboard',
      answer(listRoasts, notToday),
      answer(listRoasts, { roasts: [roast()], total: 1 }),
      'No roasts yet',
    ],
    [
      'The figures could not be loaded',
      '/dashboard',
      answer(systemStats, notToday),
      answer(systemStats, {
        activeMachines: 1,
        totalMachines: 2,
        todayRoasts: 3,
        thisMonthRoasts: 4,
        totalRoasted: 5,
        unweighedRoasts: 0,
        hasRoasts: true,
        hasLots: true,
        hasRecipes: true,
      }),
      '--',
    ],
  ])('are logged, shown as empty, and reported: %s [P85]', async (error, address, failing, later, empty) => {
    const { user, server, logged } = await openPortal(address, { answers: [failing] });
    expect((await screen.findAllByText(empty)).length).toBeGreaterThan(0);
    await screen.findByText(error, { exact: false });
    expect(logged.join('\n')).toContain('Could not read');
    server.answer(later);
    await user.click(screen.getByRole('button', { name: 'Retry' }));
    await waitFor(() => expect(screen.queryByText(error, { exact: false })).toBeNull());
  });
});
