import { expect, it } from 'vitest';
import { markKinds, marksInOrder, type MarkKind } from './marks.ts';

const at = (kind: MarkKind, timeSeconds: number) => ({ kind, timeSeconds });

it('marks: accepts a whole roast, a part of one, and equal times', () => {
  expect(marksInOrder(markKinds.map((kind, k) => at(kind, k * 60)))).toEqual({ ok: true });
  expect(marksInOrder([at('drop', 600), at('charge', 0)])).toEqual({ ok: true });
  expect(marksInOrder([at('first_crack_end', 600), at('drop', 600)])).toEqual({ ok: true });
  expect(marksInOrder([])).toEqual({ ok: true });
});

it('marks: names the pair in the wrong order', () => {
  expect(marksInOrder([at('charge', 0), at('first_crack', 640), at('drop', 600)])).toEqual({
    ok: false,
    earlier: 'first_crack',
    later: 'drop',
    repeated: false,
  });
});

it('marks: rejects a kind twice', () => {
  expect(marksInOrder([at('charge', 0), at('charge', 5)])).toMatchObject({ ok: false, repeated: true });
});
