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

class ChildReaders implements FileReaders {
  readonly #log: Logger;
  readonly #settings: FileReadersOptions;
  readonly #launcher = createReaderLauncher();
  readonly #readers = new Set<Reader>();
  #waiting: Waiting[] = [];
  /** The owners of recent files, the latest at the end. */
  #turns: string[] = [];
  #closing = false;

  constructor(log: Logger, settings: FileReadersOptions) {
    this.#log = log;
    this.#settings = settings;
  }

  run<Input, Output>(job: FileJob<Input, Output>, person: string, content: Uint8Array, input: Input): Promise<Output> {
    return this.#inTurn(
      person,
      () => readyJob(job, content, input),
      (why) => notRead(why, this.#settings.deadlineMs),
      'Too many files are being read. Try again in a few seconds.',
    );
  }

  make<Output>(person: string, read: () => Promise<ReadyJob<Output>>): Promise<Output> {
    return this.#inTurn(person, read, notMade, 'Too many files are being made. Try again in a few seconds.');
  }

  prepare(): void {
    this.#launcher.prepare();
  }

  async close(): Promise<void> {
    this.#closing = true;
    for (const { resolve } of this.#waiting) resolve({ kind: 'stopped', why: 'closing' });
    this.#waiting = [];
    const ended = [...this.#readers].map(({ process }) => process.ended);
    for (const { process } of this.#readers) process.kill();
    await Promise.all(ended);
    await this.#launcher.close();
  }

  #runningOf(person: string): number {
    return [...this.#readers].filter((reader) => reader.person === person).length;
  }

  async #replaceWhenEnded(reader: Reader): Promise<void> {
    await reader.process.ended;
    reader.isEnding = true;
    clearTimeout(reader.idle);
    this.#readers.delete(reader);
    this.#assign();
  }

  #start(): Reader {
    const reader: Reader = {
      process: startReaderProcess(this.#launcher, this.#settings),
      person: undefined,
      isEnding: false,
      idle: undefined,
    };
    this.#readers.add(reader);
    void this.#replaceWhenEnded(reader);
    return reader;
  }

  #freeReader(): Reader | undefined {
    const free = [...this.#readers].find(({ person, isEnding }) => person === undefined && !isEnding);
    return free ?? (this.#readers.size < this.#settings.processes ? this.#start() : undefined);
  }

  #end(reader: Reader): void {
    reader.isEnding = true;
    reader.process.kill();
  }

  /** A process with much memory ends to return it; one without work ends later. */
  #rest(reader: Reader, bytes: number): void {
    if (bytes > this.#settings.idleMegabytes * 1024 * 1024) {
      this.#end(reader);
      return;
    }
    reader.person = undefined;
    reader.idle = setTimeout(() => this.#end(reader), this.#settings.idleMs).unref();
    this.#assign();
  }

  async #work(reader: Reader, waited: Waiting): Promise<void> {
    const { person, resolve } = waited;
    clearTimeout(reader.idle);
    reader.person = person;
    let ready: ReadyJob<unknown>;
    try {
      ready = await waited.read();
    } catch (error) {
      waited.reject(error);
      this.#rest(reader, 0);
      return;
    }
    const { name: job, content, input } = ready;
    const report = await reader.process.run({ job, input, contentBytes: content.length }, content);
    const answer = report.kind === 'answered' ? report.answer : report;
    const isClosing = answer.kind === 'stopped' && this.#closing;
    if (answer.kind === 'stopped' && !isClosing) {
      this.#log.warn({ job, why: answer.why, stderr: reader.process.lastWords() }, 'file reader stopped');
    }
    if (answer.kind === 'failed') this.#log.error({ job, reason: answer.reason }, 'file reader failed');
    if (answer.kind === 'stopped' && mayBeFromOutside.has(answer.why) && !isClosing && !waited.isSecondTry) {
      this.#waiting.unshift({ ...waited, read: () => ready, isSecondTry: true });
      this.#assign();
      return;
    }
    resolve(isClosing ? { kind: 'stopped', why: 'closing' } : answer);
    if (report.kind === 'answered') this.#rest(reader, report.residentBytes);
  }

  /** First the user with the fewest running files, then the one whose last turn was longest ago, then by arrival. */
  #takeNext(): Waiting | undefined {
    const rank = ({ person }: Waiting) => this.#runningOf(person) * 1e6 + this.#turns.lastIndexOf(person);
    const [next] = this.#waiting.toSorted((a, b) => rank(a) - rank(b));
    if (next === undefined) return undefined;
    this.#waiting = this.#waiting.filter((one) => one !== next);
    this.#turns = [...this.#turns, next.person].slice(-rememberedTurns);
    return next;
  }

  /** Assigns waiting files to free processes. */
  #assign(): void {
    if (this.#closing) return;
    while (this.#waiting.length > 0) {
      const reader = this.#freeReader();
      if (reader === undefined) return;
      const next = this.#takeNext();
      if (next !== undefined) void this.#work(reader, next);
    }
  }

  async #inTurn<Output>(
    person: string,
    read: Waiting['read'],
    stoppedError: (why: Stopped['why']) => AppError,
    busy: string,
  ): Promise<Output> {
    const own = this.#runningOf(person) + this.#waiting.filter((one) => one.person === person).length;
    if (this.#waiting.length >= this.#settings.maxWaiting || own >= this.#settings.maxOfOnePerson) {
      throw new AppError('too_many_requests', busy, retrySeconds);
    }
    if (this.#closing) throw stoppedError('closing');
    const answer = await new Promise<JobAnswer | Stopped>((resolve, reject) => {
      this.#waiting.push({ person, read, resolve, reject, isSecondTry: false });
      this.#assign();
    });
    if (answer.kind === 'done') return answer.output as Output;
    if (answer.kind === 'refused') throw new AppError(answer.code, answer.detail);
    throw stoppedError(answer.kind === 'stopped' ? answer.why : 'crashed');
  }
}

export const createFileReaders = (log: Logger, options: Partial<FileReadersOptions> = {}): FileReaders =>
  new ChildReaders(log, { ...defaults, ...options });
