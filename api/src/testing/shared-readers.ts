import { createFileReaders, type FileReaders } from '../file-reading/file-readers.ts';
import { AppError } from '../http/app-error.ts';
import { silentLog } from './ingest-fixture.ts';

let ofWorker: FileReaders | undefined;

/**
 * The readers of this worker, for its apis one after another: a new process takes longer to start than most files to read.
 * They end with the worker, or when they are idle.
 */
export const readersOfWorker = (): FileReaders => {
  const shared = (ofWorker ??= createFileReaders(silentLog));
  let isClosed = false;
  const whileOpen = (): FileReaders => {
    if (isClosed) throw new AppError('not_ready', 'The server is stopping.', 2);
    return shared;
  };
  return {
    run: async (job, person, content, input) => whileOpen().run(job, person, content, input),
    make: async (person, read) => whileOpen().make(person, read),
    prepare: () => shared.prepare(),
    close: async () => {
      isClosed = true;
    },
  };
};
