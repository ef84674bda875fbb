import { Writable } from 'node:stream';
import { pino } from 'pino';
import { describeRoastFile, readLots } from '../domains/imports/file-jobs.ts';
import { createFileReaders, type FileReaders, type FileReadersOptions } from '../file-reading/file-readers.ts';
import { AppError } from '../http/app-error.ts';

/** A pool and what it logged. */
export const openReaders = (options: Partial<FileReadersOptions> = {}) => {
  const logged: string[] = [];
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      logged.push(chunk.toString());
      done();
    },
  });
  const readers = createFileReaders(pino({ level: 'info' }, sink), options);
  return { readers, log: () => logged.join(''), [Symbol.asyncDispose]: () => readers.close() };
};

const describeBy = (readers: FileReaders, person: string, content: Uint8Array) =>
  readers.run(describeRoastFile, person, content, {});

/** The result for a file: its number of samples, or the refusal. */
export const outcome = async (readers: FileReaders, content: Uint8Array, person = 'a person') => {
  try {
    return (await describeBy(readers, person, content)).upload.samples;
  } catch (error) {
    if (error instanceof AppError) return `${error.code}: ${JSON.stringify(error.detail)}`;
    throw error;
  }
};

/** Number of texts of rows in a list of lots, or its refusal. */
export const lotsOutcome = async (readers: FileReaders, content: Uint8Array): Promise<string> => {
  try {
    return `${(await readers.run(readLots, 'a person', content, {})).rows.length} texts`;
  } catch (error) {
    if (error instanceof AppError) return `${error.code}: ${JSON.stringify(error.detail)}`;
    throw error;
  }
};
