import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { ErrorCode, FieldError } from '@roastery/contract/errors';
import { addImportFiles } from '@roastery/contract/roast-imports';
import { createBackoff, pause } from '@roastery/runtime/backoff';
import type { LogLevel } from '@roastery/runtime/logger';
import type { Domain } from './app.ts';
import type { AppContext } from './context.ts';
import type { Sender } from './domains/imports/many/add-files.ts';
import { AppError } from './http/app-error.ts';
import type { SentFile } from './http/multipart.ts';
import type { Service } from './start-api.ts';

/** The data that the thread is started with. */
export interface ImportThreadData {
  readonly databaseUrl: string;
  readonly logLevel: LogLevel;
  /** The count of open requests, see `http/open-requests.ts`. */
  readonly openRequests: SharedArrayBuffer;
}

/** Messages to the thread. */
export type ImportOrder =
  | { readonly kind: 'close' }
  | {
      readonly kind: 'add';
      readonly order: number;
      readonly sender: Sender;
      readonly importId: string;
      readonly files: readonly SentFile[];
    };

/** Its answer to `add`, with the number of the order. */
export type ImportReport = { readonly order: number } & (
  | { readonly ids: string[] }
  | { readonly code: ErrorCode; readonly detail: string | FieldError[]; readonly retryAfterSeconds: number | undefined }
);

/** The built program, also when the api runs from `src`. */
const builtProgram = fileURLToPath(new URL('../dist/program/import-program.js', import.meta.url));
/** An import keeps its files in the database, and those of one request in memory. */
const heapMegabytes = 512;
/** Requests at the thread: the bytes of each, 10 MB at most, are in memory. A browser sends two at a time. */
const maxWaiting = 16;
/** At its end the thread completes the statement under way. The program has 10 s for everything. */
const closeMs = 2000;

const isFull = (): AppError =>
  new AppError('too_many_requests', 'Too many files are being added. Try again in a few seconds.', 2);
const isOff = (): AppError => new AppError('not_ready', 'Files can’t be added at the moment.', 2);

/** The bytes of a request are one buffer, which is transferred without a copy. A small one is part of Node's pool. */
const isTransferable = (buffer: ArrayBufferLike): buffer is ArrayBuffer =>
  buffer instanceof ArrayBuffer && buffer.byteLength > Buffer.poolSize;

interface Waiting {
  resolve(answer: { ids: string[] }): void;
  reject(error: AppError): void;
}

/** The thread and its pending orders; `ended` settles when it has ended. */
const startThread = (program: string, workerData: ImportThreadData, log: AppContext['log']) => {
  const waiting = new Map<number, Waiting>();
  const worker = new Worker(program, {
    workerData,
    // Not those of the main thread: a test's would load sources.
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: heapMegabytes },
  });
  const send = (message: ImportOrder, transfer: ArrayBuffer[] = []): void => worker.postMessage(message, transfer);
  worker.on('error', (error) => log.error({ err: error }, 'import thread failed'));
  worker.on('message', (report: ImportReport) => {
    const answer = waiting.get(report.order);
    waiting.delete(report.order);
    if ('ids' in report) answer?.resolve({ ids: report.ids });
    else answer?.reject(new AppError(report.code, report.detail, report.retryAfterSeconds));
  });
  const ended = new Promise<void>((resolve) => {
    worker.once('exit', () => {
      for (const order of waiting.values()) order.reject(isOff());
      resolve();
    });
  });
  let lastOrder = 0;
  return {
    ended,
    add(sender: Sender, importId: string, files: readonly SentFile[]) {
      if (waiting.size >= maxWaiting) throw isFull();
      return new Promise<{ ids: string[] }>((resolve, reject) => {
        const order = (lastOrder += 1);
        waiting.set(order, { resolve, reject });
        const buffers = new Set(files.map(({ content }) => content.buffer));
        const transfer = [...buffers].filter(isTransferable);
        send({ kind: 'add', order, sender, importId, files }, transfer);
      });
    },
    async close(): Promise<void> {
      send({ kind: 'close' });
      const timer = setTimeout(() => {
        log.warn('import thread does not end, terminating');
        void worker.terminate();
      }, closeMs);
      await ended;
      clearTimeout(timer);
    },
  };
};

/**
 * Stores and imports users' files in a separate thread: the work on years of files, and its garbage collection, would
 * delay pages. A thread that ended is restarted; imports continue from the database.
 */
export const createImportThread = (program = builtProgram) => {
  let thread: ReturnType<typeof startThread> | undefined;

  const routes: Domain = ({ forUser }) => {
    forUser(addImportFiles, ({ user, address }, { params, files }) => {
      if (thread === undefined) throw isOff();
      return thread.add({ user, address }, params.id, files);
    });
  };

  const service: Service = async ({ config, log, openRequests }) => {
    const stop = new AbortController();
    const { databaseUrl, logLevel } = config;
    const run = async (): Promise<void> => {
      const backoff = createBackoff(1000, 60_000);
      while (!stop.signal.aborted) {
        const from = performance.now();
        try {
          thread = startThread(program, { databaseUrl, logLevel, openRequests: openRequests.memory }, log);
          await thread.ended;
        } catch (error) {
          // The system refuses it, for want of memory or of tasks.
          log.error({ err: error }, 'import thread failed');
        }
        thread = undefined;
        if (stop.signal.aborted) return;
        const retryMs = backoff.nextMs({ lastedMs: performance.now() - from });
        log.error({ retryMs }, 'import thread ended, restarting');
        await pause(retryMs, stop.signal);
      }
    };
    const running = run();
    return {
      async close() {
        stop.abort();
        await thread?.close();
        await running;
      },
    };
  };

  return { routes, service };
};
