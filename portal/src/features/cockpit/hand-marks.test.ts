import type { RoastMark } from '@roastery/contract/roasts';
import { expect, it } from 'vitest';
import { nextHandMark, type PendingMark, withPending } from './hand-marks.ts';

const mark = (kind: RoastMark['kind'], time_seconds: number): RoastMark => ({
  kind,
  time_seconds,
  temp: null,
  origin: 'detector',
  confidence: 1,
  provisional: false,
});

it('hand marks: the next one follows the last one set, also when others were skipped', () => {
  expect(nextHandMark([])).toBe('charge');
  expect(nextHandMark([mark('charge', 0), mark('turning_point', 80)])).toBe('dry_end');
  expect(nextHandMark([mark('charge', 0), mark('first_crack', 500)])).toBe('first_crack_end');
  expect(nextHandMark([mark('drop', 700)])).toBeNull();
});

const firstCrack: PendingMark = {
  userId: 'a person',
  userName: 'Ana',
  roastId: 'a roast',
  kind: 'first_crack',
  time_seconds: 480,
  temp: 201,
};

it('hand marks: a queued one replaces the stored one', () => {
  const stored = [mark('charge', 0), mark('first_crack', 500)];
  const sent = { ...mark('first_crack', 480), temp: 201, origin: 'person', provisional: true };
  expect(withPending(stored, [firstCrack])).toEqual([mark('charge', 0), sent]);
  expect(withPending(stored, [])).toEqual(stored);
});

it('hand marks: one that waits to be removed is absent, but no other of its kind', () => {
  const charge = mark('charge', 0);
  const undone = { ...firstCrack, undone: true };
  const byHand = { ...mark('first_crack', 480.004), origin: 'person' } as const;
  expect(withPending([charge, byHand], [undone])).toEqual([charge]);
  const others = [charge, mark('first_crack', 480)];
  expect(withPending(others, [undone])).toEqual(others);
  expect(withPending([{ ...byHand, time_seconds: 490 }], [undone])).toHaveLength(1);
  expect(withPending([byHand], [undone, { ...firstCrack, time_seconds: 490 }])).toEqual([
    expect.objectContaining({ time_seconds: 490 }),
  ]);
});
