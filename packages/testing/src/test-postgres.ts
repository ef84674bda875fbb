import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startEmbeddedPostgres } from '@roastery/stack/embedded-postgres';

export interface TestPostgres {
  /** A role that may create databases; see `createDatabaseOn`. */
  url: string;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * A Postgres for one run of tests or benches, its files thrown away afterwards. Without fsync, since no test cuts the
 * power; measure with `settings: { fsync: 'on' }`.
 */
export async function startTestPostgres(settings: Record<string, string> = {}): Promise<TestPostgres> {
  const folder = await mkdtemp(path.join(tmpdir(), 'roastery-test-postgres-'));
  const log = { info: () => undefined, debug: () => undefined };
  const server = await startEmbeddedPostgres({
    dataDir: folder,
    log,
    settings: { fsync: 'off', max_connections: '300', ...settings },
  });
  const close = async () => {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  };
  return { url: server.url, close, [Symbol.asyncDispose]: close };
}
