import { expect, it } from 'vitest';
import { mergeThreeWay } from './three-way.ts';

const base = { name: 'Yirgacheffe', farm: '', notes: 'old', points: [1, 2] };

it('keeps fields that only one person changed', () => {
  const { merged, theirs, clashes } = mergeThreeWay(
    base,
    { ...base, farm: 'Konga' },
    { ...base, notes: 'new', points: [1, 3] },
  );
  expect(merged).toEqual({ name: 'Yirgacheffe', farm: 'Konga', notes: 'new', points: [1, 3] });
  expect(theirs).toEqual(['farm']);
  expect(clashes).toEqual([]);
});

it('reports a field that both changed, and keeps the own value in the form', () => {
  const { merged, clashes } = mergeThreeWay(base, { ...base, notes: 'theirs' }, { ...base, notes: 'mine' });
  expect(merged.notes).toBe('mine');
  expect(clashes).toEqual(['notes']);
});

it('finds no conflict where both made the same change', () => {
  expect(mergeThreeWay(base, { ...base, notes: 'same' }, { ...base, notes: 'same' })).toMatchObject({
    theirs: [],
    clashes: [],
  });
});
