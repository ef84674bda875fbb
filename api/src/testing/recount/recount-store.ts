import type { LotAlert } from '@roastery/contract/alerts';
import type { Blend, BlendableRoast } from '@roastery/contract/blends';
import type { Lot, LotMovement } from '@roastery/contract/inventory';
import type { Profile } from '@roastery/contract/profiles';
import { expect } from 'vitest';
import { milligrams, sumMg, sumOf, type RawRoast, type RawRows } from './raw-rows.ts';
import { drawnMg, machinesOf, read, seenBy, type Viewer } from './viewer.ts';
import { fromNow } from '../present.ts';

/** Stored weights, movements and the weights of the roasts agree, also for archived lots. */
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
        one.reason.startsWith('roast') && Date.parse(one.at) > fromNow(0) - monthMs ? [-one.kg] : [],
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

/** The use count of each recipe, its stars, the weight of its lot, and the lists of them. */
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

/** Alerts are the watched lots that are low, without those that this person has dismissed. */
export const expectAlerts = async ({ visitor, id: userId }: Viewer, rows: RawRows): Promise<void> => {
  const low = rows.lots.filter(
    (lot) =>
      lot.archived_at === null &&
      sumMg(rows.movements.flatMap((one) => (one.lot_id === lot.id ? [one.kg] : []))) < milligrams(20) &&
      rows.recipes.some((recipe) => recipe.green_coffee_lot_id === lot.id && recipe.alert_low_inventory) &&
      !rows.dismissals.some((one) => one.lot_id === lot.id && one.user_id === userId),
  );
  const { alerts } = await read<{ alerts: LotAlert[] }>(visitor, '/alerts');
  expect(alerts.map((alert) => alert.lot_id).sort()).toEqual(low.map(({ id }) => id).sort());
};

/** Blends' weights, the remaining weight of each roast, and the waiting plans. */
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
  const blendable = seenBy(viewer, rows, true).filter((roast) => roast.status === 'completed' && leftMg(roast) > 0);
  const offered = await read<{ roasts: BlendableRoast[]; total: number }>(viewer.visitor, '/blends/roasts?limit=500');
  expect(offered.total).toBe(blendable.length);
  for (const one of offered.roasts) {
    const roast = rows.roasts.find(({ id }) => id === one.roast_id);
    expect(milligrams(one.left_kg), one.said_number).toBe(roast === undefined ? NaN : leftMg(roast));
  }
  const machines = new Set(machinesOf(viewer, rows).map(({ id }) => id));
  const waiting = rows.plans.filter(
    (plan) => plan.bound_at === null && plan.cancelled_at === null && machines.has(plan.machine_id),
  );
  const { planned } = await read<{ planned: { id: string }[] }>(viewer.visitor, '/roasts/planned');
  expect(planned.map(({ id }) => id).sort()).toEqual(waiting.map(({ id }) => id).sort());
};
