import { expect, it } from 'vitest';
import { fuzzNewDatabase } from './fuzz-database.ts';

const seed = 20_261_122;

it('fuzz: the api answers 150 generated requests from a fixed seed without 5xx and without blocking its event loop', async () => {
  const { faults, alarms, sent, byStatus } = await fuzzNewDatabase(seed, 150);
  expect({ faults, alarms }, `FUZZ_SEED=${seed}`).toEqual({ faults: [], alarms: [] });
  expect(sent).toBeGreaterThan(100);
  expect(byStatus[200]).toBeGreaterThan(20);
});
