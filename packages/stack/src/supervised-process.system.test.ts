import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until, untilProcessGone } from '@roastery/testing/until';
import { createVirtualClock } from '@roastery/testing/virtual-clock';
import { superviseProcess } from './supervised-process.ts';

describe('supervised process', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'roastery-supervised '));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function supervise(name: string, script: string) {
    const file = path.join(folder, `${name}.mjs`);
    await writeFile(file, script);
    const lines: string[] = [];
    const deaths: string[] = [];
    const clock = createVirtualClock();
    const supervised = superviseProcess({
      name,
      script: file,
      env: { COFFEE: 'Sidamo' },
      onLine: (line) => lines.push(line),
      onRestart: (reason) => deaths.push(reason),
      clock,
    });
    /** The time from its end to its next start. */
    const restarted = () => clock.until('a new process', () => supervised.pid !== undefined, 10_000);
    return { supervised, lines, deaths, clock, restarted };
  }

  const POLITE = `process.on('SIGTERM', () => { console.log('bye'); process.exit(0); });
    console.log('up with ' + process.env.COFFEE); setInterval(() => {}, 1000);`;

  it('is restarted when it is killed, but not when it is stopped', async () => {
    const { supervised, lines, deaths, restarted } = await supervise('polite', POLITE);
    await until('the first start', () => lines.includes('up with Sidamo'));
    supervised.kill('SIGKILL');
    await until('its end', () => deaths.length === 1);
    await restarted();
    const second = supervised.pid ?? 0;
    await until('the second start', () => lines.length === 2);
    expect(deaths).toEqual(['SIGKILL']);
    await supervised.stop(2000);
    expect(lines).toEqual(['up with Sidamo', 'up with Sidamo', 'bye']);
    await untilProcessGone(second);
    expect(supervised.restarts).toBe(1);
  });

  it('restarts immediately after SIGTERM', async () => {
    const { supervised, lines } = await supervise('again', POLITE);
    await until('the first start', () => lines.length === 1);
    const first = supervised.pid;
    await supervised.restart();
    await until('a new process', () => supervised.pid !== undefined && supervised.pid !== first);
    await until('the second start', () => lines.length === 3);
    await supervised.stop(2000);
    expect(lines).toEqual(['up with Sidamo', 'bye', 'up with Sidamo', 'bye']);
  });

  it('is killed when it does not end in time', async () => {
    const { supervised, lines, clock } = await supervise(
      'deaf',
      `process.on('SIGTERM', () => {}); console.log('up'); setInterval(() => {}, 1000);`,
    );
    await until('the start', () => lines.length === 1);
    await clock.run(supervised.stop(2000));
    expect(supervised.pid).toBeUndefined();
  });

  it('backs off after repeated failures', async () => {
    const { supervised, deaths, restarted } = await supervise('broken', `process.exit(3);`);
    const pauses: number[] = [];
    for (const count of [1, 2, 3, 4]) {
      await until('its end', () => deaths.length === count);
      pauses.push(await restarted());
    }
    // Half of each to the whole.
    for (const [index, longestMs] of [200, 400, 800, 1600].entries()) {
      expect(pauses[index]).toBeGreaterThanOrEqual(longestMs / 2);
      expect(pauses[index]).toBeLessThanOrEqual(longestMs);
    }
    await supervised.stop(2000);
    expect(deaths[0]).toBe('exit code 3');
  });
});
