import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startEmbeddedPostgres } from '@roastery/stack/embedded-postgres';
import { memoryFolder } from './shared-data.ts';

export interface TestPostgres {
  /** A role that may create databases; see `createDatabaseOn`. */
  url: string;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Removes files of killed runs from memory, where they would stay until a restart of the computer. */
const removeLeft = async (place: string): Promise<void> => {
  for (const name of await readdir(place)) {
    const [, pid] = /^roastery-test-postgres-(\d+)-/.exec(name) ?? [];
    if (pid !== undefined && !existsSync(`/proc/${pid}`))
      await rm(path.join(place, name), { recursive: true, force: true });
  }
};

/**
 * A Postgres for one run of tests or benches, its files removed afterwards. Without fsync, since no test cuts the
 * power, and in memory if there is room: each database is a thousand files. Measure with `settings: { fsync: 'on' }`.
 */
export async function startTestPostgres(settings: Record<string, string> = {}): Promise<TestPostgres> {
  const place = settings['fsync'] === 'on' ? tmpdir() : (memoryFolder ?? tmpdir());
  if (place === memoryFolder) await removeLeft(place);
  const folder = await mkdtemp(path.join(place, `roastery-test-postgres-${process.pid}-`));
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
