import { expect, it } from 'vitest';
import { batchLabel } from './roast-texts.ts';

it('batchLabel: is provisional until the charge has arrived, then the number', () => {
  const id = '3f2a9c1e-8f0b-4a77-9d1e-5c2b7a6f0e11';
  const own = { id, is_numbered: true, source_batch: null };
  expect(batchLabel({ ...own, batch_number: null })).toBe('Batch #3f2a9c1e (provisional)');
  expect(batchLabel({ ...own, batch_number: 'A-17' })).toBe('Batch A-17');
});

it('batchLabel: marks the batch of another program as imported', () => {
  const imported = { id: '3f2a9c1e', batch_number: null, is_numbered: false };
  expect(batchLabel({ ...imported, source_batch: 'P5-42' })).toBe('Batch P5-42 (imported)');
  expect(batchLabel({ ...imported, source_batch: null })).toBe('Imported');
});
