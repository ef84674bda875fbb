import { inject } from 'vitest';
import { createDatabaseOn, type DatabaseTemplate, type TestDatabase } from './database-on-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Given by vitest-postgres.ts to every system test. */
    postgresUrl: string;
  }
}

/**
 * A database of its own for one test or test file, on the run's shared Postgres (system tests only):
 * `await using database = await createTestDatabase(template)` or `database.drop()`.
 */
export function createTestDatabase(template?: DatabaseTemplate): Promise<TestDatabase> {
  const serverUrl = inject('postgresUrl');
  if (typeof serverUrl !== 'string')
    throw new Error('createTestDatabase() needs Postgres: name the file *.system.test.ts');
  return createDatabaseOn(serverUrl, template);
}
