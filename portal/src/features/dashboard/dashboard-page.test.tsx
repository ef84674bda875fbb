import { systemStats } from '@roastery/contract/dashboard';
import { listLots } from '@roastery/contract/inventory';
import { dismissMachineDrift } from '@roastery/contract/machine-drift';
import { listMachines, type Machine } from '@roastery/contract/machines';
import { listRoasts } from '@roastery/contract/roasts';
import { getWall, type WallMachine } from '@roastery/contract/wall';
import { refresh } from '../../api/use-api.ts';
import { screen, within } from '@testing-library/dom';
import { describe, expect, it } from 'vitest';
import { openPortal, textOf } from '../../testing/open-portal.tsx';
import { admin, ana, idOf, lot, machine, roast } from '../../testing/records.ts';
import { openStreams } from '../../testing/streams.ts';
import { answer } from '../../testing/table-server.ts';

const ten = Array.from({ length: 10 }, (_, n) =>
  roast({ id: idOf(100 + n), coffee_name: `Coffee ${n}`, machine_name: 'Probat P25', batch_size_kg: 10 + n / 2 }),
);
const latest = (roasts: ReturnType<typeof roast>[]) => answer(listRoasts, { roasts, total: roasts.length });
const figures = {
  activeMachines: 0,
  totalMachines: 1,
  todayRoasts: 1,
  thisMonthRoasts: 27,
  totalRoasted: 445.54,
  unweighedRoasts: 0,
  hasRoasts: true,
  hasLots: true,
  hasRecipes: true,
};
const activity = () => within(screen.getByRole('region', { name: 'Recent Activity' }));
const tiles = () =>
  within(screen.getByRole('navigation', { name: 'Shortcuts' }))
    .getAllByRole('link')
    .map(textOf);

describe('the dashboard', () => {
  it('the dashboard shows a greeting, counts and the latest eight; a row opens its roast [P15 P16 P17 P20 P88]', async () => {
    const { user } = await openPortal('/dashboard', { answers: [latest(ten), answer(systemStats, figures)] });
    await screen.findByRole('heading', { name: 'Welcome back, Ana Restrepo' });
    await activity().findByText('Coffee 0');
    const text = textOf(screen.getByRole('main'));
    expect(text).toContain('Production Overview');
    expect(text).toMatch(/Machines 0 of 1 active Today 1 roast This Month 27 roasts Total Roasted 445\.5 kg/);
    expect(screen.getByRole('link', { name: 'This Month' }).getAttribute('href')).toBe('/analytics?span=month');
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

  it('says that a machine has drifted, leads to what it has learnt, and hides it after a question', async () => {
    const drift = {
      id: idOf(71),
      kind: 'burner',
      change: -6.2,
      deviation: 0.6,
      since: '2026-05-02T08:00:00.000Z',
    } as const;
    const { server, user } = await openPortal('/dashboard', { answers: [answer(listMachines, [machine({ drift })])] });
    const text = 'Probat P25: the burner gives 6 % less at the same setting since May 02, 2026';
    const link = await screen.findByRole('link', { name: text });
    expect(link.getAttribute('href')).toBe(`/machines/${idOf(11)}/learnt`);
    const sent: unknown[] = [];
    server.answer(
      answer(dismissMachineDrift, ({ params }) => (sent.push(params), { message: 'It is not shown again.' })),
    );
    server.answer(answer(listMachines, [machine()]));
    await user.click(screen.getByRole('button', { name: `Dismiss: ${text}` }));
    await user.click(screen.getByRole('button', { name: 'Keep' }));
    expect(sent).toEqual([]);
    await user.click(screen.getByRole('button', { name: `Dismiss: ${text}` }));
    await user.click(screen.getByRole('button', { name: 'Dismiss' }));
    await expect.poll(() => screen.queryByRole('link', { name: text })).toBeNull();
    expect(sent).toEqual([{ id: idOf(11), drift_id: idOf(71) }]);
  });

  it('has tiles of the administration for admins [P15 P16 P17 P20 P88]', async () => {
    await openPortal('/dashboard', { as: admin });
    expect(tiles().map((text) => text.split(' ')[0])).toEqual(['Roasts', 'Machines', 'Users', 'Statistics']);
  });

  it('counts the roasts that are not weighed, and links to them', async () => {
    await openPortal('/dashboard', { answers: [latest(ten), answer(systemStats, { ...figures, unweighedRoasts: 3 })] });
    const link = await screen.findByRole('link', { name: '3 roasts are not weighed yet' });
    expect(link.getAttribute('href')).toBe('/roasts?without=weight');
  });

  it('labels a roast without a name: Roast #id and Unknown on the dashboard [P18 P91]', async () => {
    const bare = roast({
      coffee_name: null,
      batch_number: 'R-9',
      batch_size_kg: null,
      start_time: '2026-03-05T15:06:00.000Z',
    });
    await openPortal('/dashboard', { answers: [latest([bare])] });
    const row = await activity().findByRole('link', { name: new RegExp(`^Roast #${bare.id.slice(0, 8)}`) });
    expect(textOf(row)).toBe(`Roast #${bare.id.slice(0, 8)} R-9 Unknown -- Mar 05, 2026 03:06 PM`);
  });

  it('shows the first steps without roasts [P19]', async () => {
    const { user } = await openPortal('/dashboard', { answers: [latest([])] });
    await screen.findByText('No roasts yet');
    await user.click(screen.getByRole('link', { name: 'Get Started' }));
    await expect.poll(() => location.pathname).toBe('/machines');
  });
});

const since = '2026-05-04T18:46:00.000Z';
const wallOf = (of: Machine, over: Partial<WallMachine> = {}): WallMachine => ({
  id: of.id,
  display_name: of.display_name,
  connection: of.connection,
  last_seen_at: of.last_seen_at,
  silent_since: of.silent_since,
  address: of.address,
  lacks_map: of.lacks_map,
  roast: null,
  next: null,
  ...over,
});
const wall = (...machines: WallMachine[]) =>
  answer(getWall, { machines, total: machines.length, reads_as: ana.preferences });

describe('the machines on the dashboard', () => {
  it('shows each running roast with clock, bean temperature and rate, and leads to its live view', async () => {
    const streams = openStreams();
    const roasting = machine({ connection: 'online', last_seen_at: since, current_roast_id: idOf(41) });
    const running = {
      id: idOf(41),
      roast_number: 'R-16',
      batch_number: 'R-16',
      coffee_name: 'Fazenda Alta',
      points: [],
      interpolated: false,
      target_drop_temp: null,
      reference: null,
    };
    await openPortal('/dashboard', {
      answers: [answer(listMachines, [roasting]), wall(wallOf(roasting, { roast: running }))],
    });
    const card = await screen.findByTestId('roasting-card');
    await within(card).findByText('R-16 · Fazenda Alta');
    // Nothing is wrong before the first reading.
    await within(card).findByText('Connecting');
    expect(card.dataset['state']).toBe('connecting');
    await expect.poll(() => streams.open().filter((address) => address.includes('/wall/live'))).toHaveLength(1);
    const of = { machine_id: roasting.id };
    streams.send('/wall/live', 'hello', {
      type: 'hello',
      ...of,
      connection: 'online',
      last_seen_at: since,
      is_silent: false,
    });
    for (let second = 0; second <= 40; second++)
      streams.send('/wall/live', 'reading', {
        type: 'reading',
        ...of,
        mono: 100_000 + second * 1000,
        bean_temp: 150 + second / 6,
        charge_mono: 100_000,
      });
    await expect.poll(() => textOf(card)).toMatch(/Time 0:40 Bean Temp °C 156\.7 RoR °C\/min 10\.0/);
    const link = within(card).getByRole('link', { name: 'Live view of Probat P25' });
    expect(link.getAttribute('href')).toBe(`/machines/${roasting.id}/live`);
    const pill = within(screen.getByRole('list', { name: 'Roasting now' })).getByRole('link');
    expect(pill.getAttribute('href')).toBe(`/machines/${roasting.id}/live`);
  });

  it('shows of an idle machine the next batch, and whether the drum is ready for it', async () => {
    const streams = openStreams();
    const idle = machine({ connection: 'online', last_seen_at: since });
    const next = { batch_number: 'R-17', coffee_name: 'House Espresso', batch_size_kg: 26, target_charge_temp: 200 };
    await openPortal('/dashboard', { answers: [answer(listMachines, [idle]), wall(wallOf(idle, { next }))] });
    const line = await screen.findByTestId('idle-line');
    await within(line).findByText('Next: R-17 · 26 kg · House Espresso');
    await within(line).findByText('Connecting');
    const reading = (second: number, bean: number) =>
      streams.send('/wall/live', 'reading', {
        type: 'reading',
        machine_id: idle.id,
        mono: second * 1000,
        bean_temp: bean,
        charge_mono: null,
      });
    reading(1, 150);
    await within(line).findByText('Not ready');
    for (let second = 2; second < 90; second++) reading(second, 200);
    await within(line).findByText('Ready to charge');
    expect(textOf(line)).toContain('200.0 °C');
  });

  it('says of a silent machine, and of one without a map, what is wrong, and leads to its settings', async () => {
    openStreams();
    const silent = machine({ connection: 'online', silent_since: since, address: '192.168.0.20:502' });
    const bare = machine({ id: idOf(12), display_name: 'Giesen W6', connection: 'online', lacks_map: true });
    await openPortal('/dashboard', {
      answers: [answer(listMachines, [silent, bare]), wall(wallOf(silent), wallOf(bare))],
    });
    const tasks = within(await screen.findByRole('region', { name: 'Needs attention' }));
    const sentence = 'Probat P25: The machine does not answer: 192.168.0.20:502, since 05/04/2026 - 06:46 PM';
    const link = await tasks.findByRole('link', { name: sentence });
    expect(link.getAttribute('href')).toBe(`/machines?settings=${silent.id}`);
    expect(tasks.getByRole('link', { name: 'Giesen W6 has no map' }).getAttribute('href')).toBe(
      `/machines?settings=${bare.id}`,
    );
    const lines = await screen.findAllByTestId('idle-line');
    await within(lines[0] ?? document.body).findByText(/^No answer since/);
    await within(lines[1] ?? document.body).findByText('No map');
  });

  it('names the lots that run out within two weeks', async () => {
    const short = lot({ estimated_runout_days: 9.4 });
    await openPortal('/dashboard', {
      answers: [
        answer(listLots, ({ query }) =>
          query.runs_out_within_days === 14 ? { lots: [short], total: 5 } : { lots: [], total: 0 },
        ),
      ],
    });
    const tasks = within(await screen.findByRole('region', { name: 'Needs attention' }));
    const link = tasks.getByRole('link', { name: 'Kiambu AA KE-26-05 runs out in 9 days' });
    expect(link.getAttribute('href')).toBe(`/inventory/lots/${short.id}/edit`);
    expect(tasks.getByRole('link', { name: '2 more lots run out within two weeks' }).getAttribute('href')).toBe(
      '/inventory',
    );
  });
});

it('dashboard of a new roastery: lists the first steps, those that are done, and nothing when all are', async () => {
  const stats = { ...figures, hasRoasts: false, hasRecipes: false };
  const { server } = await openPortal('/dashboard', { answers: [latest([]), answer(systemStats, stats)] });
  const list = await screen.findByRole('region', { name: 'First steps' });
  const steps = () =>
    within(list)
      .getAllByRole('link')
      .map((link) => [textOf(link), link.getAttribute('href')]);
  expect(steps()).toEqual([
    ['Connect a machine done', '/machines/register'],
    ['Import old roasts', '/roasts/new?way=upload'],
    ['Add green coffee done', '/inventory/lots/new'],
    ['Make a recipe', '/recipes/new'],
  ]);
  server.answer(answer(systemStats, figures));
  await refresh(systemStats);
  await expect.poll(() => screen.queryByRole('region', { name: 'First steps' })).toBeNull();
});
