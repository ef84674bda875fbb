import { existsSync, statfsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const REPOSITORY = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..', '..');

/** The repository's top folder, as an absolute path. */
export function repositoryRoot(): string {
  return REPOSITORY;
}

/**
 * A folder in memory with room for temporary test files; undefined where there is none, or a small one (containers).
 */
export const memoryFolder = ((): string | undefined => {
  const folder = '/dev/shm';
  if (!existsSync(folder)) return undefined;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize > 4 * 2 ** 30 ? folder : undefined;
})();

/**
 * For the processes that run tests, and the servers that they share. V8 optimises a function after four times the usual
 * work: most functions run too seldom in tests to repay it, and optimising them took a tenth of the CPU time.
 */
export const v8Options = ['--interrupt-budget=300000'] as const;

/**
 * `NODE_OPTIONS` of a program whose clocks and timers run `factor` times as fast.
 * @param repository where that program sees it
 */
export const hurriedClock = (factor: number, repository = REPOSITORY): string => {
  const program = path.join(repository, 'packages', 'testing', 'bin', 'hurried-clock.mjs');
  return `--import=${pathToFileURL(program).href}?factor=${factor}`;
};

/** Folder of real roasts and machine configurations, beside the repository; they are not part of the project. */
export interface SharedData {
  present: boolean;
  /** Absolute path of a file or folder in it. */
  path(...parts: string[]): string;
  /**
   * A test's title with the reason why it is skipped when the data is absent: `it.skipIf(!data.present)(data.title('replays
   * the Probat roast'), …)`.
   */
  title(title: string): string;
}

export function sharedData(): SharedData {
  const folder = path.resolve(REPOSITORY, '..', 'shared', 'data');
  const present = existsSync(folder);
  return {
    present,
    path: (...parts) => path.join(folder, ...parts),
    title: (title) =>
      present ? title : `${title} (skipped: needs the real roasts in ../shared/data, which is absent)`,
  };
}
