import { defineConfig } from 'vitest/config';
import { LongestFirst } from './packages/testing/src/longest-first.ts';

const shared = {
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'], externalConditions: ['source'] } },
};
const sources = '{packages/*,api,broker,device-agent,portal}/src';
/** Tests with a real Postgres, real processes and a real browser. */
const realParts = {
  // A condition may need more than a second on a busy computer.
  expect: { poll: { timeout: 10_000 } },
  testTimeout: 120_000,
  hookTimeout: 120_000,
  // These tests wait for boards and browsers much of their time: three workers keep two cores busy.
  maxWorkers: 3,
  // Tests of a file that run concurrently wait for boards.
  maxConcurrency: 8,
  sequence: { groupOrder: 1 },
  globalSetup: ['packages/testing/src/vitest-postgres.ts'],
};
/**
 * `fast` needs only sockets, `system` real Postgres and processes, `browser` a browser in front of them. `endurance` holds
 * the long runs: kills, updates, replays, package orders, faulty lines. No project retries a failed test.
 */
export default defineConfig({
  ...shared,
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        ...shared,
        test: {
          name: 'fast',
          // The default is one less than there are cores: of two, one.
          maxWorkers: 3,
          // Files share the modules of their worker; loading them again for each file costs half of the time.
          isolate: false,
          include: [`${sources}/**/*.test.{ts,tsx}`, 'deploy/**/*.test.ts'],
          expect: { poll: { timeout: 5000 } },
          testTimeout: 20_000,
          hookTimeout: 20_000,
          exclude: ['**/*.{system,endurance}.test.ts', '**/node_modules/**', '**/dist/**'],
        },
      },
      {
        ...shared,
        test: {
          ...realParts,
          name: 'system',
          isolate: false,
          include: [`${sources}/**/*.system.test.ts`, 'deploy/**/*.system.test.ts'],
        },
      },
      {
        ...shared,
        test: { ...realParts, name: 'browser', isolate: false, include: ['portal/e2e/**/*.e2e.ts'] },
      },
      {
        ...shared,
        test: {
          ...realParts,
          name: 'endurance',
          include: [`${sources}/**/*.endurance.test.ts`, 'deploy/**/*.endurance.test.ts'],
        },
      },
    ],
  },
});
