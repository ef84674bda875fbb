import { defineConfig } from 'vitest/config';
import { LongestFirst } from './packages/testing/src/longest-first.ts';
import { v8Options } from './packages/testing/src/shared-data.ts';

const shared = {
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'], externalConditions: ['source'] } },
};
const sources = '{packages/*,api,broker,device-agent,portal}/src';
/** `npm test` runs the tests of both at once with those of the browser: a condition may need many seconds. */
const patience = { expect: { poll: { timeout: 30_000 } }, testTimeout: 240_000, hookTimeout: 240_000 };
const beside = { ...patience, execArgv: [...v8Options] };
/** Tests with a real Postgres, real processes and a real browser. */
const realParts = {
  ...beside,
  // Each look at a server or a page costs it several milliseconds.
  expect: { poll: { ...beside.expect.poll, interval: 100 } },
  // Tests of a file that run concurrently wait for boards.
  maxConcurrency: 8,
  globalSetup: ['packages/testing/src/vitest-postgres.ts'],
};
/**
 * `fast` needs only sockets, `component` only the portal's pages in a document without layout, `system` real Postgres and
 * processes, `browser` a browser in front of them. `endurance` holds
 * the long runs: kills, updates, replays, package orders, faulty lines. `timed` holds the few tests whose subject is real
 * time; nothing runs beside them. Vitest itself retries nothing: the runner (packages/testing/bin/test-run.mjs) runs a
 * failed file once more, and every entry of its list of unsteady tests is a fault to mend next, in the test or the
 * product. Files of a worker share its modules (`isolate: false`): loading them again for each file costs half of the time.
 */
export default defineConfig({
  ...shared,
  test: {
    // Projects and runs share what is made of a source file, by its content: a single file starts in half of the time.
    experimental: { fsModuleCache: true },
    sequence: { sequencer: LongestFirst },
    // The output of a failed expectation on a page is shown completely.
    chaiConfig: { truncateThreshold: 4000 },
    projects: [
      {
        ...shared,
        test: {
          ...beside,
          name: 'fast',
          // As `system`, so that Vitest begins these files while the last of those still run.
          maxWorkers: 3,
          isolate: false,
          include: [`${sources}/**/*.test.ts`, 'deploy/**/*.test.ts'],
          exclude: ['**/*.{system,timed,endurance}.test.ts', '**/node_modules/**', '**/dist/**'],
        },
      },
      {
        ...shared,
        oxc: { jsx: { runtime: 'automatic', development: false } },
        test: {
          ...beside,
          name: 'component',
          environment: 'happy-dom',
          env: { NODE_ENV: 'production' },
          // One worker loads the portal and its document once.
          maxWorkers: 1,
          // Of a run with other projects: they have other numbers of workers.
          sequence: { groupOrder: 4 },
          isolate: false,
          setupFiles: ['portal/src/testing/close-after-each.ts'],
          include: ['portal/src/**/*.test.tsx'],
        },
      },
      {
        ...shared,
        test: {
          ...realParts,
          name: 'system',
          // These tests wait for boards and servers much of their time.
          maxWorkers: 3,
          isolate: false,
          include: [`${sources}/**/*.system.test.ts`, 'deploy/**/*.system.test.ts'],
        },
      },
      {
        ...shared,
        test: {
          ...realParts,
          // Each look at a page takes its renderer, the browser and this process.
          expect: { poll: { ...beside.expect.poll, interval: 100 } },
          name: 'browser',
          // A file waits for boards and pages half of its time: two would leave a core idle once nothing runs beside them.
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
          isolate: false,
          setupFiles: ['packages/testing/src/pages-of-failed-test.ts'],
          include: ['portal/e2e/**/*.e2e.ts'],
        },
      },
      {
        ...shared,
        test: {
          ...beside,
          name: 'timed',
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
          include: [`${sources}/**/*.timed.test.ts`],
        },
      },
      {
        ...shared,
        test: {
          ...realParts,
          name: 'endurance',
          maxWorkers: 4,
          sequence: { groupOrder: 3 },
          include: [
            `${sources}/**/*.endurance.test.ts`,
            'deploy/**/*.endurance.test.ts',
            'portal/e2e/**/*.endurance.test.ts',
          ],
        },
      },
    ],
  },
});
