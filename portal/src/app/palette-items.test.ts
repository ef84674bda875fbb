import { expect, it } from 'vitest';
import { matches } from './palette-items.ts';

it('finds an action by the beginnings of its words, in any order', () => {
  expect(matches('Register machine', 'mach reg')).toBe(true);
  expect(matches('Register machine', 'RE')).toBe(true);
  expect(matches('Register machine', 'gister')).toBe(false);
  expect(matches('Register machine', '')).toBe(true);
});
