import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Test files that take about a minute and more, the longest first; most of it is waiting. */
const longest = [
  'under-systemd.system',
  'faulty-line.system',
  'screens.e2e',
  'real-roasts.system',
  'killed-at-random.system',
  'fuzz.system',
  'stream-limits.system',
  'pairing.e2e',
  'live-roast.e2e',
  'slow-or-starved.system',
  'slow-database.system',
  'board-in-trouble.system',
  'board-update.system',
  'sign-in-to-machines.e2e',
];

const place = ({ moduleId }: TestSpecification): number => {
  const index = longest.findIndex((name) => moduleId.includes(`/${name}.`));
  return index === -1 ? longest.length : index;
};

/** Without times of an earlier run the largest files would begin, and a small file that waits for minutes come last, alone. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => place(a) - place(b));
  }
}
