import { defineConfig } from 'vitest/config';
import { LongestFirst } from './packages/testing/src/longest-first.ts';

// `fast` needs nothing but this machine's sockets; `system` runs real Postgres and processes, `browser` a browser before them.
const shared = {
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'], externalConditions: ['source'] } },
};
const realParts = {
  // What is polled for may take longer than a second on a busy machine.
  expect: { poll: { timeout: 10_000 } },
  testTimeout: 120_000,
  hookTimeout: 120_000,
  // Much of this time is waiting for boards and browsers: three at once keep two cores busy.
  maxWorkers: 3,
  // A file that lets its tests run at once means all of them: they wait for boards.
  maxConcurrency: 8,
  sequence: { groupOrder: 1 },
  globalSetup: ['packages/testing/src/vitest-postgres.ts'],
};
export default defineConfig({
  ...shared,
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        ...shared,
        test: {
          name: 'fast',
          // Left to itself it takes one less than there are cores: of two, one.
          maxWorkers: 3,
          include: ['{packages/*,api,broker,device-agent,portal}/src/**/*.test.{ts,tsx}', 'deploy/**/*.test.ts'],
          // A busy machine gets its time: what has to be quick says so itself.
          expect: { poll: { timeout: 5000 } },
          testTimeout: 20_000,
          hookTimeout: 20_000,
          exclude: ['**/*.system.test.ts', '**/node_modules/**', '**/dist/**'],
        },
      },
      {
        ...shared,
        test: {
          ...realParts,
          name: 'system',
          include: ['{packages/*,api,broker,device-agent}/src/**/*.system.test.ts', 'deploy/**/*.system.test.ts'],
        },
      },
      {
        ...shared,
        test: {
          ...realParts,
          name: 'browser',
          include: ['portal/e2e/**/*.e2e.ts'],
          // A page may miss a moment on a busy machine. What passed only then is named at the end: it is to be looked into.
          // Nothing else gets a second try: a sample lost once in a hundred runs is lost.
          retry: 1,
        },
      },
    ],
  },
});
