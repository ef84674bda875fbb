import {
  analyticsChoices,
  analyticsConsistency,
  analyticsGreen,
  analyticsGroups,
  analyticsProduction,
  analyticsRecipeConsistency,
  exportSummaryPdf,
  exportSummaryXlsx,
  type ComparedRoast,
  type Figures,
  type GroupFigures,
  type GroupKind,
} from '@roastery/contract/analytics';
import { screen, within } from '@testing-library/dom';
import { describe, expect, it } from 'vitest';
import { addDays, addMonths } from '../../format/calendar.ts';
import { openPortal, textOf } from '../../testing/open-portal.tsx';
import { idOf } from '../../testing/records.ts';
import { answer, refused } from '../../testing/table-server.ts';

const figures = (over: Partial<Figures> = {}): Figures => ({
  roasts: 4,
  kg: 57.5,
  mean_duration_seconds: 600,
  development_ratio_mean: 0.2,
  development_ratio_deviation: 0.01,
  development_roasts: 4,
  ...over,
});
const group = (name: string | null, over: Partial<GroupFigures> = {}): GroupFigures => ({
  id: null,
  name,
  ...figures(),
  ...over,
});
const groups: Record<GroupKind, GroupFigures[]> = {
  machine: [
    group('Big Drum', { id: idOf(11), kg: 52.5, roasts: 3 }),
    group('Little Drum', { id: idOf(12), kg: 5, roasts: 1 }),
    group(null),
  ],
  coffee: [group('Kiambu'), group(null)],
  recipe: [group('House Espresso', { id: idOf(31) }), group('Old Filter'), group(null)],
  person: [group('Ida')],
};
const weeks = [
  { from: '2026-04-12', to: '2026-04-18', ...figures({ kg: 10, roasts: 1 }) },
  { from: '2026-04-19', to: '2026-04-25', ...figures({ kg: 47.5, roasts: 3 }) },
];
const choices = {
  machines: [{ id: idOf(11), name: 'Big Drum' }],
  coffees: ['Huila', 'Kiambu'],
  recipes: [{ id: idOf(31), name: 'House Espresso', roasts: 3 }],
  people: ['Ana Restrepo', 'Ida'],
};
const green = { kg: 52.5, cost: 420, kg_without_cost: 0, roasts: 3 };

const compared = (n: number, rms: number, batch: string): ComparedRoast => ({
  id: idOf(n),
  said_number: batch,
  start_time: '2026-05-04T09:30:00.000Z',
  machine_name: 'Big Drum',
  roasted_by: 'Ida',
  duration_seconds: 600,
  drop_temp: 210,
  distance: { rms, max: rms, max_at: 300 },
});
const consistency = {
  profile: { id: idOf(31), name: 'House Espresso' },
  reference: {
    id: idOf(51),
    said_number: 'PR-1',
    start_time: '2026-05-04T09:30:00.000Z',
    source: 'best_rated' as const,
  },
  roasts: [compared(51, 0, 'PR-1'), compared(52, 2, 'PR-2'), compared(53, 4, 'PR-3')],
  total: 3,
  mean_rms: 3,
  band: {
    time_seconds: [0, 30, 60],
    reference: [200, 150, 110],
    low: [198, 148, 108],
    middle: [200, 150, 110],
    high: [202, 152, 112],
  },
};

const answers = [
  answer(analyticsProduction, { totals: figures(), earlier: null, period: 'week', periods: weeks }),
  answer(analyticsGroups, ({ params: { by } }) => ({ groups: groups[by], total: groups[by].length })),
  answer(analyticsChoices, choices),
  answer(analyticsGreen, {
    totals: green,
    kg_without_lot: 5,
    period: 'week',
    periods: weeks.map(({ from, to }) => ({ from, to, ...green })),
    lots: [
      {
        lot_id: idOf(21),
        lot_number: 'KE-1',
        coffee_name: 'Kiambu',
        origin: 'Kenya',
        cost_per_kg: 8,
        current_weight: 247.5,
        ...green,
      },
    ],
    total_lots: 1,
  }),
  answer(analyticsRecipeConsistency, {
    recipes: [
      {
        id: idOf(31),
        name: 'House Espresso',
        roasts: 3,
        compared: 2,
        source: 'best_rated',
        mean_rms: 3,
        max_rms: 4,
      },
    ],
    total: 1,
  }),
  answer(analyticsConsistency, consistency),
];

const tile = (label: string) => screen.getByRole('link', { name: new RegExp(`^${label} `) });
const rowsOf = async (label: string) =>
  within(await screen.findByRole('table', { name: label }))
    .getAllByRole('row')
    .slice(1);
/** The filter of the list of roasts behind a link. */
const behind = (link: Element | null | undefined) => {
  const address = new URL(link?.getAttribute('href') ?? '', location.href);
  return { path: address.pathname, ...Object.fromEntries(address.searchParams) };
};
const search = () => Object.fromEntries(new URLSearchParams(location.search));
const from = { from: '2026-01-01' };
const roasts = { path: '/roasts', ...from };

describe('analytics', () => {
  it('shows the figures in tiles and tables by machine, coffee, recipe and person', async () => {
    const { user } = await openPortal('/analytics', { answers });
    expect(textOf(await screen.findByRole('link', { name: /^Roasted 57\.5/ }))).toBe('Roasted 57.5 kg');
    expect(textOf(tile('Roasts'))).toBe('Roasts 4');
    expect(textOf(tile('Average duration'))).toContain('10:00');
    expect(textOf(tile('Development ratio'))).toBe('Development ratio 20.0 ± 1.0% of 4 roasts with first crack');
    const [big, little] = await rowsOf('Machines');
    expect([big, little].map((row) => textOf(row ?? document.body))).toEqual([
      'Big Drum 52.5 3 10:00 20.0 ± 1.0%',
      'Little Drum 5.0 1 10:00 20.0 ± 1.0%',
    ]);
    for (const [tab, names] of [
      ['Coffees', ['Kiambu', 'No coffee named']],
      ['Recipes', ['House Espresso', 'Old Filter', 'No recipe']],
      ['People', ['Ida']],
    ] as const) {
      await user.click(screen.getByRole('tab', { name: tab }));
      await screen.findByRole('link', { name: names[0] });
      expect((await rowsOf(tab)).map((row) => textOf(within(row).getByRole('link')))).toEqual(names);
    }
  });

  it.each([
    [
      'machine',
      [
        ['Big Drum', { machine_id: idOf(11) }],
        ['No machine', { without: 'machine' }],
      ],
    ],
    [
      'coffee',
      [
        ['Kiambu', { coffee_name: 'Kiambu' }],
        ['No coffee named', { without: 'coffee' }],
      ],
    ],
    [
      'recipe',
      [
        ['House Espresso', { profile_id: idOf(31) }],
        ['Old Filter', { former_recipe: 'Old Filter' }],
        ['No recipe', { without: 'recipe' }],
      ],
    ],
    ['person', [['Ida', { roasted_by: 'Ida' }]]],
  ] as const)('links each figure by %s to the roasts that it counts', async (by, links) => {
    await openPortal(`/analytics?from=2026-01-01&by=${by}`, { answers });
    for (const [name, filter] of links) {
      expect(behind(await screen.findByRole('link', { name })), name).toEqual({ ...roasts, ...filter });
    }
  });

  it('links the figures of the tiles and periods to the roasts that they count', async () => {
    await openPortal('/analytics?from=2026-01-01', { answers });
    const chart = within(await screen.findByRole('list', { name: 'Weight roasted by period' }));
    expect(chart.getAllByRole('link').map(behind)).toEqual(
      weeks.map((week) => ({ path: '/roasts', from: week.from, to: week.to })),
    );
    expect(behind(tile('Roasted'))).toEqual(roasts);
    expect(behind(tile('Average duration'))).toEqual({ ...roasts, status: 'completed' });
    expect(behind(tile('Development ratio'))).toEqual({ ...roasts, status: 'completed', with: 'development' });
  });

  it('keeps span, filters and tab in the address', async () => {
    const { fill, server, user } = await openPortal('/analytics', { answers });
    const asked = () => server.requests.filter(({ endpoint }) => endpoint === 'analyticsProduction').at(-1)?.query;
    await user.click(screen.getByRole('combobox', { name: 'Coffee' }));
    await user.click(await screen.findByRole('option', { name: 'Kiambu' }));
    await expect.poll(search).toEqual({ coffee_name: 'Kiambu' });
    await user.click(screen.getByRole('radio', { name: 'All' }));
    await fill(screen.getByRole('combobox', { name: 'Person' }), 'id');
    await user.click(await screen.findByRole('option', { name: 'Ida' }));
    await expect.poll(search).toEqual({ coffee_name: 'Kiambu', span: 'all', roasted_by: 'Ida' });
    await expect.poll(asked).toEqual({ coffee_name: 'Kiambu', roasted_by: 'Ida', week_start: 'sunday' });
    await user.click(screen.getByRole('button', { name: 'Reset filters (2)' }));
    await expect.poll(search).toEqual({ span: 'all' });
    await fill(screen.getByLabelText('From'), 'May 1, 2026');
    await user.keyboard('{Enter}');
    await expect.poll(search).toEqual({ from: '2026-05-01' });
    await expect.poll(() => screen.getByRole('radio', { name: 'All' }).getAttribute('aria-checked')).toBe('false');
  });

  it('ignores a truncated id in the address, and shows a span without roasts as empty', async () => {
    const { server } = await openPortal('/analytics?from=2001-01-01&to=2001-02-01&machine_id=nonsense', {
      answers: [...answers, answer(analyticsGroups, { groups: [], total: 0 })],
    });
    expect(await screen.findByText('No roasts in this period')).toBeDefined();
    expect(server.requests.find(({ endpoint }) => endpoint === 'analyticsGroups')?.query).toMatchObject({
      from: '2001-01-01',
      to: '2001-02-01',
    });
    expect(JSON.stringify(server.requests)).not.toContain('nonsense');
  });

  it('shows all recipes, the least consistent on top, and opens the comparison of one', async () => {
    const { user } = await openPortal('/analytics?tab=consistency', { answers });
    const link = await screen.findByRole('link', { name: 'House Espresso' });
    const row = textOf(link.closest('tr') ?? document.body);
    expect(row).toContain('2 of 3');
    expect(row).toContain('highest cupping score');
    await user.click(link);
    await expect.poll(search).toEqual({ tab: 'consistency', profile_id: idOf(31) });
    await screen.findByText('median 3.0, 3 roasts');
  });

  it('shows the deviation of a recipe’s roasts from its reference', async () => {
    const { user } = await openPortal(`/analytics?tab=consistency&profile_id=${idOf(31)}`, { answers });
    await screen.findByText('median 3.0, 3 roasts');
    expect(textOf(tile('Average deviation'))).toBe('Average deviation 3.0 °C median 3.0, 3 roasts');
    expect(behind(tile('Average deviation'))).toEqual({ path: '/roasts', ids: `${idOf(52)},${idOf(53)}` });
    expect(textOf(tile('Within 3.0 °C'))).toBe('Within 3.0 °C 1 of 2 50%');
    expect(behind(tile('Within 3.0 °C'))).toEqual({ path: '/roasts', ids: idOf(52) });
    expect(textOf(tile('Reference'))).toContain('highest cupping score');
    expect(behind(tile('Reference')).path).toBe(`/roasts/${idOf(51)}`);
    expect(behind(tile('Worst roast')).path).toBe(`/roasts/${idOf(53)}`);
    const columns = within(screen.getByRole('list', { name: 'Deviation from the reference by roast' }));
    expect(columns.getAllByRole('link').map((link) => behind(link).path)).toEqual([
      `/roasts/${idOf(53)}`,
      `/roasts/${idOf(52)}`,
    ]);
    expect(await rowsOf('Compared roasts')).toHaveLength(3);
    await user.click(screen.getByText('Figures as a table'));
    expect(await screen.findByRole('rowheader', { name: '0:30' })).toBeDefined();
  });

  it('shows that no roast has a recipe, and that a recipe has nothing to compare', async () => {
    await openPortal('/analytics?tab=consistency', {
      answers: [...answers, answer(analyticsRecipeConsistency, { recipes: [], total: 0 })],
    });
    await screen.findByText('No roast with a recipe');
    await openPortal(`/analytics?tab=consistency&profile_id=${idOf(31)}`, {
      answers: [
        ...answers,
        answer(analyticsConsistency, { ...consistency, reference: null, roasts: [], total: 0, band: null }),
      ],
    });
    expect(await screen.findByText('Nothing to compare yet')).toBeDefined();
  });

  it('shows the used green coffee and its cost', async () => {
    await openPortal('/analytics?tab=green&from=2026-01-01', { answers });
    const roastsOfLot = await screen.findByRole('link', { name: '3 roasts of lot KE-1' });
    expect(textOf(tile('Green used'))).toBe('Green used 52.5 kg by 3 roasts');
    expect(textOf(screen.getByRole('link', { name: /^Cost \$/ }))).toContain('$420.00');
    expect(textOf(tile('Cost per kg'))).toContain('$8.00');
    expect(textOf(tile('Without a lot'))).toContain('5.0 kg');
    expect(behind(tile('Without a lot'))).toEqual({ ...roasts, without: 'green' });
    expect(behind(tile('Green used'))).toEqual({ ...roasts, with: 'green' });
    expect(textOf(roastsOfLot.closest('tr') ?? document.body)).toMatch(/Kiambu.*52\.5.*\$8\.00.*\$420\.00.*247\.5.*3/);
    expect(behind(roastsOfLot)).toEqual({
      ...roasts,
      lot_id: idOf(21),
      with: 'green',
    });
  });

  it('exports the summary of the chosen days as PDF and XLSX', async () => {
    const busy = refused('Too many files are being made. Try again in a few seconds.', 'too_many_requests');
    const { server, user } = await openPortal('/analytics?span=last-month', {
      answers: [...answers, answer(exportSummaryPdf, busy), answer(exportSummaryXlsx, busy)],
    });
    const exported = () =>
      server.requests.flatMap(({ endpoint, query }) =>
        endpoint.startsWith('exportSummary') ? [{ endpoint, query }] : [],
      );
    const firstOfMonth = `${new Date().toISOString().slice(0, 8)}01`;
    const query = { from: addMonths(firstOfMonth, -1), to: addDays(firstOfMonth, -1) };
    await user.click(await screen.findByRole('button', { name: 'Export' }));
    await user.click(await screen.findByRole('menuitem', { name: 'One page (PDF)' }));
    await expect.poll(exported).toEqual([{ endpoint: 'exportSummaryPdf', query }]);
    await screen.findByText(/^Too many files are being made/);
    await user.click(screen.getByRole('button', { name: 'Export' }));
    await user.click(await screen.findByRole('menuitem', { name: 'Excel (XLSX)' }));
    await expect.poll(() => exported().at(-1)).toEqual({ endpoint: 'exportSummaryXlsx', query });
  });
});
