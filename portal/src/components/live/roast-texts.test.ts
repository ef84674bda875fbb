import { expect, it } from 'vitest';
import { batchLabel } from './roast-texts.ts';

it('batchLabel: is provisional until the charge has arrived, then the number', () => {
  const id = '3f2a9c1e-8f0b-4a77-9d1e-5c2b7a6f0e11';
  expect(batchLabel({ id, batch_number: null })).toBe('Batch #3f2a9c1e (provisional)');
  expect(batchLabel({ id, batch_number: 'A-17' })).toBe('Batch A-17');
});
