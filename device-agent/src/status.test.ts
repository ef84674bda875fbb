import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@roastery/runtime/logger';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nextRun, runFile } from './status.ts';

const log = createLogger('test', 'silent');
const now = Date.UTC(2026, 10, 28);

describe('nextRun', () => {
  let dataDir: string;
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'run-'));
  });
  afterEach(() => rm(dataDir, { recursive: true, force: true }));

  it('is greater than at every earlier start, also when the clock was set back', async () => {
    expect(await nextRun(dataDir, now, log)).toBe(now);
    expect(await nextRun(dataDir, now - 86_400_000, log)).toBe(now + 1);
    expect(await nextRun(dataDir, now + 5, log)).toBe(now + 5);
  });

  it('is the time where the disk has no number, a damaged one, or can’t be read', async () => {
    await writeFile(runFile(dataDir), '\0\0\0');
    expect(await nextRun(dataDir, now, log)).toBe(now);
    expect(await nextRun(join(dataDir, 'missing'), now, log)).toBe(now);
  });
});
