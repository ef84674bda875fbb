import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until, untilProcessGone } from '@roastery/testing/until';
import { superviseProcess, type SupervisedProcess } from './supervised-process.ts';

const nextPid = (supervised: SupervisedProcess, before: number | undefined) =>
  until('a new process', () => (supervised.pid === before ? undefined : supervised.pid));

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
    const supervised = superviseProcess({
      name,
      script: file,
      env: { COFFEE: 'Sidamo' },
      onLine: (line) => lines.push(line),
      onRestart: (reason) => deaths.push(reason),
    });
    return { supervised, lines, deaths };
  }

  const POLITE = `process.on('SIGTERM', () => { console.log('bye'); process.exit(0); });
    console.log('up with ' + process.env.COFFEE); setInterval(() => {}, 1000);`;

  it('is restarted when it is killed, but not when it is stopped', async () => {
    const { supervised, lines, deaths } = await supervise('polite', POLITE);
    await until('the first start', () => lines.includes('up with Sidamo'));
    const first = supervised.pid;
    supervised.kill('SIGKILL');
    const second = await nextPid(supervised, first);
    await until('the second start', () => lines.length === 2);
    expect(deaths).toEqual(['SIGKILL']);
    await supervised.stop(2_000);
    expect(lines).toEqual(['up with Sidamo', 'up with Sidamo', 'bye']);
    await untilProcessGone(second);
    expect(supervised.restarts).toBe(1);
  });

  it('restarts immediately after SIGTERM', async () => {
    const { supervised, lines } = await supervise('again', POLITE);
    await until('the first start', () => lines.length === 1);
    const first = supervised.pid;
    await supervised.restart();
    await nextPid(supervised, first);
    await until('the second start', () => lines.length === 3);
    await supervised.stop(2_000);
    expect(lines).toEqual(['up with Sidamo', 'bye', 'up with Sidamo', 'bye']);
  });

  it('is killed when it does not end in time', async () => {
    const { supervised, lines } = await supervise(
      'deaf',
      `process.on('SIGTERM', () => {}); console.log('up'); setInterval(() => {}, 1000);`,
    );
    await until('the start', () => lines.length === 1);
    await supervised.stop(300);
    expect(supervised.pid).toBeUndefined();
  });

  it('backs off after repeated failures', async () => {
    const { supervised, deaths } = await supervise('broken', `process.exit(3);`);
    await until('three deaths', () => deaths.length === 3);
    const began = Date.now();
    await until('the fourth death', () => deaths.length === 4);
    expect(Date.now() - began).toBeGreaterThan(350);
    await supervised.stop(500);
    expect(deaths[0]).toBe('exit code 3');
  });
});
