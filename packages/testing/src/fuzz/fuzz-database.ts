import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createTestDatabase } from '../test-database.ts';
import { runFuzz, type FuzzReport } from './run-fuzz.ts';

/** Runs the fuzzer against a new database of the run's Postgres and prints the seed, which repeats the run. */
export const fuzzNewDatabase = async (seed: number, requests: number): Promise<FuzzReport> => {
  console.log(`FUZZ_SEED=${seed}`);
  const dataDir = await mkdtemp(path.join(tmpdir(), 'roastery-fuzz-'));
  await using database = await createTestDatabase();
  try {
    const report = await runFuzz({
      dataDir,
      databaseUrl: database.url,
      seed,
      requests,
      maxMs: 20_000,
      say: console.log,
    });
    console.log(`${report.sent} requests: ${JSON.stringify(report.byStatus)}`);
    return report;
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
};
