import type { Logger } from '@roastery/runtime/logger';
import { AppError } from '../http/app-error.ts';
import { readyJob, type FileJob, type JobAnswer, type ReadyJob, type Stopped } from './file-job.ts';
import { createReaderLauncher } from './reader-launcher.ts';
import { startReaderProcess, type ReaderLimits, type ReaderProcess } from './reader-process.ts';

export interface FileReadersOptions extends ReaderLimits {
  /** Files read at the same time. */
  readonly processes: number;
  /** Requests of one person, running and waiting. */
  readonly maxOfOnePerson: number;
  readonly maxWaiting: number;
  /** A process without work ends after this time. */
  readonly idleMs: number;
  /** A process that uses more than this after a job is ended. */
  readonly idleMegabytes: number;
}

/** The largest valid files, 10 MB, take 2 s and 300 MB. The limits of `deploy` (2.5 GB) leave the api room beside these and the import thread. */
const defaults: FileReadersOptions = {
  processes: 2,
  maxOfOnePerson: 12,
  maxWaiting: 64,
  deadlineMs: 20_000,
  heapMegabytes: 320,
  residentMegabytes: 512,
  idleMs: 60_000,
  idleMegabytes: 150,
};

/** Reads users' files, and makes those of exports, in child processes, so that no file can stop, slow or bloat the api. */
export interface FileReaders {
  /**
   * @param person the owner of the file: all people's files take turns
   * @throws `AppError` with the reader's refusal, or `validation` when the process had to be stopped,
   * `too_many_requests` when too many files wait
   */
  run<Input, Output>(job: FileJob<Input, Output>, person: string, content: Uint8Array, input: Input): Promise<Output>;
  /**
   * Makes a file: its data is read when its turn has come, so that what waits holds none of it.
   * @throws `AppError` as `run` does, in the words of an export, and what `read` throws
   */
  make<Output>(person: string, read: () => Promise<ReadyJob<Output>>): Promise<Output>;
  /** Starts the launcher of readers before the first file arrives. */
  prepare(): void;
  close(): Promise<void>;
}

interface Waiting {
  readonly person: string;
  readonly read: () => ReadyJob<unknown> | Promise<ReadyJob<unknown>>;
  readonly resolve: (answer: JobAnswer | Stopped) => void;
  /** Its data could not be read. */
  readonly reject: (error: unknown) => void;
  readonly isSecondTry: boolean;
}

interface Reader {
  readonly process: ReaderProcess;
  /** The owner of its file. */
  person: string | undefined;
  /** It is ending, or has ended. */
  isEnding: boolean;
  idle: NodeJS.Timeout | undefined;
}

const rememberedTurns = 100;
/**
 * The process, or the launcher before it had started one, may have been killed from outside: the file gets another one.
 */
const mayBeFromOutside: ReadonlySet<Stopped['why']> = new Set(['crashed', 'not_started']);
const saveAnew = 'Split it, or save it again in the program it comes from.';

const retrySeconds = 5;

const notMade = (why: Stopped['why']): AppError => {
  if (why === 'closing') return new AppError('not_ready', 'The server is stopping.', 2);
  if (why === 'too_large') return new AppError('too_large', 'The file takes more memory than the server has for it.');
  return new AppError('not_ready', 'The file can’t be made at the moment. Try again.', retrySeconds);
};

const notRead = (why: Stopped['why'], deadlineMs: number): AppError => {
  if (why === 'closing') return new AppError('not_ready', 'The server is stopping.', 2);
  if (why === 'not_started') return new AppError('not_ready', 'Files can’t be read at the moment.', retrySeconds);
  const sentence = {
    too_slow: `Reading the file took longer than ${Math.round(deadlineMs / 1000)} seconds and was stopped. ${saveAnew}`,
    too_large: `Reading the file took more memory than a file may take and was stopped. ${saveAnew}`,
    crashed: 'The file can’t be read: it is damaged. Save it again in the program it comes from.',
  }[why];
  return new AppError('validation', sentence);
};

export const createFileReaders = (log: Logger, options: Partial<FileReadersOptions> = {}): FileReaders => {
  const settings = { ...defaults, ...options };
  const launcher = createReaderLauncher();
  const readers = new Set<Reader>();
  let waiting: Waiting[] = [];
  /** The owners of recent files, the latest at the end. */
  let turns: string[] = [];
  let closing = false;

  const runningOf = (person: string) => [...readers].filter((reader) => reader.person === person).length;

  const replaceWhenEnded = async (reader: Reader): Promise<void> => {
    await reader.process.ended;
    reader.isEnding = true;
    clearTimeout(reader.idle);
    readers.delete(reader);
    assign();
  };

  const start = (): Reader => {
    const reader: Reader = {
      process: startReaderProcess(launcher, settings),
      person: undefined,
      isEnding: false,
      idle: undefined,
    };
    readers.add(reader);
    void replaceWhenEnded(reader);
    return reader;
  };

  const freeReader = (): Reader | undefined => {
    const free = [...readers].find(({ person, isEnding }) => person === undefined && !isEnding);
    return free ?? (readers.size < settings.processes ? start() : undefined);
  };

  const end = (reader: Reader): void => {
    reader.isEnding = true;
    reader.process.kill();
  };

  /** A process with much memory ends to return it; one without work ends later. */
  const rest = (reader: Reader, bytes: number): void => {
    if (bytes > settings.idleMegabytes * 1024 * 1024) {
      end(reader);
      return;
    }
    reader.person = undefined;
    reader.idle = setTimeout(() => end(reader), settings.idleMs).unref();
    assign();
  };

  const work = async (reader: Reader, waited: Waiting): Promise<void> => {
    const { person, resolve } = waited;
    clearTimeout(reader.idle);
    reader.person = person;
    let ready: ReadyJob<unknown>;
    try {
      ready = await waited.read();
    } catch (error) {
      waited.reject(error);
      rest(reader, 0);
      return;
    }
    const { name: job, content, input } = ready;
    const report = await reader.process.run({ job, input, contentBytes: content.length }, content);
    const answer = report.kind === 'answered' ? report.answer : report;
    const isClosing = answer.kind === 'stopped' && closing;
    if (answer.kind === 'stopped' && !isClosing) {
      log.warn({ job, why: answer.why, stderr: reader.process.lastWords() }, 'file reader stopped');
    }
    if (answer.kind === 'failed') log.error({ job, reason: answer.reason }, 'file reader failed');
    if (answer.kind === 'stopped' && mayBeFromOutside.has(answer.why) && !isClosing && !waited.isSecondTry) {
      waiting.unshift({ ...waited, read: () => ready, isSecondTry: true });
      assign();
      return;
    }
    resolve(isClosing ? { kind: 'stopped', why: 'closing' } : answer);
    if (report.kind === 'answered') rest(reader, report.residentBytes);
  };

  /** First the user with the fewest running files, then the one whose last turn was longest ago, then by arrival. */
  const takeNext = (): Waiting | undefined => {
    const rank = ({ person }: Waiting) => runningOf(person) * 1e6 + turns.lastIndexOf(person);
    const [next] = waiting.toSorted((a, b) => rank(a) - rank(b));
    if (next === undefined) return undefined;
    waiting = waiting.filter((one) => one !== next);
    turns = [...turns, next.person].slice(-rememberedTurns);
    return next;
  };

  /** Assigns waiting files to free processes. */
  const assign = (): void => {
    if (closing) return;
    while (waiting.length > 0) {
      const reader = freeReader();
      if (reader === undefined) return;
      const next = takeNext();
      if (next !== undefined) void work(reader, next);
    }
  };

  const inTurn = async <Output>(
    person: string,
    read: Waiting['read'],
    stoppedError: (why: Stopped['why']) => AppError,
    busy: string,
  ): Promise<Output> => {
    const own = runningOf(person) + waiting.filter((one) => one.person === person).length;
    if (waiting.length >= settings.maxWaiting || own >= settings.maxOfOnePerson) {
      throw new AppError('too_many_requests', busy, retrySeconds);
    }
    if (closing) throw stoppedError('closing');
    const answer = await new Promise<JobAnswer | Stopped>((resolve, reject) => {
      waiting.push({ person, read, resolve, reject, isSecondTry: false });
      assign();
    });
    if (answer.kind === 'done') return answer.output as Output;
    if (answer.kind === 'refused') throw new AppError(answer.code, answer.detail);
    throw stoppedError(answer.kind === 'stopped' ? answer.why : 'crashed');
  };

  return {
    run: (job, person, content, input) =>
      inTurn(
        person,
        () => readyJob(job, content, input),
        (why) => notRead(why, settings.deadlineMs),
        'Too many files are being read. Try again in a few seconds.',
      ),
    make: (person, read) => inTurn(person, read, notMade, 'Too many files are being made. Try again in a few seconds.'),
    prepare: () => launcher.prepare(),
    async close() {
      closing = true;
      for (const { resolve } of waiting) resolve({ kind: 'stopped', why: 'closing' });
      waiting = [];
      const ended = [...readers].map(({ process }) => process.ended);
      for (const { process } of readers) process.kill();
      await Promise.all(ended);
      await launcher.close();
    },
  };
};
