import type { Figures, GroupFigures, GreenFigures, LotUse, PeriodFigures } from '@roastery/contract/analytics';
import type { Blend, BlendableRoast } from '@roastery/contract/blends';
import type { Lot, LotMovement } from '@roastery/contract/inventory';
import type { Machine } from '@roastery/contract/machines';
import type { Profile } from '@roastery/contract/profiles';
import type { RoastRow } from '@roastery/contract/roasts';
import { expect } from 'vitest';
import type { Visitor } from '../visitor.ts';
import { recountFigures } from './figures.ts';
import { dayIn, milligrams, sumMg, sumOf, type RawRoast, type RawRows } from './raw-rows.ts';

export interface Viewer {
  readonly visitor: Visitor;
  readonly id: string;
  readonly isAdmin: boolean;
}

const read = async <T>(who: Visitor, path: string): Promise<T> => {
  const { status, body } = await who.send<T>('GET', path);
  expect(status, `GET ${path}: ${JSON.stringify(body)}`).toBe(200);
  return body;
};

/** What a roast took from its lot, by its own row: the whole batch, once it has ended. */
const drawnMg = (roast: RawRoast): number =>
  roast.status !== 'in_progress' && roast.deducts === true && roast.lot_id !== null
    ? milligrams(roast.batch_size_kg ?? 0)
    : 0;

/** Stored weights, movements and what the roasts say they took tell one story, also of lots that nobody sees any more. */
export const expectLedgerHolds = (rows: RawRows): void => {
  for (const lot of rows.lots) {
    const own = rows.movements.filter((one) => one.lot_id === lot.id);
    const sumFor = (...reasons: string[]) =>
      sumMg(own.filter(({ reason }) => reasons.includes(reason)).map(({ kg }) => kg));
    const name = `lot ${lot.lot_number}`;
    expect(milligrams(lot.current_weight), `${name}: stored weight`).toBe(sumMg(own.map(({ kg }) => kg)));
    expect(sumFor('initial', 'initial_edit'), `${name}: initial weight`).toBe(milligrams(lot.initial_weight));
    const drawn = sumOf(rows.roasts.filter((roast) => roast.lot_id === lot.id).map(drawnMg));
    expect(sumFor('roast', 'roast_edit', 'roast_delete'), `${name}: taken by roasts`).toBe(0 - drawn);
  }
  const deleted = new Set(rows.tombstones.map(({ roast_id: id }) => id));
  expect(
    rows.roasts.filter(({ id }) => deleted.has(id)),
    'deleted roasts that came back',
  ).toEqual([]);
  for (const id of deleted) {
    const left = sumMg(rows.movements.filter((one) => one.roast_id === id).map(({ kg }) => kg));
    expect(left, `what the deleted roast ${id} still holds`).toBe(0);
  }
};

const statusOf = (rows: RawRows, lot: { id: string; is_reserved: boolean }, mg: number): string => {
  if (rows.roasts.some((roast) => roast.lot_id === lot.id && roast.status === 'in_progress')) return 'In Use';
  return mg <= 0 ? 'Depleted' : lot.is_reserved ? 'Reserved' : 'Available';
};

const monthMs = 30 * 86_400_000;

/** Every lot, its ledger with running balances, the summary and the filters of the list. */
export const expectInventory = async ({ visitor }: Viewer, rows: RawRows): Promise<void> => {
  const { lots, total } = await read<{ lots: Lot[]; total: number }>(visitor, '/inventory/lots?limit=500');
  const present = rows.lots.filter((lot) => lot.archived_at === null);
  expect(total).toBe(present.length);
  expect(lots.map(({ id }) => id).sort()).toEqual(present.map(({ id }) => id).sort());
  const weights = new Map<string, number>();
  for (const raw of rows.lots) {
    const lot = await read<Lot>(visitor, `/inventory/lots/${raw.id}`);
    const inList = lots.find(({ id }) => id === raw.id);
    if (inList !== undefined)
      expect({ ...inList, estimated_runout_days: null }).toEqual({ ...lot, estimated_runout_days: null });
    const own = rows.movements.filter((one) => one.lot_id === raw.id);
    const mg = sumMg(own.map(({ kg }) => kg));
    weights.set(raw.id, mg);
    const name = `lot ${raw.lot_number}`;
    expect(milligrams(lot.current_weight), `${name}: weight`).toBe(mg);
    expect(lot.percentage_remaining, `${name}: remaining`).toBeCloseTo((mg / milligrams(raw.initial_weight)) * 100, 1);
    expect(lot.usage_count, `${name}: recipes`).toBe(
      rows.recipes.filter((recipe) => recipe.green_coffee_lot_id === raw.id).length,
    );
    expect(lot.status, `${name}: status`).toBe(statusOf(rows, raw, mg));
    const used = sumMg(
      own.flatMap((one) =>
        one.reason.startsWith('roast') && Date.parse(one.at) > Date.now() - monthMs ? [-one.kg] : [],
      ),
    );
    if (used <= 0) expect(lot.estimated_runout_days, `${name}: run-out`).toBeNull();
    else expect(lot.estimated_runout_days, `${name}: run-out`).toBeCloseTo((Math.max(mg, 0) / used) * 30, 6);
    const ledger = await read<{ movements: LotMovement[]; total: number }>(
      visitor,
      `/inventory/lots/${raw.id}/movements?limit=500`,
    );
    expect(ledger.total, `${name}: movements`).toBe(own.length);
    let balance = 0;
    for (const movement of ledger.movements.toReversed()) {
      balance += milligrams(movement.kg);
      expect(milligrams(movement.balance_kg), `${name}: balance`).toBe(balance);
    }
  }
  const summary = await read<Record<string, number>>(visitor, '/inventory/stats/summary');
  expect(summary['total_lots']).toBe(present.length);
  expect(milligrams(summary['total_weight_kg'] ?? NaN)).toBe(sumOf(present.map(({ id }) => weights.get(id) ?? 0)));
  expect(summary['available_lots']).toBe(
    present.filter((lot) => statusOf(rows, lot, weights.get(lot.id) ?? 0) === 'Available').length,
  );
  const value = sumOf(present.map((lot) => (Math.max(weights.get(lot.id) ?? 0, 0) / 1e6) * (lot.cost_per_kg ?? 0)));
  expect(summary['total_value']).toBeCloseTo(value, 6);
  for (const status of ['Available', 'In Use', 'Reserved', 'Depleted']) {
    const list = await read<{ total: number }>(visitor, `/inventory/lots?limit=1&status=${encodeURIComponent(status)}`);
    expect(list.total, status).toBe(
      present.filter((lot) => statusOf(rows, lot, weights.get(lot.id) ?? 0) === status).length,
    );
  }
};

/** How often each recipe was used, by whom it is starred, what its lot weighs, and the lists of them. */
export const expectRecipes = async ({ visitor, id: userId }: Viewer, rows: RawRows): Promise<void> => {
  const { profiles, total } = await read<{ profiles: Profile[]; total: number }>(visitor, '/profiles?limit=500');
  expect(total).toBe(rows.recipes.length);
  const starred = new Set(rows.recipeFavourites.flatMap((one) => (one.user_id === userId ? [one.profile_id] : [])));
  for (const recipe of profiles) {
    const uses = rows.roasts.filter((roast) => roast.profile_id === recipe.id && roast.status === 'completed').length;
    expect(recipe.times_used, `${recipe.name}: used`).toBe(uses);
    expect(recipe.is_favorite, `${recipe.name}: favourite`).toBe(starred.has(recipe.id));
    const lot = rows.lots.find(({ id }) => id === recipe.green_coffee_lot_id);
    expect(recipe.lot_info?.current_weight, `${recipe.name}: its lot`).toBe(lot?.current_weight);
  }
  const favourites = await read<{ total: number }>(visitor, '/profiles?favorites_only=true');
  expect(favourites.total).toBe(starred.size);
};

const seenBy = (viewer: Viewer, roasts: readonly RawRoast[]): RawRoast[] =>
  roasts.filter((roast) => viewer.isAdmin || roast.owner_id === viewer.id);

/** Machines with their totals, the dashboard, and for an admin the statistics. */
export const expectMachinesAndStats = async (viewer: Viewer, rows: RawRows): Promise<void> => {
  const { visitor } = viewer;
  const seen = seenBy(viewer, rows.roasts);
  const machines = rows.machines.filter((one) => viewer.isAdmin || one.owner_id === viewer.id);
  const present = machines.filter((one) => one.archived_at === null);
  const shown = await read<Machine[]>(visitor, '/machines?include_archived=true');
  expect(shown.map(({ id }) => id).sort()).toEqual(machines.map(({ id }) => id).sort());
  for (const machine of shown) {
    const own = rows.roasts.filter((roast) => roast.machine_id === machine.id);
    expect(machine.total_roasts, machine.display_name).toBe(own.length);
    expect(machine.total_kg_roasted, machine.display_name).toBeCloseTo(sumOf(own.map((one) => one.batch_size_kg)), 6);
    const running = own.filter((roast) => roast.status === 'in_progress').map(({ id }) => id);
    if (running.length === 0) expect(machine.current_roast_id).toBeNull();
    else expect(running).toContain(machine.current_roast_id);
  }
  const onMachines = rows.roasts.filter((roast) => machines.some(({ id }) => id === roast.machine_id));
  const totals = await read<Record<string, number>>(visitor, '/machines/totals');
  expect(totals).toEqual({
    machines: present.length,
    roasts: onMachines.length,
    kg_roasted: expect.closeTo(sumOf(onMachines.map((one) => one.batch_size_kg)), 6),
  });
  const dayOf = dayIn(rows.zone);
  const today = dayOf(new Date());
  const inMonth = (roast: RawRoast) => dayOf(roast.start_time).slice(0, 7) === today.slice(0, 7);
  const isActive = (one: { last_seen_at: string | null }) =>
    one.last_seen_at !== null && Date.parse(one.last_seen_at) > Date.now() - 600_000;
  expect(await read(visitor, '/dashboard/stats')).toEqual({
    totalMachines: present.length,
    activeMachines: present.filter(isActive).length,
    todayRoasts: seen.filter((roast) => dayOf(roast.start_time) === today).length,
    thisMonthRoasts: seen.filter(inMonth).length,
    totalRoasted: expect.closeTo(sumOf(seen.map((one) => one.batch_size_kg)), 6),
  });
  if (!viewer.isAdmin) return;
  expect(await read(visitor, '/admin/stats')).toEqual({
    total_users: rows.users.length,
    active_users: rows.users.filter((one) => one.is_active).length,
    total_machines: present.length,
    active_machines: present.filter(isActive).length,
    total_roasts: rows.roasts.length,
    roasts_this_month: rows.roasts.filter(inMonth).length,
  });
};

/** The list of roasts under each of its filters; what is on it belongs to whoever looks. */
export const expectRoastList = async (viewer: Viewer, rows: RawRows): Promise<void> => {
  const seen = seenBy(viewer, rows.roasts);
  const dayOf = dayIn(rows.zone);
  const starred = new Set(rows.roastFavourites.flatMap((one) => (one.user_id === viewer.id ? [one.roast_id] : [])));
  const person = personOf(rows);
  const [some] = seen;
  const day = some === undefined ? '2026-01-01' : dayOf(some.start_time);
  const levelOf = (roast: RawRoast) => roast.roast_level ?? roast.roast_level_target ?? '';
  const has: Record<string, (roast: RawRoast) => boolean> = {
    machine: (roast) => roast.machine_id !== null,
    coffee: (roast) => roast.coffee_name !== null,
    recipe: (roast) => roast.profile_id !== null || roast.profile_name !== null,
    lot: (roast) => roast.lot_id !== null,
    development: (roast) => roast.development_time_ratio !== null,
  };
  const filters: [string, (roast: RawRoast) => boolean][] = [
    ['', () => true],
    ...['completed', 'aborted', 'in_progress'].map(
      (status) =>
        [`status=${status}`, (roast: RawRoast) => roast.status === status] as [string, (roast: RawRoast) => boolean],
    ),
    ...Object.entries(has).flatMap(([part, test]): [string, (roast: RawRoast) => boolean][] => [
      [`with=${part}`, test],
      [`without=${part}`, (roast) => !test(roast)],
    ]),
    ['with=green', (roast) => drawnMg(roast) > 0],
    ['without=green', (roast) => roast.status !== 'in_progress' && drawnMg(roast) === 0],
    ['favorites_only=true', (roast) => starred.has(roast.id)],
    ['coffee_name=Guji', (roast) => roast.coffee_name === 'Guji'],
    ['roasted_by=Ida', (roast) => person(roast) === 'Ida'],
    ['level=Medium', (roast) => levelOf(roast).startsWith('Medium')],
    [`from=${day}`, (roast) => dayOf(roast.start_time) >= day],
    [`to=${day}`, (roast) => dayOf(roast.start_time) <= day],
    ...rows.lots
      .slice(0, 5)
      .map(
        ({ id }) =>
          [`lot_id=${id}`, (roast: RawRoast) => roast.lot_id === id] as [string, (roast: RawRoast) => boolean],
      ),
  ];
  for (const [query, test] of filters) {
    const list = await read<{ roasts: RoastRow[]; total: number }>(viewer.visitor, `/roasts?limit=500&${query}`);
    const expected = seen.filter(test);
    expect(list.total, query).toBe(expected.length);
    if (expected.length <= 500)
      expect(list.roasts.map(({ id }) => id).sort(), query).toEqual(expected.map(({ id }) => id).sort());
  }
};

const personOf = (rows: RawRows) => {
  const names = new Map(rows.users.map(({ id, full_name: name }) => [id, name]));
  return (roast: RawRoast): string | null => roast.roasted_by ?? names.get(roast.owner_id) ?? null;
};

const expectFigures = (actual: Figures, roasts: readonly RawRoast[], about: string): void => {
  for (const [name, value] of Object.entries(recountFigures(roasts))) {
    const found = actual[name as keyof Figures];
    if (value === null || found === null) expect(found, `${about}: ${name}`).toBe(value);
    else expect(found, `${about}: ${name}`).toBeCloseTo(value, 7);
  }
};

/** Figures by every period and every grouping, also of a part of the roasts. */
export const expectAnalytics = async (viewer: Viewer, rows: RawRows): Promise<void> => {
  const { visitor } = viewer;
  const dayOf = dayIn(rows.zone);
  const person = personOf(rows);
  const seen = seenBy(viewer, rows.roasts).map((roast) => ({ ...roast, day: dayOf(roast.start_time) }));
  const machine = seen.find((roast) => roast.machine_id !== null)?.machine_id;
  const recipe = seen.find((roast) => roast.profile_id !== null)?.profile_id;
  const middle = seen.map(({ day }) => day).sort()[Math.floor(seen.length / 2)] ?? '2026-01-01';
  const parts: [string, (roast: (typeof seen)[number]) => boolean][] = [
    ['', () => true],
    ['coffee_name=Guji', (roast) => roast.coffee_name === 'Guji'],
    ['roasted_by=Ida', (roast) => person(roast) === 'Ida'],
    [`machine_id=${machine}`, (roast) => roast.machine_id === machine],
    [`profile_id=${recipe}`, (roast) => roast.profile_id === recipe],
    [`from=${middle}`, ({ day }) => day >= middle],
    [`to=${middle}`, ({ day }) => day <= middle],
  ];
  const keys = {
    machine: (roast: RawRoast) => roast.machine_id,
    coffee: (roast: RawRoast) => roast.coffee_name,
    recipe: (roast: RawRoast) => roast.profile_id ?? roast.profile_name,
    person,
  };
  for (const [query, test] of parts) {
    if (query.endsWith('undefined')) continue;
    const roasts = seen.filter(test);
    for (const period of ['day', 'week', 'month']) {
      const answer = await read<{ totals: Figures; periods: PeriodFigures[] }>(
        visitor,
        `/analytics/production?period=${period}&${query}`,
      );
      expectFigures(answer.totals, roasts, `${query} in all`);
      expect(sumOf(answer.periods.map((one) => one.roasts)), `${query} by ${period}`).toBe(roasts.length);
      for (const one of answer.periods) {
        const within = roasts.filter(({ day }) => day >= one.from && day <= one.to);
        expectFigures(one, within, `${query} ${period} ${one.from}`);
      }
    }
    for (const [by, keyOf] of Object.entries(keys)) {
      const { groups, total } = await read<{ groups: GroupFigures[]; total: number }>(
        visitor,
        `/analytics/groups/${by}?limit=500&${query}`,
      );
      expect(total, `${query} by ${by}`).toBe(new Set(roasts.map(keyOf)).size);
      for (const group of groups) {
        const key = by === 'machine' ? group.id : (group.id ?? group.name);
        expectFigures(
          group,
          roasts.filter((roast) => keyOf(roast) === key),
          `${query} ${by} ${group.name}`,
        );
      }
    }
    await expectGreen(visitor, query, roasts, rows);
  }
};

const expectGreen = async (
  visitor: Visitor,
  query: string,
  roasts: readonly (RawRoast & { day: string })[],
  rows: RawRows,
): Promise<void> => {
  const costs = new Map(rows.lots.map(({ id, cost_per_kg: cost }) => [id, cost]));
  const expectUse = (actual: GreenFigures, of: readonly RawRoast[], about: string): void => {
    const drawing = of.filter((roast) => drawnMg(roast) > 0);
    const kgOf = (some: readonly RawRoast[]) => sumOf(some.map(drawnMg)) / 1e6;
    const costOf = (roast: RawRoast): number | null => costs.get(roast.lot_id ?? '') ?? null;
    expect(actual.roasts, `${about}: roasts`).toBe(drawing.length);
    expect(actual.kg, `${about}: kg`).toBeCloseTo(kgOf(drawing), 6);
    expect(actual.cost, `${about}: cost`).toBeCloseTo(
      sumOf(drawing.map((roast) => (drawnMg(roast) / 1e6) * (costOf(roast) ?? 0))),
      5,
    );
    expect(actual.kg_without_cost, `${about}: without a cost`).toBeCloseTo(
      kgOf(drawing.filter((roast) => costOf(roast) === null)),
      6,
    );
  };
  const green = await read<{
    totals: GreenFigures;
    kg_without_lot: number;
    periods: (GreenFigures & { from: string; to: string })[];
    lots: LotUse[];
    total_lots: number;
  }>(visitor, `/analytics/green?limit=500&${query}`);
  expectUse(green.totals, roasts, `green ${query}`);
  const ended = roasts.filter((roast) => roast.status !== 'in_progress' && drawnMg(roast) === 0);
  expect(green.kg_without_lot, `green ${query}: without a lot`).toBeCloseTo(
    sumOf(ended.map((roast) => roast.batch_size_kg)),
    5,
  );
  for (const one of green.periods) {
    expectUse(
      one,
      roasts.filter(({ day }) => day >= one.from && day <= one.to),
      `green ${query} ${one.from}`,
    );
  }
  const used = new Set(roasts.flatMap((roast) => (drawnMg(roast) > 0 ? [roast.lot_id] : [])));
  expect(green.total_lots, `green ${query}: lots`).toBe(used.size);
  for (const lot of green.lots) {
    expectUse(
      lot,
      roasts.filter((roast) => roast.lot_id === lot.lot_id),
      `green ${query} ${lot.lot_number}`,
    );
  }
};

/** Blends' weights, what is left of each roast for the next, and the plans that wait. */
export const expectBlendsAndPlans = async (viewer: Viewer, rows: RawRows): Promise<void> => {
  const own = rows.blends.filter((one) => viewer.isAdmin || one.owner_id === viewer.id);
  const { blends, total } = await read<{ blends: Blend[]; total: number }>(viewer.visitor, '/blends?limit=500');
  expect(total).toBe(own.length);
  for (const blend of blends) {
    const parts = rows.components.filter((one) => one.blend_id === blend.id);
    expect(milligrams(blend.total_kg), blend.name).toBe(sumMg(parts.map(({ kg }) => kg)));
    expect(blend.components).toHaveLength(parts.length);
  }
  const leftMg = (roast: RawRoast): number =>
    milligrams(roast.end_weight_kg ?? roast.batch_size_kg ?? 0) -
    sumMg(rows.components.flatMap((one) => (one.roast_id === roast.id ? [one.kg] : [])));
  for (const roast of rows.roasts) expect(leftMg(roast), `left of roast ${roast.id}`).toBeGreaterThanOrEqual(0);
  const blendable = seenBy(viewer, rows.roasts).filter((roast) => roast.status === 'completed' && leftMg(roast) > 0);
  const offered = await read<{ roasts: BlendableRoast[]; total: number }>(viewer.visitor, '/blends/roasts?limit=500');
  expect(offered.total).toBe(blendable.length);
  for (const one of offered.roasts) {
    const roast = rows.roasts.find(({ id }) => id === one.roast_id);
    expect(milligrams(one.left_kg), one.roast_number).toBe(roast === undefined ? NaN : leftMg(roast));
  }
  const waiting = rows.plans.filter((plan) => {
    const machine = rows.machines.find(({ id }) => id === plan.machine_id);
    return plan.bound_at === null && plan.cancelled_at === null && (viewer.isAdmin || machine?.owner_id === viewer.id);
  });
  const { planned } = await read<{ planned: { id: string }[] }>(viewer.visitor, '/roasts/planned');
  expect(planned.map(({ id }) => id).sort()).toEqual(waiting.map(({ id }) => id).sort());
};
