import type { TestProject } from 'vitest/node';
import { startTestPostgres } from './test-postgres.ts';

/** Vitest's globalSetup: one Postgres for the whole run, whose address every test file is given. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startTestPostgres();
  project.provide('postgresUrl', server.url);
  return () => server.close();
}
