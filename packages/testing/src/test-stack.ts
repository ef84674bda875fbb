import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { migratedTemplate } from '@roastery/api/testing/ingest-fixture';
import { startStack, type Stack, type StackOptions } from '@roastery/stack/stack';
import { createTestDatabase } from './test-database.ts';

export interface TestStack extends Stack {
  /** A temporary folder, removed with the stack; the stack keeps its data below it. */
  readonly folder: string;
}

/**
 * A whole roastery for system tests, on a database of the run's shared Postgres. Closing it removes database and folder.
 * A test that neither kills nor restarts api and broker passes `serversOfWorker()`, whose process is warm.
 */
export const startTestStack = async (options: Partial<StackOptions> = {}): Promise<TestStack> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'roastery-stack-'));
  const database = await createTestDatabase(migratedTemplate);
  const stack = await startStack({
    dataDir: path.join(folder, 'data'),
    databaseUrl: database.url,
    packagesDir: path.join(folder, 'no-packages'),
    logLevel: 'error',
    ...options,
  });
  const close = async (): Promise<void> => {
    await stack.close();
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  };
  return { ...stack, folder, close, [Symbol.asyncDispose]: close };
};
