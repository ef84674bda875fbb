import { fork, type ChildProcess } from 'node:child_process';
import { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';

export interface ReaderSettings {
  readonly nodeArgs: readonly string[];
  readonly maxResidentBytes: number;
}

/** Requests to the launcher. */
export type LauncherOrder =
  | ({ readonly kind: 'start'; readonly id: number; readonly program: string } & ReaderSettings)
  | { readonly kind: 'kill'; readonly id: number };

/** Answers of the launcher. `started` passes the socket to the reader. */
export type LauncherReport =
  | { readonly kind: 'started'; readonly id: number; readonly pid: number }
  | ({ readonly kind: 'ended'; readonly id: number } & EndedReader);

export interface StartedReader {
  readonly pid: number;
  readonly socket: Socket;
}
export interface EndedReader {
  readonly isStarted: boolean;
  /** It exceeded its heap or its resident memory. */
  readonly isTooLarge: boolean;
  /** The end of the reader's output. */
  readonly stderr: string;
}

export interface LaunchedReader {
  /** Undefined when it ended before, or could not be started. */
  readonly started: Promise<StartedReader | undefined>;
  readonly ended: Promise<EndedReader>;
  kill(): void;
}

/** Both programs of the build, from `src/file-reading` and from `dist/file-reading` alike: both lie two levels below `api/`. */
const built = (name: string): string => fileURLToPath(new URL(`../../dist/program/${name}`, import.meta.url));
const launcherProgram = built('launch-readers.js');
const readerProgram = built('file-reader.js');

interface Pending {
  started: StartedReader | undefined;
  onStarted(reader: StartedReader | undefined): void;
  onEnded(end: EndedReader): void;
}

const order = (to: ChildProcess, message: LauncherOrder): void => {
  // A launcher that accepts no orders is treated as ended.
  to.send(message, (error) => void (error && to.kill('SIGKILL')));
};

/** The api's side of the launcher process (`launch-readers.ts`), which is started with the first reader and again if it was lost. */
export const createReaderLauncher = () => {
  const readers = new Map<number, Pending>();
  let launcher: ChildProcess | undefined;
  let lastId = 0;

  const settle = (id: number, end: EndedReader): void => {
    const reader = readers.get(id);
    readers.delete(id);
    reader?.started?.socket.destroy();
    reader?.onStarted(undefined);
    reader?.onEnded(end);
  };
  const onReport = (report: LauncherReport, socket: unknown): void => {
    if (report.kind === 'ended') return settle(report.id, report);
    const reader = readers.get(report.id);
    if (reader === undefined || !(socket instanceof Socket)) return undefined;
    // An idle reader does not keep the api running.
    socket.unref();
    // The end of the reader gives the reason of the socket's failure.
    socket.on('error', () => undefined);
    reader.started = { pid: report.pid, socket };
    return reader.onStarted(reader.started);
  };
  /** Without a launcher the api ends the readers by their process ids. */
  const onLost = (lost: ChildProcess, reason: string): void => {
    if (launcher === lost) launcher = undefined;
    for (const [id, { started }] of readers) {
      if (started !== undefined) killProcess(started.pid);
      settle(id, { isStarted: started !== undefined, isTooLarge: false, stderr: reason });
    }
  };

  const open = (): ChildProcess => {
    // The launcher gets no environment, so its readers have none of the api's secrets.
    const child = fork(launcherProgram, [], {
      env: {},
      execArgv: [],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    child.unref();
    child.channel?.unref();
    child.on('message', (message, socket) => onReport(message as LauncherReport, socket));
    child.once('exit', () => onLost(child, 'the launcher of readers ended'));
    child.once('error', (error) => onLost(child, error.message));
    return child;
  };
  return {
    /** Starts the launcher before it is needed: while the api is small, and nothing waits for it. */
    prepare(): void {
      launcher ??= open();
    },
    start(settings: ReaderSettings): LaunchedReader {
      const by = (launcher ??= open());
      const id = (lastId += 1);
      const pending: Pending = { started: undefined, onStarted: () => undefined, onEnded: () => undefined };
      const started = new Promise<StartedReader | undefined>((resolve) => (pending.onStarted = resolve));
      const ended = new Promise<EndedReader>((resolve) => (pending.onEnded = resolve));
      readers.set(id, pending);
      order(by, { kind: 'start', id, program: readerProgram, ...settings });
      return { started, ended, kill: () => readers.has(id) && order(by, { kind: 'kill', id }) };
    },
    /** Ends the launcher and every reader. */
    async close(): Promise<void> {
      const last = launcher;
      if (last === undefined) return;
      const gone = new Promise<void>((resolve) => last.once('exit', () => resolve()));
      if (last.connected) last.disconnect();
      await gone;
    },
  };
};
export type ReaderLauncher = ReturnType<typeof createReaderLauncher>;

const killProcess = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
};
