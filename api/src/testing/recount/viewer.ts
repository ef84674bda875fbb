import { expect } from 'vitest';
import type { Visitor } from '../visitor.ts';
import { milligrams, type RawMachine, type RawRoast, type RawRows } from './raw-rows.ts';

export interface Viewer {
  readonly visitor: Visitor;
  readonly id: string;
  readonly isAdmin: boolean;
}

export const read = async <T>(who: Visitor, path: string): Promise<T> => {
  const { status, body } = await who.send<T>('GET', path);
  expect(status, `GET ${path}: ${JSON.stringify(body)}`).toBe(200);
  return body;
};

/** The green weight of a roast from its own row: the whole batch, once it has ended. */
export const drawnMg = (roast: RawRoast): number =>
  roast.status !== 'in_progress' && roast.deducts === true && roast.lot_id !== null
    ? milligrams(roast.batch_size_kg ?? 0)
    : 0;

/** Machines that a person may see, or only those whose roasts they may change. */
export const machinesOf = (viewer: Viewer, rows: RawRows, mayRoast = false): RawMachine[] => {
  const shared = new Set(
    rows.members.flatMap((one) =>
      one.user_id === viewer.id && (one.role === 'roaster' || !mayRoast) ? [one.machine_id] : [],
    ),
  );
  return rows.machines.filter(
    ({ id, owner_id: ownerId }) => viewer.isAdmin || rows.allSeeAll || ownerId === viewer.id || shared.has(id),
  );
};

export const seenBy = (viewer: Viewer, rows: RawRows, mayRoast = false): RawRoast[] => {
  const machines = new Set(machinesOf(viewer, rows, mayRoast).map(({ id }) => id));
  return rows.roasts.filter(
    (roast) =>
      viewer.isAdmin || roast.owner_id === viewer.id || (roast.machine_id !== null && machines.has(roast.machine_id)),
  );
};

export const personOf = (rows: RawRows) => {
  const names = new Map(rows.users.map(({ id, full_name: name }) => [id, name]));
  return (roast: RawRoast): string | null => roast.roasted_by ?? names.get(roast.owner_id) ?? null;
};
