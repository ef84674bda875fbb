import { randomInt } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { volume } from '../endurance/volume.ts';
import { fuzzNewDatabase } from './fuzz-database.ts';

const requests = volume(3000, 800);

describe(`fuzz: ${requests} generated requests`, () => {
  it.each([
    ['a fixed seed', 20_261_122],
    ['a random seed', Number(process.env['FUZZ_SEED'] ?? randomInt(2 ** 31))],
  ])('the api returns no 5xx and never blocks its event loop, from %s', async (_what, seed) => {
    const { faults, alarms, sent, byStatus } = await fuzzNewDatabase(seed, requests);
    expect({ faults, alarms }, `FUZZ_SEED=${seed}`).toEqual({ faults: [], alarms: [] });
    expect(sent).toBeGreaterThan(500);
    expect(byStatus[200]).toBeGreaterThan(100);
  });
});
