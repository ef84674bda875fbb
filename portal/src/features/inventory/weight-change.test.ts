import { expect, it } from 'vitest';
import { changeProblem, weightChange } from './weight-change.ts';

it('computes the difference to the weight on the scale', () => {
  expect(weightChange('weighed', '42.3', 60.1)).toBe(-17.8);
  expect(weightChange('weighed', '0', 0.3)).toBe(-0.3);
  expect(weightChange('change', '-2.5', 60)).toBe(-2.5);
});

it('reports why a change cannot be saved', () => {
  expect(changeProblem(weightChange('change', '', 60))).toBe('Enter a weight');
  expect(changeProblem(weightChange('weighed', '60', 60))).toBe('Enter a weight other than 0');
  expect(changeProblem(2_000_000)).toBe('This is more than a lot can hold');
  expect(changeProblem(-1)).toBeNull();
});
