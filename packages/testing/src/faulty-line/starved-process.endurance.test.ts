import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { repositoryRoot } from '../shared-data.ts';
import { until } from '../until.ts';
import { describe, expect, it } from 'vitest';
import { layFaultyLine } from './faulty-line.ts';
import { bankOf, mapOf, wrongValues, type StampedSample } from './layouts.ts';

/** A separate process, so that it can be starved: it reads with a map and prints each reading. */
const poller = (map: unknown): string => {
  const built = pathToFileURL(join(repositoryRoot(), 'device-agent', 'dist', 'machine', 'poller.js')).href;
  return `
    import { startPoller } from ${JSON.stringify(built)};
    const say = (what) => process.stdout.write(JSON.stringify(what) + '\\n');
    const poller = startPoller({ map: ${JSON.stringify(map)}, reading: say, linkChanged: () => undefined });
    say({ channels: poller.channels });
    process.stdin.on('data', (order) => {
      const until = performance.now() + Number(String(order).trim());
      while (performance.now() < until);
    });
  `;
};

describe('starved process: a reading with an unknown time is dropped', () => {
  for (const how of ['SIGSTOP', 'a busy loop'] as const) {
    for (const kind of ['tcp', 'rtu-over-tcp'] as const) {
      it.concurrent(`${kind}, ${how}: no sample is dated wrongly`, async () => {
        // An answer takes a while, so that most stops fall between request and answer.
        await using line = await layFaultyLine({
          kind,
          bank: bankOf('block'),
          faults: { lateProbability: 1, lateMs: [60, 160] },
          adapter: '',
        });
        const map = mapOf('block', line.link, { hz: 4 });
        const child = spawn(process.execPath, ['--input-type=module', '-e', poller(map)], {
          stdio: ['pipe', 'pipe', 'inherit'],
        });
        const samples: Omit<StampedSample, 'channels'>[] = [];
        let channels: readonly string[] = [];
        createInterface({ input: child.stdout }).on('line', (text) => {
          const said = JSON.parse(text) as { channels: string[] } | Omit<StampedSample, 'channels'>;
          if ('channels' in said) channels = said.channels;
          else samples.push(said);
        });
        try {
          const moreReadings = async (): Promise<void> => {
            const before = samples.length;
            await until('two more readings', () => samples.length > before + 1);
          };
          await moreReadings();
          for (let round = 0; round < 12; round++) {
            const before = line.asked.length;
            await until('a request without its answer', () => line.asked.length > before + (round % 3), { everyMs: 1 });
            if (how === 'SIGSTOP') {
              child.kill('SIGSTOP');
              await sleep(1000);
              child.kill('SIGCONT');
            } else {
              child.stdin.write('1000\n');
            }
            await moreReadings();
          }
        } finally {
          const gone = once(child, 'exit');
          child.kill('SIGKILL');
          await gone;
        }
        expect(samples.flatMap((sample) => wrongValues(map, 'block', { ...sample, channels }, [], 250))).toEqual([]);
      });
    }
  }
});
