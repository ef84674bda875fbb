import type { Machine } from '@roastery/contract/machines';
import type { RoastRow } from '@roastery/contract/roasts';
import { expect } from 'vitest';
import { dayIn, sumOf, type RawRoast, type RawRows } from './raw-rows.ts';
import { drawnMg, machinesOf, personOf, read, seenBy, type Viewer } from './viewer.ts';
import { fromNow } from '../present.ts';

const levelOf = (roast: RawRoast): string => roast.roast_level ?? roast.roast_level_target ?? '';

const isActive = (one: { is_online: boolean; last_seen_at: string | null }): boolean =>
  one.is_online && one.last_seen_at !== null && Date.parse(one.last_seen_at) > fromNow(0) - 60_000;

/** Machines with their totals, the dashboard, and for an admin the statistics. */
export const expectMachinesAndStats = async (viewer: Viewer, rows: RawRows): Promise<void> => {
  const { visitor } = viewer;
  const seen = seenBy(viewer, rows);
  const machines = machinesOf(viewer, rows);
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
  expect(await read(visitor, '/dashboard/stats')).toEqual({
    totalMachines: present.length,
    activeMachines: present.filter(isActive).length,
    todayRoasts: seen.filter((roast) => dayOf(roast.start_time) === today).length,
    thisMonthRoasts: seen.filter(inMonth).length,
    totalRoasted: expect.closeTo(sumOf(seen.map((one) => one.batch_size_kg)), 6),
    unweighedRoasts: seen.filter((one) => one.status === 'completed' && one.end_weight_kg === null).length,
    hasRoasts: seen.length > 0,
    hasLots: rows.lots.length > 0,
    hasRecipes: rows.recipes.length > 0,
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

/** The list of roasts under each of its filters; its rows belong to the viewer. */
export const expectRoastList = async (viewer: Viewer, rows: RawRows): Promise<void> => {
  const seen = seenBy(viewer, rows);
  const dayOf = dayIn(rows.zone);
  const starred = new Set(rows.roastFavourites.flatMap((one) => (one.user_id === viewer.id ? [one.roast_id] : [])));
  const person = personOf(rows);
  const [some] = seen;
  const picked = rows.roasts.flatMap(({ id }, index) => (index % 3 === 0 ? [id] : [])).slice(0, 100);
  const day = some === undefined ? '2026-01-01' : dayOf(some.start_time);
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
    // Ids of other users' roasts are ignored.
    [`ids=${picked.join(',')}`, (roast) => picked.includes(roast.id)],
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
