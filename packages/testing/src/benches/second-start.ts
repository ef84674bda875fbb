import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '@roastery/stack/ports';
import type { Bench } from '../bench.ts';
import { repositoryRoot } from '../shared-data.ts';
import { untilPortFree } from '../until.ts';

const START = path.join(repositoryRoot(), 'packages', 'stack', 'bin', 'start.mjs');
const REPEATS = 3;

interface Places {
  DATA_DIR: string;
  PORT: string;
  MQTT_PORT: string;
}

/** Runs `npm start` until it says that the roastery is open, then Ctrl-C; answers both times in seconds. */
const startAndStop = async (env: Places): Promise<{ toReady: number; toStopped: number }> => {
  const began = Date.now();
  const child = spawn(process.execPath, [START], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve()));
  let said = '';
  await new Promise<void>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (said.includes('The roastery is open')) resolve();
    });
    child.once('close', () => reject(new Error(`npm start ended:\n${said}`)));
  });
  const toReady = (Date.now() - began) / 1000;
  const stopping = Date.now();
  child.kill('SIGINT');
  await exited;
  await untilPortFree(Number(env.PORT));
  return { toReady, toStopped: (Date.now() - stopping) / 1000 };
};

export default {
  title: 'npm start with the demo roastery, on an SSD or whatever this machine has',
  run: async (say) => {
    const folder = await mkdtemp(path.join(tmpdir(), 'roastery-bench-start-'));
    const env = { DATA_DIR: folder, PORT: String(await freePort()), MQTT_PORT: String(await freePort()) };
    try {
      say('first start: makes the database and the demo roastery');
      const first = await startAndStop(env);
      const later: Awaited<ReturnType<typeof startAndStop>>[] = [];
      for (let n = 1; n <= REPEATS; n += 1) {
        say(`later start ${n} of ${REPEATS}`);
        later.push(await startAndStop(env));
      }
      const worst = (figure: 'toReady' | 'toStopped') => Math.max(...later.map((times) => times[figure]));
      return [
        { what: 'first start to open (installed and built)', value: first.toReady, unit: 's' },
        {
          what: 'later start to open, slowest of 3',
          value: worst('toReady'),
          unit: 's',
          aim: { of: 'value', atMost: 10 },
        },
        {
          what: 'Ctrl-C to everything ended, slowest of 3',
          value: worst('toStopped'),
          unit: 's',
          aim: { of: 'value', atMost: 10 },
        },
      ];
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
} satisfies Bench;
