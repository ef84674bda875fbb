import type { TestProject } from 'vitest/node';
import { startTestPostgres, type TestPostgres } from './test-postgres.ts';

/** Vitest loads this file once for each project; its projects share one server through the global object. */
const shared = globalThis as { roasteryTestPostgres?: { server: Promise<TestPostgres>; users: number } };

/** What a short-lived database does not need: vacuuming, and a password that is slow to guess (tests connect a thousand times). */
const sharedServer = { autovacuum: 'off', scram_iterations: '1' };

/** Vitest's globalSetup: one Postgres for the whole run. Every test file gets its address. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const postgres = (shared.roasteryTestPostgres ??= { server: startTestPostgres(sharedServer), users: 0 });
  postgres.users += 1;
  const server = await postgres.server;
  project.provide('postgresUrl', server.url);
  return async () => {
    postgres.users -= 1;
    if (postgres.users > 0) return;
    delete shared.roasteryTestPostgres;
    await server.close();
  };
}
