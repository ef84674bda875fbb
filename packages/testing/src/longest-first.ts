import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Test files that take about a minute and more, the longest first; most of it is waiting. */
const longest = [
  'screens.e2e',
  'killed-at-random.system',
  'real-roasts.system',
  'analytics.e2e',
  'pairing.e2e',
  'inventory.e2e',
  'live-roast.e2e',
  'recipes.e2e',
  'board-update.system',
  'board-in-trouble.system',
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
