import { analyticsChoices, analyticsGroups, analyticsProduction } from '@roastery/contract/analytics';
import type { SessionUser } from '@roastery/contract/auth';
import {
  adjustLot,
  createLot,
  getLot,
  inventorySummary,
  listLots,
  updateLot,
  type Lot,
} from '@roastery/contract/inventory';
import { planRoast } from '@roastery/contract/planned';
import { listRoasters } from '@roastery/contract/roasters';
import { getRoast, listRoasts } from '@roastery/contract/roasts';
import { getRoasterySettings } from '@roastery/contract/settings';
import { screen, within } from '@testing-library/dom';
import { describe, expect, it } from 'vitest';
import { openPortal, textOf, type OpenedPortal } from '../testing/open-portal.tsx';
import { ana, lot, machine, roast, settings } from '../testing/records.ts';
import { answer, refused } from '../testing/table-server.ts';

/** Pounds, euros and German formats. */
const as: SessionUser = {
  ...ana,
  preferences: { ...ana.preferences, weight_unit: 'lb', date_language: 'de' },
  roastery_time_zone: 'Europe/Berlin',
  roastery_currency: 'EUR',
};
const bags = answer(
  getRoasterySettings,
  settings({
    currency: 'EUR',
    bag_sizes: [
      { weight: 60, unit: 'kg' },
      { weight: 152, unit: 'lb' },
    ],
  }),
);
const guji: Lot = lot({
  lot_number: 'LB-1',
  coffee_name: 'Guji',
  origin: 'Ethiopia',
  initial_weight: 206.838_121,
  current_weight: 206.838_121,
  cost_per_kg: 6.834_33,
  harvest_date: '2025-12-01T00:00:00.000Z',
});

const field = (name: string): HTMLInputElement => screen.getByLabelText(new RegExp(`^${name}`), { selector: 'input' });
const holds = (name: string, text: string) => expect.poll(() => field(name).value, { message: name }).toBe(text);
const says = (text: RegExp) => expect.poll(() => textOf(screen.getByRole('main'))).toMatch(text);
const choose = async ({ user }: OpenedPortal, label: string, option: RegExp | string): Promise<void> => {
  await user.click(await screen.findByRole('combobox', { name: label }));
  await user.click(await screen.findByRole('option', { name: option }));
};
const sent = ({ server }: OpenedPortal, name: string) =>
  server.requests.find(({ endpoint }) => endpoint === name)?.body;

describe('a user with pounds, euros and German formats', () => {
  it('enters a lot in bags, with its price and dates', async () => {
    const portal = await openPortal('/inventory/lots/new', { as, answers: [bags, answer(createLot, guji)] });
    const { fill, user } = portal;
    await fill(await screen.findByLabelText(/^Lot number/), 'LB-1');
    await fill(field('Coffee name'), 'Guji');
    await fill(screen.getByRole('combobox', { name: 'Origin' }), 'Ethiopia');
    await fill(field('Harvest date'), '1.12.2025');
    await fill(field('Cost per lb'), '3,10');
    await choose(portal, 'Bag size', '152 lb');
    await fill(field('Bags'), '3');
    await holds('Initial weight', '456');
    await says(/Total Cost 1\.413,60\s€/);
    // The calendar begins its weeks on Monday, works by keyboard and fills the field in the order of the region.
    await fill(field('Purchase date'), '2.12.2025');
    const [, ofPurchase = document.body] = screen.getAllByRole('button', { name: 'Open calendar' });
    await user.click(ofPurchase);
    const calendar = within(await screen.findByRole('dialog', { name: 'Choose a date' }));
    expect((await calendar.findAllByText('Dec 2025')).length).toBeGreaterThan(0);
    expect(calendar.getAllByRole('columnheader').map(textOf)[0]).toBe('Mo');
    calendar.getByRole('button', { name: '2 Dec 2025' }).focus();
    await user.keyboard('{ArrowDown}{Enter}');
    await holds('Purchase date', '09.12.2025');
    await user.click(screen.getByRole('button', { name: 'Save Lot' }));
    await expect.poll(() => location.pathname).toBe('/inventory');
    expect(sent(portal, 'createLot')).toMatchObject({
      initial_weight: 206.838_121,
      cost_per_kg: 6.834_33,
      harvest_date: '2025-12-01T00:00:00.000Z',
      purchase_date: '2025-12-09T00:00:00.000Z',
    });
  });

  it('sees the list of lots in the own units', async () => {
    await openPortal('/inventory', {
      as,
      answers: [
        answer(listLots, { lots: [guji], total: 1 }),
        answer(inventorySummary, {
          total_lots: 1,
          available_lots: 1,
          total_weight_kg: 206.838_121,
          total_value: 1413.6,
        }),
      ],
    });
    await expect
      .poll(() => textOf(screen.getByRole('main')))
      .toMatch(/Total Weight \(lb\) 456,0 Total Value \(€\) 1\.413,60/);
    await says(/LB-1.*456,0 lb/);
  });

  it('sees the typed values in the form, and corrects the stock', async () => {
    const corrected = { ...guji, current_weight: 205.704_14, revision: 2 };
    const portal = await openPortal(`/inventory/lots/${guji.id}/edit`, {
      as,
      answers: [bags, answer(getLot, guji), answer(adjustLot, corrected), answer(updateLot, corrected)],
    });
    const { fill, server, user } = portal;
    await screen.findByLabelText(/^Lot number/);
    await holds('Initial weight', '456');
    await holds('Cost per lb', '3,1');
    await holds('Harvest date', '01.12.2025');
    await user.click(screen.getByRole('button', { name: 'Adjust weight' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Adjust weight' }));
    await user.click(dialog.getByRole('tab', { name: 'Added or removed' }));
    await fill(dialog.getByRole('textbox', { name: /^Change/ }), '-2,5');
    await expect.poll(() => textOf(screen.getByRole('dialog'))).toContain('456,0 lb − 2,5 lb = 453,5 lb');
    await fill(dialog.getByRole('combobox', { name: /^Reason/ }), 'Spillage');
    server.answer(answer(getLot, corrected));
    await user.click(dialog.getByRole('button', { name: 'Adjust weight' }));
    await screen.findByText('LB-1 now holds 453,5 lb');
    expect(sent(portal, 'adjustLot')).toMatchObject({ kg: -1.133_981, stock_before: guji.current_weight });
    // Saving a form with an unchanged weight changes no stock.
    await fill(field('Farm'), 'Halo');
    await user.click(screen.getByRole('button', { name: 'Update Lot' }));
    await expect.poll(() => location.pathname).toBe('/inventory');
    expect(sent(portal, 'updateLot')).toMatchObject({ farm: 'Halo', initial_weight: 206.838_121 });
  });

  it('plans a batch in pounds that is too large, then one that fits', async () => {
    const tooLarge = refused([{ field: 'batch_size_kg', message: 'Probat P25 holds at most 66,14 lb' }], 'validation');
    const stock = { ...guji, current_weight: 205.704_14 };
    const portal = await openPortal('/roasts/new', {
      as,
      answers: [
        answer(listLots, { lots: [stock], total: 1 }),
        answer(getLot, stock),
        answer(listRoasters, { current: null, people: [] }),
        answer(planRoast, tooLarge),
      ],
    });
    const { fill, user } = portal;
    await choose(portal, 'Machine', /Probat P25/);
    await choose(portal, 'Green coffee lot', /LB-1/);
    await fill(field('Batch'), '1.000,5');
    await screen.findByText('The lot holds only 453,5 lb');
    await fill(field('Batch'), '25,3');
    await user.click(screen.getByRole('button', { name: 'Add to queue' }));
    await screen.findAllByText('Probat P25 holds at most 66,14 lb');
    expect(sent(portal, 'planRoast')).toMatchObject({ machine_id: machine().id, batch_size_kg: 11.475_887 });
  });

  it('sees roasts in pounds: in the list, on their page and in the analytics', async () => {
    const one = roast({ batch_size_kg: 11.475_887, end_weight_kg: 9.865_634 });
    const figures = {
      roasts: 1,
      kg: 11.475_887,
      mean_duration_seconds: 600,
      development_ratio_mean: null,
      development_ratio_deviation: null,
      development_roasts: 0,
    };
    const answers = [
      answer(listRoasts, { roasts: [one], total: 1 }),
      answer(getRoast, one),
      answer(analyticsChoices, { machines: [], coffees: [], recipes: [], people: [] }),
      answer(analyticsGroups, { groups: [], total: 0 }),
      answer(analyticsProduction, { totals: figures, earlier: null, period: 'week', periods: [] }),
    ];
    await openPortal('/roasts', { as, answers });
    expect(await screen.findByRole('columnheader', { name: 'Batch (lb)' })).toBeDefined();
    await says(/25,3/);
    await openPortal(`/roasts/${one.id}`, { as, answers });
    await says(/25,3 lb/);
    await openPortal('/analytics', { as, answers });
    await says(/25,3 lb/);
  });
});
