import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@roastery/stack/ports';
import type { Bench } from '@roastery/testing/bench';
import { repositoryRoot } from '@roastery/testing/shared-data';
import { untilHttpOk } from '@roastery/testing/until';

/** Seconds from `npm start` to a portal that is ready; then it is stopped as by Ctrl-C. */
const startOnce = async (dataDir: string): Promise<{ ready: number; stopped: number }> => {
  const [port, mqttPort] = [await freePort(), await freePort()];
  const began = performance.now();
  const child = spawn('npm', ['start'], {
    cwd: repositoryRoot(),
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: process.env['HOME'] ?? '',
      HOST: '127.0.0.1',
      PORT: String(port),
      MQTT_PORT: String(mqttPort),
      DATA_DIR: dataDir,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A process group of its own, as in a terminal: Ctrl-C reaches npm and all its child processes.
    detached: true,
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text));
  const gone = new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('close', () => resolve());
  });
  const failed = gone.then(() => {
    throw new Error(`npm start ended:\n${said}`);
  });
  const interrupt = () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGINT');
  };
  try {
    await Promise.race([untilHttpOk(`http://127.0.0.1:${port}/readyz`, { timeoutMs: 180_000 }), failed]);
  } catch (error) {
    interrupt();
    await gone;
    throw error;
  }
  const ready = (performance.now() - began) / 1000;
  const stopping = performance.now();
  failed.catch(() => undefined);
  interrupt();
  await gone;
  return { ready, stopped: (performance.now() - stopping) / 1000 };
};

const run: Bench['run'] = async (say) => {
  const folder = await mkdtemp(join(tmpdir(), 'roastery-second-start-'));
  try {
    say('first start, with the demo roastery');
    const first = await startOnce(join(folder, 'data'));
    say('second start');
    const second = await startOnce(join(folder, 'data'));
    return [
      { what: 'npm start with an empty data folder → ready', value: first.ready, unit: 's' },
      {
        what: 'npm start a second time → ready',
        value: second.ready,
        unit: 's',
        aim: { of: 'value', atMost: 10 },
      },
      { what: 'Ctrl-C → everything has ended', value: second.stopped, unit: 's', aim: { of: 'value', atMost: 10 } },
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

export default { title: 'Starting again', run } satisfies Bench;
