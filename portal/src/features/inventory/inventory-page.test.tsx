import {
  createLot,
  deleteLot,
  getLot,
  inventorySummary,
  listLots,
  lotLocations,
  lotOrigins,
  updateLot,
} from '@roastery/contract/inventory';
import { screen, within } from '@testing-library/dom';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openPortal, textOf } from '../../testing/open-portal.tsx';
import { idOf, lot } from '../../testing/records.ts';
import { answer, broken, refused } from '../../testing/table-server.ts';

const none = [
  answer(listLots, { lots: [], total: 0 }),
  answer(inventorySummary, { total_lots: 0, available_lots: 0, total_weight_kg: 0, total_value: 0 }),
];
const konga = lot({
  lot_number: 'ET-26-07',
  coffee_name: 'Yirgacheffe Konga',
  origin: 'Ethiopia',
  region: 'Gedeo',
  process: 'Washed',
  location: 'Main Warehouse',
  initial_weight: 60,
  current_weight: 60,
});
const row = async (number: string) =>
  (await screen.findByRole('link', { name: number })).closest<HTMLElement>('tr') ?? document.body;
const field = (name: string): HTMLInputElement => screen.getByLabelText(new RegExp(`^${name}`), { selector: 'input' });

const alerts = () => screen.getAllByRole('alert').map(textOf).join(' ');

describe('green inventory', () => {
  it('is empty at first and offers the first lot [P100 P103 P105 P107 P109 P181 P182 P213]', async () => {
    const { user } = await openPortal('/inventory', { answers: none });
    await screen.findByText('No inventory lots found');
    await user.click(screen.getByRole('link', { name: 'Add First Lot' }));
    await expect.poll(() => location.pathname).toBe('/inventory/lots/new');
  });

  it('requires a lot’s fields; the error of a field clears on edit [P100 P103 P105 P107 P109 P181 P182 P213]', async () => {
    const { fill, user } = await openPortal('/inventory/lots/new');
    await user.click(await screen.findByRole('button', { name: 'Save Lot' }));
    await screen.findByText('Please fix the errors in the form');
    for (const message of [
      'Lot number is required',
      'Coffee name is required',
      'Origin is required',
      'Initial weight must be greater than 0',
    ]) {
      expect(await screen.findByText(message)).toBeDefined();
    }
    await fill(field('Lot number'), 'E');
    await expect.poll(() => screen.queryByText('Lot number is required')).toBeNull();
    expect(screen.queryByText('Coffee name is required')).not.toBeNull();
  });

  it('shows a lot in the columns of the document, and the totals [P100 P103 P105 P107 P109 P181 P182 P213]', async () => {
    await openPortal('/inventory', {
      answers: [
        answer(listLots, { lots: [konga], total: 1 }),
        answer(inventorySummary, { total_lots: 7, available_lots: 3, total_weight_kg: 60, total_value: 564 }),
      ],
    });
    const cells = within(await row('ET-26-07'))
      .getAllByRole('cell')
      .map(textOf);
    expect(cells.slice(1)).toEqual([
      'ET-26-07',
      'Yirgacheffe Konga Gedeo',
      'Ethiopia',
      'May 04, 2026',
      'Main Warehouse',
      '60.0 kg',
      '60.0 kg 100%',
      '--',
      '0',
      'Washed',
      'Available',
    ]);
    const text = textOf(screen.getByRole('main'));
    expect(text).toContain('Total Lots 7 Available Lots 3 Total Weight (kg) 60.0 Total Value ($) 564.00');
  });

  it('shows in the form why the server refuses a lot, and keeps the input [P192]', async () => {
    const taken = refused('A lot with the number TAKEN-1 already exists', 'already_exists');
    const { fill, user } = await openPortal('/inventory/lots/new', { answers: [answer(createLot, taken)] });
    await fill(await screen.findByLabelText(/^Lot number/), 'TAKEN-1');
    await fill(field('Coffee name'), 'Twice');
    await fill(screen.getByRole('combobox', { name: 'Origin' }), 'Peru');
    await fill(field('Cupping score'), '100.5');
    await fill(field('Initial weight'), '12.5');
    await user.click(screen.getByRole('button', { name: 'Save Lot' }));
    await screen.findByText('Cupping score: 0-100');
    await fill(field('Cupping score'), '88.5');
    await user.click(screen.getByRole('button', { name: 'Save Lot' }));
    await screen.findByText(/A lot with the number TAKEN-1 already exists/);
    expect(field('Coffee name').value).toBe('Twice');
    // Leaving shows a confirmation first: no input is lost by a stray click.
    await user.click(screen.getByRole('link', { name: 'Cancel' }));
    await screen.findByRole('alertdialog', { name: 'Leave without saving?' });
    await user.click(screen.getByRole('button', { name: 'Leave' }));
    await expect.poll(() => location.pathname).toBe('/inventory');
  });

  it('saves no unreadable figure, and reads a decimal comma', async () => {
    const { fill, server, user } = await openPortal('/inventory/lots/new', { answers: [answer(createLot, lot())] });
    await fill(await screen.findByLabelText(/^Lot number/), 'FIGURES-1');
    await fill(field('Coffee name'), 'Typed in a hurry');
    await fill(screen.getByRole('combobox', { name: 'Origin' }), 'Peru');
    await fill(field('Initial weight'), '10');
    await user.type(field('Cupping score'), '8-7');
    await user.type(field('Cost per kg'), '9,4{Enter}');
    await screen.findByText(/Enter a number such as 9\.4/);
    await fill(field('Cupping score'), '87');
    await user.keyboard('{Enter}');
    await expect.poll(() => location.pathname).toBe('/inventory');
    expect(server.requests.find(({ endpoint }) => endpoint === 'createLot')?.body).toMatchObject({
      cupping_score: 87,
      cost_per_kg: 9.4,
    });
  });

  it('shows the last existing page when the rows of a page were deleted', async () => {
    const last = lot({ id: idOf(55), lot_number: 'LAST-35' });
    const paged = (total: number) =>
      answer(listLots, ({ query: { offset } }) => ({ lots: offset === 0 ? [konga] : total > 25 ? [last] : [], total }));
    const { server, user } = await openPortal('/inventory?q=LAST&rows=25&sort=lot_number&page=2', {
      answers: [paged(26), answer(deleteLot, { message: 'Deleted', archived: false })],
    });
    await user.click(within(await row('LAST-35')).getByRole('checkbox', { hidden: false }));
    await user.click(screen.getByRole('button', { name: 'Delete (1)' }));
    const question = within(await screen.findByRole('alertdialog'));
    server.answer(paged(25));
    await user.click(question.getByRole('button', { name: 'Delete' }));
    await row('ET-26-07');
    expect(textOf(screen.getByRole('main'))).toContain('1–25 of 25');
    await expect.poll(() => location.search).toBe('?q=LAST&rows=25&sort=lot_number');
  });

  it('keeps every letter of a search that is typed while earlier ones are read', async () => {
    const held: (() => void)[] = [];
    const { server, user } = await openPortal('/inventory?status=all');
    const typed = 'coffee of LAST';
    server.answer(
      answer(listLots, async () => {
        await new Promise<void>((resolve) => held.push(resolve));
        return { lots: [konga], total: 1 };
      }),
    );
    const box = await screen.findByRole<HTMLInputElement>('searchbox', { name: 'Search lots' });
    await user.click(box);
    for (const word of ['coffee', ' of', ' LAST']) {
      await user.keyboard(word);
      await expect.poll(() => held.length).toBeGreaterThan(0);
      for (const release of held.splice(0)) release();
    }
    await expect.poll(() => location.search).toBe('?status=all&q=coffee+of+LAST');
    expect(box.value).toBe(typed);
    for (const release of held.splice(0)) release();
    server.answer(answer(listLots, { lots: [konga], total: 1 }));
    // Changes from outside the field are shown in it.
    await user.click(await screen.findByRole('button', { name: /^Reset filters/ }));
    await expect.poll(() => box.value).toBe('');
  });

  it('deletes the selected lots after a confirmation with their names [P106 P193]', async () => {
    const others = [
      konga,
      lot({ id: idOf(22), lot_number: 'KE-26-06' }),
      lot({ id: idOf(23), lot_number: 'KE-26-07' }),
    ];
    const three = others.map((one, at) => ({ ...one, id: idOf(21 + at) }));
    const list = (lots: typeof three) => answer(listLots, { lots, total: lots.length });
    const { server, user } = await openPortal('/inventory', {
      answers: [
        list(three),
        answer(deleteLot, ({ params: { id } }) => ({ message: 'Deleted', archived: id === idOf(22) })),
      ],
    });
    for (const number of ['ET-26-07', 'KE-26-06'])
      await user.click(within(await row(number)).getByRole('checkbox', { hidden: false }));
    await user.click(screen.getByRole('button', { name: 'Delete (2)' }));
    const question = within(await screen.findByRole('alertdialog'));
    expect(question.getAllByRole('listitem').map(textOf)).toEqual(['ET-26-07 Yirgacheffe Konga', 'KE-26-06 Kiambu AA']);
    server.answer(list(three.slice(2)));
    await user.click(question.getByRole('button', { name: 'Delete' }));
    await screen.findByText('Successfully deleted 2 lot(s)');
    await expect.poll(() => screen.queryByRole('link', { name: 'ET-26-07' })).toBeNull();
    expect(screen.queryByRole('link', { name: 'KE-26-07' })).not.toBeNull();
    expect(server.requests.flatMap(({ endpoint, params }) => (endpoint === 'deleteLot' ? [params] : []))).toEqual([
      { id: idOf(21) },
      { id: idOf(22) },
    ]);
  });

  it('keeps its filters in the address and clears them together [P99 P101 P102]', async () => {
    const { server, user } = await openPortal('/inventory/lots', {
      answers: [answer(lotOrigins, ['Kenya', 'Rwanda']), answer(lotLocations, ['Silo 2', 'Silo 3'])],
    });
    await row('KE-26-05');
    expect(screen.queryByRole('button', { name: /^Reset filters/ })).toBeNull();
    for (const [name, option] of [
      ['Origin', 'Rwanda'],
      ['Location', 'Silo 2'],
      ['Status', 'Depleted'],
    ] as const) {
      await user.click(screen.getByRole('combobox', { name }));
      await user.click(await screen.findByRole('option', { name: option }));
      await expect.poll(() => location.search.replaceAll('+', ' ')).toContain(option);
    }
    expect(location.search).toBe('?origin=Rwanda&location=Silo+2&status=Depleted');
    const filters = { origin: 'Rwanda', status: 'Depleted' };
    await expect
      .poll(() => server.requests.filter(({ endpoint }) => endpoint === 'listLots').at(-1)?.query)
      .toMatchObject(filters);
    await user.click(screen.getByRole('button', { name: 'Reset filters (3)' }));
    await expect.poll(() => location.search).toBe('');
  });

  it('marks a lot as reserved and sends its initial weight', async () => {
    const reserved = lot({
      lot_number: 'RE-1',
      initial_weight: 69,
      is_reserved: true,
      status: 'Reserved',
      revision: 2,
    });
    const { fill, server, user } = await openPortal(`/inventory/lots/${idOf(21)}/edit`, {
      answers: [answer(getLot, lot({ lot_number: 'RE-1', initial_weight: 60 })), answer(updateLot, reserved)],
    });
    expect((await screen.findByLabelText<HTMLInputElement>(/^Lot number/)).readOnly).toBe(true);
    await fill(field('Initial weight'), '69');
    await user.click(screen.getByRole('checkbox', { name: /^Reserved/, hidden: false }));
    await user.click(screen.getByRole('button', { name: 'Update Lot' }));
    await screen.findByText('Lot RE-1 saved');
    await expect.poll(() => location.pathname).toBe('/inventory');
    expect(server.requests.find(({ endpoint }) => endpoint === 'updateLot')?.body).toMatchObject({
      initial_weight: 69,
      is_reserved: true,
      revision: 1,
    });
  });

  it('shows that the list could not be read, with the request’s number, and reads it on Retry [P201]', async () => {
    const full = refused('The database is full', 'internal');
    const { server, user } = await openPortal('/inventory', { answers: [answer(listLots, full)] });
    await screen.findByText('No inventory lots found');
    await expect.poll(alerts).toContain('Lots could not be loaded . The database is full');
    expect(alerts()).toContain('Request request-7');
    server.answer(answer(listLots, { lots: [konga], total: 1 }));
    await user.click(screen.getByRole('button', { name: 'Retry' }));
    await row('ET-26-07');
    expect(screen.queryByText(/Lots could not be loaded/)).toBeNull();
  });

  it('returns to the list from a missing lot [P191]', async () => {
    await openPortal(`/inventory/lots/${idOf(99)}/edit`, { answers: [answer(getLot, broken())] });
    await screen.findByText('Failed to load lot data');
    await expect.poll(() => location.pathname).toBe('/inventory');
  });
});

const resize = (width: number) => {
  const { happyDOM } = window as { happyDOM?: { setViewport: (size: { width: number }) => void } };
  happyDOM?.setViewport({ width });
};
const rows = () =>
  within(screen.getByRole('list', { name: 'Lots' }))
    .getAllByRole('listitem')
    .map(textOf);

describe('green inventory on a phone', () => {
  let desk = 0;
  beforeEach(() => {
    desk = innerWidth;
    resize(390);
  });
  afterEach(() => resize(desk));

  const lots = [
    lot({ id: idOf(31), lot_number: 'A-1', origin: 'Peru', estimated_runout_days: 3.4 }),
    lot({ id: idOf(32), lot_number: 'B-2', estimated_runout_days: 46, status: 'Reserved', current_weight: 32 }),
    lot({ id: idOf(33), lot_number: 'C-3', estimated_runout_days: null }),
  ];
  const list = answer(listLots, { lots, total: 3 });

  it('has the run-out estimation in each row, beside coffee, number, weight, origin and status', async () => {
    await openPortal('/inventory', { answers: [list] });
    await screen.findByRole('list', { name: 'Lots' });
    await expect
      .poll(rows)
      .toEqual([
        'Select lot A-1 Kiambu AA Kiambu AA A-1 12.0 kg 100% Peru · 3 days · Available',
        'Select lot B-2 Kiambu AA Kiambu AA B-2 32.0 kg 100% Kenya · 6+ weeks · Reserved',
        'Select lot C-3 Kiambu AA Kiambu AA C-3 12.0 kg 100% Kenya · -- · Available',
      ]);
    expect(screen.getAllByLabelText('Run out estimation')).toHaveLength(3);
  });

  it('sorts by what runs out first, and by each of its other orders', async () => {
    const { server, user } = await openPortal('/inventory', { answers: [list] });
    const order = await screen.findByRole('combobox', { name: /^Sort lots/ });
    const asked = () => server.requests.findLast(({ endpoint }) => endpoint === 'listLots')?.query;
    expect(textOf(order)).toBe('Newest first');
    for (const [label, sort] of [
      ['Runs out first', 'estimated_runout_days'],
      ['Name', 'coffee_name'],
      ['Least left', 'current_weight'],
      ['Most left', '-current_weight'],
      ['Newest first', '-registration_date'],
    ] as const) {
      await user.click(order);
      await user.click(await screen.findByRole('option', { name: label }));
      await expect.poll(asked).toMatchObject({ sort });
      await expect.poll(() => textOf(order)).toBe(label);
    }
  });

  it('names the order of an address that was sorted on a desk', async () => {
    await openPortal('/inventory?sort=-origin', { answers: [list] });
    const order = await screen.findByRole('combobox', { name: /^Sort lots/ });
    await expect.poll(() => textOf(order)).toBe('Origin, descending');
  });
});
