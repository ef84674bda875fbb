import { expect } from 'vitest';
import type { Visitor } from '../visitor.ts';
import { milligrams, type RawRoast, type RawRows } from './raw-rows.ts';

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

/** What a roast took from its lot, by its own row: the whole batch, once it has ended. */
export const drawnMg = (roast: RawRoast): number =>
  roast.status !== 'in_progress' && roast.deducts === true && roast.lot_id !== null
    ? milligrams(roast.batch_size_kg ?? 0)
    : 0;

export const seenBy = (viewer: Viewer, roasts: readonly RawRoast[]): RawRoast[] =>
  roasts.filter((roast) => viewer.isAdmin || roast.owner_id === viewer.id);

export const personOf = (rows: RawRows) => {
  const names = new Map(rows.users.map(({ id, full_name: name }) => [id, name]));
  return (roast: RawRoast): string | null => roast.roasted_by ?? names.get(roast.owner_id) ?? null;
};
