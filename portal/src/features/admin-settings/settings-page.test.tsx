import {
  createOption,
  deleteOption,
  listOptions,
  putRoasterySettings,
  seedDefaults,
} from '@roastery/contract/settings';
import { adminStats } from '@roastery/contract/users';
import { screen, within } from '@testing-library/dom';
import { describe, expect, it } from 'vitest';
import { openPortal, textOf } from '../../testing/open-portal.tsx';
import { admin, option, settings } from '../../testing/records.ts';
import { answer, noNetwork, refused } from '../../testing/table-server.ts';

const field = (name: string): HTMLInputElement => screen.getByLabelText(new RegExp(`^${name}`), { selector: 'input' });

const cards = () =>
  within(screen.getByRole('main'))
    .getAllByRole('link')
    .map(textOf)
    .filter((text) => text.startsWith('Total'));

const processesShown = () =>
  within(screen.getByRole('list', { name: 'Process options' })).getAllByRole('listitem').length;

describe('administrators', () => {
  it('see the statistics in three cards [P127]', async () => {
    await openPortal('/admin/stats', {
      as: admin,
      answers: [
        answer(adminStats, {
          total_users: 3,
          active_users: 2,
          total_machines: 1,
          active_machines: 0,
          total_roasts: 9,
          roasts_this_month: 4,
        }),
      ],
    });
    await expect
      .poll(cards)
      .toEqual(['Total Users 3 2 active', 'Total Machines 1 0 active', 'Total Roasts 9 4 this month']);
  });

  it('edit the roastery’s data and its time zone [P130 P197]', async () => {
    const saved = settings({
      roastery_name: 'Drum & Bean',
      city: 'Auckland',
      time_zone: 'Pacific/Auckland',
      revision: 2,
    });
    const { fill, server, user } = await openPortal('/admin/settings', {
      as: admin,
      answers: [answer(putRoasterySettings, saved)],
    });
    await fill(await screen.findByLabelText(/^Roastery Name/), 'Drum & Bean');
    await fill(field('City'), 'Auckland');
    // Switching to the other tab loses no input; leaving the page shows a confirmation.
    await user.click(screen.getByRole('tab', { name: 'Dropdown Options' }));
    await user.click(screen.getByRole('tab', { name: 'Roastery Info' }));
    expect(field('City').value).toBe('Auckland');
    await user.click(screen.getAllByRole('link', { name: 'Statistics' })[0] ?? document.body);
    await user.click(await screen.findByRole('button', { name: 'Stay' }));
    await fill(screen.getByRole('combobox', { name: 'Time Zone' }), 'auck');
    await user.click(await screen.findByRole('option', { name: /Pacific\/Auckland/ }));
    await user.click(screen.getByRole('button', { name: 'Save Settings' }));
    await screen.findByText('Settings saved successfully!');
    expect(server.requests.find(({ endpoint }) => endpoint === 'putRoasterySettings')?.body).toEqual({
      roastery_name: 'Drum & Bean',
      city: 'Auckland',
      time_zone: 'Pacific/Auckland',
      revision: 1,
    });
    server.answer(answer(putRoasterySettings, noNetwork));
    await fill(field('City'), 'Wellington');
    await user.click(screen.getByRole('button', { name: 'Save Settings' }));
    await expect.poll(() => screen.getAllByRole('alert').map(textOf).join(' ')).toContain('Failed to save settings');
  });

  it('see that alerts are not mailed where no mail server is set', async () => {
    await openPortal('/admin/settings', { as: admin });
    const shown = () => textOf(screen.getByRole('main'));
    await expect.poll(shown).toContain('Email is off: no mail server is configured. Set SMTP_URL and MAIL_FROM');
  });

  it('edit the roastery’s currency and its sizes of bags', async () => {
    const { fill, server, user } = await openPortal('/admin/settings', {
      as: admin,
      answers: [answer(putRoasterySettings, settings({ currency: 'JPY', revision: 2 }))],
    });
    await fill(await screen.findByRole('combobox', { name: 'Currency' }), 'yen');
    await user.click(await screen.findByRole('option', { name: /JPY/ }));
    await fill(field('Bag Sizes'), '60 kg; 70.5 sacks');
    await user.click(screen.getByRole('button', { name: 'Save Settings' }));
    await screen.findByText(/^Enter sizes with their units/);
    await fill(field('Bag Sizes'), '60 kg; 70.5 kg; 152 lb');
    await user.click(screen.getByRole('button', { name: 'Save Settings' }));
    await screen.findByText('Settings saved successfully!');
    expect(server.requests.find(({ endpoint }) => endpoint === 'putRoasterySettings')?.body).toEqual({
      currency: 'JPY',
      bag_sizes: [
        { weight: 60, unit: 'kg' },
        { weight: 70.5, unit: 'kg' },
        { weight: 152, unit: 'lb' },
      ],
      revision: 1,
    });
  });

  it('edit the drop-down lists [P129 P190 P198 P215]', async () => {
    const washed = option('process', 'Washed', 1);
    const koji = option('process', 'Koji', 2);
    const { fill, server, user } = await openPortal('/admin/settings?tab=options', {
      as: admin,
      answers: [
        answer(listOptions, ({ params: { category } }) => (category === 'process' ? [washed] : [])),
        answer(createOption, koji),
        answer(deleteOption, { message: 'Deleted' }),
        answer(seedDefaults, { message: 'Defaults seeded: 35 added, 0 kept.' }),
      ],
    });
    await screen.findByText('No variety yet');
    await user.click(screen.getByRole('button', { name: 'Seed Defaults' }));
    await screen.findByText('Defaults seeded: 35 added, 0 kept.');
    await user.click(screen.getByRole('button', { name: 'Process' }));
    await expect.poll(() => screen.queryByRole('list', { name: 'Process options' })).not.toBeNull();
    await expect.poll(processesShown).toBe(1);
    await expect.poll(() => new URLSearchParams(location.search).get('category')).toBe('process');
    await user.click(screen.getByRole('button', { name: 'Add' }));
    await screen.findByText('Please enter a value');
    await fill(field('New process'), 'Koji');
    await fill(field('Description'), 'Fermented with Aspergillus oryzae');
    server.answer(answer(listOptions, [washed, koji]));
    await user.keyboard('{Enter}');
    await expect.poll(processesShown).toBe(2);
    expect(server.requests.find(({ endpoint }) => endpoint === 'createOption')?.body).toMatchObject({
      category: 'process',
      value: 'Koji',
      sort_order: 2,
    });
    server.answer(answer(createOption, refused('“Koji” is already in the list', 'already_exists')));
    await fill(field('New process'), 'Koji');
    await user.keyboard('{Enter}');
    await screen.findByText(/“Koji” is already in the list/);
    const confirm = async () =>
      user.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Delete' }));
    await user.click(screen.getByRole('button', { name: 'Delete Koji' }));
    server.answer(answer(listOptions, [washed]));
    await confirm();
    await expect.poll(processesShown).toBe(1);

    server.answer(answer(seedDefaults, noNetwork), answer(createOption, noNetwork), answer(deleteOption, noNetwork));
    await user.click(screen.getByRole('button', { name: 'Seed Defaults' }));
    await screen.findByText(/Failed to seed defaults/);
    await fill(field('New process'), 'Lactic');
    await user.keyboard('{Enter}');
    await screen.findByText(/Failed to add option/);
    await user.click(screen.getByRole('button', { name: 'Delete Washed' }));
    await confirm();
    expect(await screen.findByText(/Failed to delete option/)).toBeDefined();
  });
});
