import { randomInt } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createTestDatabase } from '../test-database.ts';
import { runFuzz } from './run-fuzz.ts';

const fixedSeed = 20_261_122;
const requests = 3000;
const mostMs = 20_000;

describe('the api under generated requests', () => {
  it.each([
    ['a fixed seed', fixedSeed],
    ['a random seed', Number(process.env['FUZZ_SEED'] ?? randomInt(2 ** 31))],
  ])('answers no 5xx and never holds its event loop, from %s', async (_what, seed) => {
    console.log(`FUZZ_SEED=${seed}`);
    const dataDir = await mkdtemp(path.join(tmpdir(), 'roastery-fuzz-'));
    await using database = await createTestDatabase();
    try {
      const report = await runFuzz({ dataDir, databaseUrl: database.url, seed, requests, mostMs, say: console.log });
      console.log(`${report.sent} requests: ${JSON.stringify(report.byStatus)}`);
      expect({ faults: report.faults, alarms: report.alarms }, `FUZZ_SEED=${seed}`).toEqual({ faults: [], alarms: [] });
      expect(report.sent).toBeGreaterThan(500);
      expect(report.byStatus[200]).toBeGreaterThan(100);
    } finally {
      await rm(dataDir, { recursive: true, force: true });
    }
  });
});
