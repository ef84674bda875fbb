import { listDevices, listPairingTickets } from '@roastery/contract/fleet';
import { listBlends } from '@roastery/contract/blends';
import { getMachine, listMachines } from '@roastery/contract/machines';
import { fireEvent, screen, within } from '@testing-library/dom';
import type { UserEvent } from '@testing-library/user-event';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { recentPages } from '../api/recent-pages.ts';
import { openPortal, textOf, type OpenedPortal, type PortalOptions } from '../testing/open-portal.tsx';
import { admin, ana, machine, roast } from '../testing/records.ts';
import { openStreams } from '../testing/streams.ts';
import { answer, noAnswer } from '../testing/table-server.ts';

const giesen = machine({ display_name: 'Giesen W6' });
const code = 'PAIR-BCDF-GHJK-LMNP';

const field = () => screen.findByRole<HTMLInputElement>('combobox', { name: 'Search or jump to' });
const open = async (address: string, options: PortalOptions = {}): Promise<OpenedPortal> => {
  const answers = [
    answer(listMachines, [giesen]),
    // Opening the live view is the end of these tests.
    answer(getMachine, noAnswer),
    answer(listBlends, { blends: [], total: 0 }),
    answer(listDevices, { devices: [], total: 0 }),
    answer(listPairingTickets, { tickets: [], total: 0 }),
  ];
  openStreams();
  const portal = await openPortal(address, { ...options, answers: [...answers, ...(options.answers ?? [])] });
  await portal.user.keyboard('{Control>}k{/Control}');
  // A document without layout does not move the focus into a dialog that opens.
  (await field()).focus();
  return portal;
};
const closePalette = async (user: UserEvent): Promise<void> => {
  (await field()).focus();
  await user.keyboard('{Escape}');
  await expect.poll(() => screen.queryByRole('combobox', { name: 'Search or jump to' })).toBe(null);
};
const palette = () => within(screen.getByRole('dialog', { name: 'Search or jump to' }));
const offered = (group: string): string[] => {
  const shown = palette().queryByRole('group', { name: group });
  return shown === null ? [] : within(shown).getAllByRole('option').map(textOf);
};

describe('the palette', () => {
  it('stays open when Ctrl+K follows Escape at once, and its event of closing comes later', async () => {
    const { user } = await open('/recipes');
    await user.keyboard('{Escape}{Control>}k{/Control}');
    await field();
    fireEvent(screen.getByRole('dialog', { name: 'Search or jump to' }), new Event('close'));
    await user.type(await field(), 'add lot');
    expect(offered('Actions')[0]).toContain('Add lot');
    await closePalette(user);
  });

  it.each([
    { typed: 'new roast', offers: 'Add roast', at: '/roasts/new' },
    { typed: 'log', offers: 'Log a roast by hand', at: '/roasts/new?way=hand' },
    { typed: 'add lot', offers: 'Add lot', at: '/inventory/lots/new' },
    { typed: 'live gie', offers: 'Live view of Giesen W6', at: `/machines/${giesen.id}/live` },
  ])('offers $offers for “$typed” and opens $at', async ({ typed, offers, at }) => {
    const { user } = await open('/recipes');
    await user.keyboard(typed);
    await expect.poll(() => offered('Actions')[0]).toContain(offers);
    expect(palette().getAllByRole('option', { selected: true }).map(textOf)).toEqual([expect.stringContaining(offers)]);
    await user.keyboard('{Enter}');
    await expect.poll(() => location.pathname + location.search).toBe(at);
  });

  it('sends all words to the server at once after the typing, and never for records that the user may not see', async () => {
    const { user, server } = await open('/recipes');
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    await user.keyboard('ethiopia');
    await vi.advanceTimersByTimeAsync(100);
    await user.keyboard(' march');
    await vi.advanceTimersByTimeAsync(150);
    vi.useRealTimers();
    await expect.poll(() => offered('Roasts')).toHaveLength(1);
    const searches = server.requests.filter(({ query }) => JSON.stringify(query).includes('"q":'));
    expect(searches.filter(({ endpoint }) => endpoint === 'listRoasts').map(({ query }) => query)).toEqual([
      { q: 'ethiopia march', sort: 'best_match', limit: '5' },
    ]);
    expect(searches.map(({ endpoint }) => endpoint).sort()).toEqual([
      'listBlends',
      'listLots',
      'listMachines',
      'listProfiles',
      'listRoasts',
    ]);
  });

  it('offers the actions of the page, and first the records that were opened last', async () => {
    const { user } = await open(`/roasts/${roast().id}`);
    await expect
      .poll(() =>
        offered('This page')
          .slice(0, 5)
          .map((text) => text.replace(/ \S$/, '')),
      )
      .toEqual(['Edit roast', 'Compare roast', 'Save roast as recipe', 'Print roast', 'Delete roast']);
    await closePalette(user);
    await expect.poll(() => recentPages(ana.id).length).toBe(1);
    await user.keyboard('gd');
    await screen.findByText('Recent Activity');
    await user.keyboard('{Control>}k{/Control}');
    await field();
    await expect.poll(() => offered('Recent')).toEqual(['Huila']);
  });

  it('opens Devices with a whole pairing code filled in, for admins, and searches nothing for it itself', async () => {
    const { user, server } = await open('/inventory', { as: admin });
    await user.keyboard(code.slice(0, -1));
    await palette().findByText('Nothing found');
    await user.keyboard(code.slice(-1));
    expect(offered('Devices')).toEqual([`Search the pairing tickets for ${code}`]);
    const searches = server.requests.filter(({ query }) => JSON.stringify(query).includes('PAIR'));
    expect(searches).toEqual([]);
    await user.keyboard('{Enter}');
    const search = await screen.findByRole<HTMLInputElement>('searchbox', { name: 'Search devices' });
    expect(search.value).toBe(code);
    expect(location.search).toBe(`?tab=tickets&q=${code}`);
  });

  it('offers nothing for a pairing code to others', async () => {
    const { user } = await open('/inventory');
    await user.keyboard(code);
    await palette().findByText('Nothing found');
    expect(palette().queryAllByRole('option')).toEqual([]);
  });
});

const keysOfPage = (): string => {
  const listed = screen.queryByRole('region', { name: 'This page' });
  return listed === null ? '' : textOf(listed);
};

describe('keys of a page', () => {
  it('are listed on `?`, on a page with a chart those of the chart too', async () => {
    const list = await openPortal('/roasts');
    await list.user.keyboard('?');
    await expect.poll(keysOfPage).toContain('Add roast');
    const ofRoast = await openPortal(`/roasts/${roast().id}`);
    await ofRoast.user.keyboard('?');
    await expect.poll(keysOfPage).toContain('Chart: previous or next point');
    expect(keysOfPage()).toContain('Edit roast');
  });

  it('are off from Ctrl+K until the palette closes, and a sequence that was begun before ends', async () => {
    const { user } = await openPortal('/inventory');
    await user.keyboard('g{Control>}k{/Control}');
    await field();
    await user.keyboard('n');
    await closePalette(user);
    await user.keyboard('r');
    expect(location.pathname).toBe('/inventory');
  });

  it('are off while a choice has the focus', async () => {
    const { user } = await openPortal('/inventory');
    const [choice] = await screen.findAllByRole('combobox');
    choice?.focus();
    await user.keyboard('n');
    expect(location.pathname).toBe('/inventory');
  });
});
