import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Test files that take long, most of them waiting: the longest first. */
const longest = [
  'every-page.endurance',
  'board-from-portal.endurance',
  'first-day.endurance',
  'time-servers.endurance',
  'ordered-update.endurance',
  'faulty-line.endurance',
  'board-settings.endurance',
  'under-systemd.endurance',
  'real-roasts.endurance',
  'killed-at-random.endurance',
  'starved-process.endurance',
  'artisan-beside-us.system',
  'disk-gone-in-a-roast.system',
  'stream-limits.system',
  'shared-credential.system',
  'slow-database.system',
  'board-in-trouble.system',
  'file-readers.system',
  'npm-start.system',
  'hung-database.system',
  'agent-process.system',
  'embedded-postgres.system',
  'screens.e2e',
  'cockpit.e2e',
  'probe.e2e',
  'alarms.e2e',
  'live-roast.e2e',
  'wall.e2e',
  'guided-roast.e2e',
  'keyboard.e2e',
  'inventory.e2e',
  'pairing.e2e',
  'machine-maps.e2e',
  'settings-trial',
  'paired-again',
  'uplink',
  'disk-faults',
  'agent',
  'bus',
  'healthcheck',
];
const projects = ['system', 'fast', 'component', 'browser', 'endurance'];

/**
 * Projects in their order, so that a worker keeps its modules; within a project the longest files first. Those of `fast`
 * begin the run: they wait for boards, and at its end nothing else would use the processors.
 */
const place = ({ moduleId, project }: TestSpecification): number => {
  const index = longest.findIndex((name) => moduleId.includes(`/${name}.`));
  if (project.name === 'fast' && index !== -1) return index - longest.length;
  return projects.indexOf(project.name) * (longest.length + 1) + (index === -1 ? longest.length : index);
};

/** Without times of an earlier run Vitest starts the largest files first, and a small file that waits for minutes would run last. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => place(a) - place(b));
  }
}
