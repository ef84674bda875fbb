import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Test files that take long, most of them waiting: the longest first. */
const longest = [
  'first-day.endurance',
  'board-from-portal.endurance',
  'time-servers.endurance',
  'ordered-update.endurance',
  'board-update.endurance',
  'board-settings.endurance',
  'killed-at-random.endurance',
  'every-page.endurance',
  'starved-process.endurance',
  'test-run.endurance',
  'false-drop.endurance',
  'faulty-line.endurance',
  'two-apis.endurance',
  'postgres-failover.endurance',
  'real-roasts.endurance',
  'fuzz.endurance',
  'under-systemd.endurance',
  'artisan-beside-us.system',
  'several-brokers.system',
  'many.system',
  'disk-gone-in-a-roast.system',
  'board-in-trouble.system',
  'live.system',
  'lot-imports.system',
  'slow-database.system',
  'server-lost-data.system',
  'forgetful-card.system',
  'channel-exchanges.system',
  'import-thread.system',
  'alerts.system',
  'line-return.system',
  'stack.system',
  'live-roast.e2e',
  'alarms.e2e',
  'wall.e2e',
  'screens.e2e',
  'cockpit.e2e',
  'machine-maps.e2e',
  'probe.e2e',
  'guided-roast.e2e',
  'large-lists.e2e',
  'keyboard.e2e',
  'pairing.e2e',
  'import-many.e2e',
  'roast-page.e2e',
  'timeline.e2e',
  'board-software.e2e',
  'healthcheck',
  'serial-line',
  'support',
  'disk-faults',
  'virtual-time',
  'link',
  'settings-trial',
  'uplink',
  'paired-again',
  'agent',
  'bus',
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
