import { parentPort, workerData } from 'node:worker_threads';
import { createLogger } from '@roastery/runtime/logger';
import { lowerPriority } from '@roastery/runtime/turns';
import { loggable } from './db/postgres-errors.ts';
import { openDatabase } from './db/sql.ts';
import { yieldingDatabase } from './db/conditions.ts';
import { exchangeFollower } from './domains/channel-exchanges/follower.ts';
import { createTurns } from './domains/imports/background-work.ts';
import { lotImporter } from './domains/imports/lots/lot-importer.ts';
import { addFiles } from './domains/imports/many/add-files.ts';
import { importer } from './domains/imports/many/importer.ts';
import { createFileReaders } from './file-reading/file-readers.ts';
import { toAppError } from './http/answer-error.ts';
import { createOpenRequests, maxYieldMs } from './http/open-requests.ts';
import type { ImportOrder, ImportReport, ImportThreadData } from './import-thread.ts';

/** The program of the import thread, which also makes marks of roasts anew: `import-thread.ts` starts it. */

if (process.platform === 'linux') lowerPriority(0);

/** Three quarters of the time are left to other requests. 2,000 files still take only some seconds to store. */
const storingRestShare = 3;

const given: ImportThreadData = workerData;
const log = createLogger('api', given.logLevel);
const sql = openDatabase({ url: given.databaseUrl, log, connections: 4 });
// An import reads one file at a time. The largest valid files were read within 320 MB, 200 MB of it heap.
const files = createFileReaders(log, { processes: 1, heapMegabytes: 256, residentMegabytes: 384 });
const openRequests = createOpenRequests(given.openRequests);
const context = { log, sql, files, openRequests };
const services = await Promise.all([importer(context), lotImporter(context), exchangeFollower(context)]);
const storeInTurn = createTurns(storingRestShare);

const add = async ({ order, sender, importId, files: sent }: ImportOrder & { kind: 'add' }): Promise<ImportReport> => {
  const yielding = yieldingDatabase(sql, openRequests.turns(maxYieldMs));
  try {
    return { order, ...(await storeInTurn(() => addFiles(yielding, sender, importId, sent))) };
  } catch (thrown) {
    const { code, detail, retryAfterSeconds } = toAppError(thrown);
    if (code === 'internal') log.error(loggable(thrown), 'files of an import could not be stored');
    return { order, code, detail, retryAfterSeconds };
  }
};

const close = async (): Promise<void> => {
  await files.close();
  for (const service of services) await service.close();
  await sql.end({ timeout: 2 });
  parentPort?.close();
};

parentPort?.on('message', (message: ImportOrder) => {
  if (message.kind === 'close') void close();
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  else void add(message).then((report) => parentPort?.postMessage(report));
});
