import { systemStats } from '@roastery/contract/dashboard';
import { listRoasts } from '@roastery/contract/roasts';
import { screen, within } from '@testing-library/dom';
import { describe, expect, it } from 'vitest';
import { openPortal, textOf } from '../../testing/open-portal.tsx';
import { admin, idOf, roast } from '../../testing/records.ts';
import { answer } from '../../testing/table-server.ts';

const ten = Array.from({ length: 10 }, (_, n) =>
  roast({ id: idOf(100 + n), coffee_name: `Coffee ${n}`, machine_name: 'Probat P25', batch_size_kg: 10 + n / 2 }),
);
const latest = (roasts: ReturnType<typeof roast>[], unweighed = 0) =>
  answer(listRoasts, ({ query }) =>
    query.without === 'weight' ? { roasts: [], total: unweighed } : { roasts, total: roasts.length },
  );
const activity = () => within(screen.getByRole('region', { name: 'Recent Activity' }));
const tiles = () =>
  within(screen.getByRole('navigation', { name: 'Shortcuts' }))
    .getAllByRole('link')
    .map(textOf);

describe('the dashboard', () => {
  it('the dashboard shows a greeting, counts and the latest eight; a row opens its roast', async () => {
    const figures = {
      activeMachines: 0,
      totalMachines: 1,
      todayRoasts: 1,
      thisMonthRoasts: 27,
      totalRoasted: 445.54,
    };
    const { user } = await openPortal('/dashboard', { answers: [latest(ten), answer(systemStats, figures)] });
    await screen.findByRole('heading', { name: 'Welcome back, Ana Restrepo' });
    await activity().findByText('Coffee 0');
    const text = textOf(screen.getByRole('main'));
    expect(text).toContain('Production Overview');
    expect(text).toMatch(/Machines 0 of 1 active Today 1 roast This Month 27 roasts Total Roasted 445\.5 kg/);
    expect(activity().getAllByRole('listitem')).toHaveLength(8);
    expect(textOf(activity().getAllByRole('listitem')[0] ?? document.body)).toBe(
      'Coffee 0 Probat P25 10.0 kg May 04, 2026 09:30 AM',
    );
    expect(tiles()).toEqual([
      expect.stringContaining('Roasts'),
      expect.stringContaining('Machines'),
      expect.stringContaining('Inventory'),
      expect.stringContaining('Analytics'),
    ]);
    expect(activity().getByRole('link', { name: 'View all' }).getAttribute('href')).toBe('/roasts');
    await user.click(activity().getByRole('link', { name: /^Coffee 1/ }));
    await expect.poll(() => location.pathname).toBe(`/roasts/${idOf(101)}`);
  });

  it('has tiles of the administration for admins', async () => {
    await openPortal('/dashboard', { as: admin });
    expect(tiles().map((text) => text.split(' ')[0])).toEqual(['Roasts', 'Machines', 'Users', 'Statistics']);
  });

  it('counts the roasts that are not weighed, and links to them', async () => {
    await openPortal('/dashboard', { answers: [latest(ten, 3)] });
    const link = await screen.findByRole('link', { name: '3 roasts are not weighed yet' });
    expect(link.getAttribute('href')).toBe('/roasts?without=weight');
  });

  it('labels a roast without a name: Roast #id and Unknown on the dashboard', async () => {
    const bare = roast({ coffee_name: null, batch_size_kg: null, start_time: '2026-03-05T15:06:00.000Z' });
    await openPortal('/dashboard', { answers: [latest([bare])] });
    const row = await activity().findByRole('link', { name: new RegExp(`^Roast #${bare.id}`) });
    expect(textOf(row)).toBe(`Roast #${bare.id} Unknown -- Mar 05, 2026 03:06 PM`);
  });

  it('shows the first steps without roasts', async () => {
    const { user } = await openPortal('/dashboard', { answers: [latest([])] });
    await screen.findByText('No roasts yet');
    await user.click(screen.getByRole('link', { name: 'Get Started' }));
    await expect.poll(() => location.pathname).toBe('/machines');
  });
});
