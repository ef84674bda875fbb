import { randomInt } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { fuzzNewDatabase } from './fuzz-database.ts';

describe('fuzz: 3,000 generated requests', () => {
  it.each([
    ['a fixed seed', 20_261_122],
    ['a random seed', Number(process.env['FUZZ_SEED'] ?? randomInt(2 ** 31))],
  ])('the api returns no 5xx and never blocks its event loop, from %s', async (_what, seed) => {
    const { faults, alarms, sent, byStatus } = await fuzzNewDatabase(seed, 3000);
    expect({ faults, alarms }, `FUZZ_SEED=${seed}`).toEqual({ faults: [], alarms: [] });
    expect(sent).toBeGreaterThan(500);
    expect(byStatus[200]).toBeGreaterThan(100);
  });
});
