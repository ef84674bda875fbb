import { listMachines } from '@roastery/contract/machines';
import {
  cancelPlannedRoast,
  listPlannedRoasts,
  orderQueue,
  type PlannedDay,
  type PlannedRoast,
} from '@roastery/contract/planned';
import { getProfile, listProfiles } from '@roastery/contract/profiles';
import { listRoasters } from '@roastery/contract/roasters';
import { screen, within } from '@testing-library/dom';
import { expect, it } from 'vitest';
import { openPortal, textOf } from '../../testing/open-portal.tsx';
import { ana, idOf, machine, recipe } from '../../testing/records.ts';
import { answer } from '../../testing/table-server.ts';

const today = '2026-11-21';
const tomorrow = '2026-11-22';
const plan = (n: number, day: string, over: Partial<PlannedRoast> = {}): PlannedRoast => ({
  id: idOf(300 + n),
  batch_number: `R-${n}`,
  machine_id: machine().id,
  machine_name: machine().display_name,
  lot_id: null,
  lot_number: null,
  profile_id: null,
  profile_name: null,
  coffee_name: 'House Espresso',
  batch_size_kg: 26,
  roasted_by: null,
  notes: null,
  created_at: ana.created_at,
  created_by: 'Ana Restrepo',
  status: 'waiting',
  day,
  ahead: n - 1,
  origin: 'person',
  roast_id: null,
  ...over,
});
const dayOf = (day: string, over: Partial<PlannedDay> = {}): PlannedDay => ({
  machine_id: machine().id,
  day,
  batches: 1,
  green_kg: 26,
  done_at: null,
  short: [],
  ...over,
});
const guji = { coffee_name: 'Guji', batch_size_kg: 12 };
const plans = [plan(1, today), plan(2, today), plan(3, today, guji), plan(4, tomorrow)];
const short = [{ lot_id: idOf(9), lot_number: 'L-0042', coffee_name: 'Guji', missing_kg: 7.5 }];
const queue = answer(listPlannedRoasts, {
  planned: plans,
  days: [dayOf(today, { batches: 3, green_kg: 64, done_at: '2026-11-21T14:20:00.000Z' }), dayOf(tomorrow, { short })],
  today,
});
const idsOf = (...numbers: number[]) => numbers.map((n) => idOf(300 + n));
const batch = () => screen.getByRole<HTMLInputElement>('textbox', { name: 'Batch' });
const rowsIn = (list: HTMLElement): string[] => within(list).getAllByRole('listitem').map(textOf);

it('queue: shows each day with what it holds, when it is done, what falls short, and equal roasts as one', async () => {
  const { user } = await openPortal('/roasts/new', { answers: [queue] });
  const section = await screen.findByRole('region', { name: `Queue of ${machine().display_name}` });
  const rows = () => rowsIn(within(section).getByRole('list'));
  expect(rows()).toEqual([
    expect.stringContaining('Today · 3 batches · 64 kg green · done about 02:20 PM'),
    expect.stringMatching(/2 × House Espresso.*Batch R-1 to R-2 · 26 kg each, 52 kg/),
    expect.stringContaining('Guji'),
    expect.stringMatching(/Tomorrow · 1 batch · 26 kg green.*Guji \(L-0042\) falls short by 7\.5 kg/),
    expect.stringContaining('House Espresso'),
    expect.stringMatching(/11\/23\/2026 · nothing planned/),
  ]);
  await user.click(within(section).getByRole('button', { name: 'Actions for 2 × House Espresso' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Show each' }));
  await expect.poll(() => rows().length).toBe(7);
});

it('queue: a row is moved to another day by its menu and by the arrow keys', async () => {
  const { server, user } = await openPortal('/roasts/new', {
    answers: [queue, answer(orderQueue, { planned: plans })],
  });
  const sent = () => server.requests.filter(({ endpoint }) => endpoint === 'orderQueue').map(({ body }) => body);
  await user.click(await screen.findByRole('button', { name: 'Actions for 2 × House Espresso' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Move to Tomorrow' }));
  await expect
    .poll(sent)
    .toEqual([
      { plan_ids: idsOf(3, 4, 1, 2), order_before: idsOf(1, 2, 3, 4), moved: { plan_ids: idsOf(1, 2), day: tomorrow } },
    ]);
  screen.getByRole('button', { name: /^Move Guji, place 3 of 4/ }).focus();
  await user.keyboard('{ArrowDown}');
  await expect
    .poll(() => sent()[1])
    .toEqual({
      plan_ids: idsOf(1, 2, 3, 4),
      order_before: idsOf(1, 2, 3, 4),
      moved: { plan_ids: idsOf(3), day: tomorrow },
    });
});

it('queue: asks before a roast is removed', async () => {
  const { server, user } = await openPortal('/roasts/new', {
    answers: [queue, answer(cancelPlannedRoast, { message: 'Removed' })],
  });
  const sent = () => server.requests.filter(({ endpoint }) => endpoint === 'cancelPlannedRoast');
  await user.click(await screen.findByRole('button', { name: 'Actions for Guji' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Remove from queue' }));
  const question = within(await screen.findByRole('alertdialog', { name: 'Remove from queue' }));
  question.getByText(/^Remove Guji from the queue of/);
  expect(sent()).toEqual([]);
  await user.click(question.getByRole('button', { name: 'Remove' }));
  await expect.poll(sent).toHaveLength(1);
});

it('batch of a planned roast: is the smaller of recipe and machine, and follows the recipe until it is typed over', async () => {
  const [large, small] = [
    recipe({ id: idOf(71), name: 'Large', max_batch_size: 40, green_coffee_lot_id: null }),
    recipe({ id: idOf(72), name: 'Small', max_batch_size: 9, green_coffee_lot_id: null }),
  ];
  const { fill, user } = await openPortal('/roasts/new', {
    answers: [
      answer(listMachines, [machine({ max_capacity_kg: 30 })]),
      answer(listRoasters, { current: null, people: [] }),
      answer(listProfiles, { profiles: [large, small], total: 2 }),
      answer(getProfile, ({ params }) => (params.id === large.id ? large : small)),
    ],
  });
  const choose = async (label: string, option: string) => {
    await user.click(await screen.findByRole('combobox', { name: label }));
    await user.click(await screen.findByRole('option', { name: new RegExp(option) }));
  };
  await choose('Recipe', 'Large');
  await expect.poll(() => batch().value).toBe('40');
  await choose('Machine', machine().display_name);
  await expect.poll(() => batch().value).toBe('30');
  await choose('Recipe', 'Small');
  await expect.poll(() => batch().value).toBe('9');
  await fill(batch(), '7');
  await choose('Recipe', 'Large');
  await expect.poll(() => screen.getByRole<HTMLInputElement>('combobox', { name: 'Recipe' }).value).toBe('Large');
  expect(batch().value).toBe('7');
});

/** In the order of the queue. */
const names = () =>
  screen.getAllByRole('button', { name: /^Move / }).map((one) => one.getAttribute('aria-label')?.split(/[ ,]/)[1]);

it('queue: quick changes of its order are stored one after the other, and the last one applies', async () => {
  const places = { Anna: 1, Berta: 2, Clara: 3 };
  let planned = Object.entries(places).map(([coffee_name, n]) => plan(n, today, { coffee_name }));
  const asked: { readonly ids: readonly string[]; readonly store: () => void }[] = [];
  const { user } = await openPortal('/roasts/new', {
    answers: [
      answer(listPlannedRoasts, () => ({ planned, days: [dayOf(today, { batches: 3 })], today })),
      answer(
        orderQueue,
        ({ body: { plan_ids: ids } }) =>
          new Promise((resolve) => {
            const store = () => {
              planned = ids.flatMap((id) => planned.filter((one) => one.id === id));
              resolve({ planned });
            };
            asked.push({ ids, store });
          }),
      ),
    ],
  });
  const handle = await screen.findByRole('button', { name: /^Move Anna/ });
  expect(names()).toEqual(['Anna', 'Berta', 'Clara']);
  handle.focus();
  await user.keyboard('{ArrowDown}');
  await expect.poll(() => asked.length).toBe(1);
  await user.keyboard('{ArrowDown}');
  await expect.poll(names).toEqual(['Berta', 'Clara', 'Anna']);
  expect(asked.map(({ ids }) => ids)).toEqual([idsOf(2, 1, 3)]);
  asked[0]?.store();
  await expect.poll(() => asked.length).toBe(2);
  expect(names()).toEqual(['Berta', 'Clara', 'Anna']);
  asked[1]?.store();
  await expect.poll(() => planned.map(({ id }) => id)).toEqual(idsOf(2, 3, 1));
  await expect.poll(names).toEqual(['Berta', 'Clara', 'Anna']);
});
