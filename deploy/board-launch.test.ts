import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';

const run = promisify(execFile);

it('launch: concurrent calls by dpkg and systemd write whole records, one after the other', async () => {
  const root = await mkdtemp(path.join(tmpdir(), 'roastery-launch-'));
  onTestFinished(() => rm(root, { recursive: true }));
  const installed = path.join(root, 'usr/lib/roastery-agent');
  const store = path.join(root, 'var/lib/roastery-agent-update');
  await mkdir(path.join(installed, 'dist'), { recursive: true });
  await mkdir(store, { recursive: true });
  await cp(path.join(import.meta.dirname, 'board/launch'), path.join(installed, 'launch'));
  await writeFile(path.join(installed, 'package.json'), '{ "version": "1.0.0" }');
  await writeFile(path.join(installed, 'dist/main.js'), '');
  await writeFile(path.join(store, 'record'), 'RUNS=installed\nSTATE=trial\nINSTALLED=1.0.0\nTRIAL=a\n');
  const launch = (...words: string[]) =>
    run(path.join(installed, 'launch'), words, { env: { ...process.env, SERVICE_RESULT: 'success' } });
  for (let round = 0; round < 5; round += 1) {
    await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        n % 3 === 0 ? launch('keep', '2.0.0') : launch(n % 3 === 1 ? 'starting' : 'ended'),
      ),
    );
    const record = await readFile(path.join(store, 'record'), 'utf8');
    expect(record.split('\n').map((line) => line.split('=')[0])).toEqual(
      'RUNS STATE INSTALLED EARLIER TRIAL FAILURES CUTS OPEN BOOT WANTS BROKER_AT MACHINE_AT REASON AT '.split(' '),
    );
    // The entry that dpkg started stays: the others read it before they write.
    expect(record).toMatch(/^RUNS=earlier\nSTATE=unpacking\nINSTALLED=2\.0\.0$/m);
    await writeFile(path.join(store, 'record'), 'RUNS=installed\nSTATE=trial\nINSTALLED=1.0.0\nTRIAL=a\n');
  }
});

it('launch: waits for the lock for less time than systemd gives a step of the service', async () => {
  const [launch, unit] = await Promise.all(
    ['board/launch', 'systemd/roastery-agent.service'].map((file) =>
      readFile(path.join(import.meta.dirname, file), 'utf8'),
    ),
  );
  const waitSeconds = Number(/flock -w (\d+)/.exec(launch ?? '')?.[1]);
  const limits = [...(unit ?? '').matchAll(/^Timeout(?:Start|Stop)Sec=(\d+)$/gm)].map(([, seconds]) => Number(seconds));
  expect(limits).toHaveLength(2);
  expect(waitSeconds).toBeLessThan(Math.min(...limits));
});
