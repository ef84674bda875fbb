import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { readMachine } from '@roastery/device-agent/doctor/machine-reading';
import { repositoryRoot } from '../shared-data.ts';
import { describe, expect, it } from 'vitest';
import { layFaultyLine } from './faulty-line.ts';
import { bankOf, mapOf, wrongValues, type StampedSample } from './layouts.ts';
import { readOverFaultyLine } from './read-over-faulty-line.ts';

const slow = { lateProbability: 1, lateMs: [400, 500] as [number, number] };

describe('slow machine: answers in 400 to 500 ms are read without a setting', () => {
  for (const kind of ['tcp', 'rtu-over-tcp'] as const) {
    it.concurrent(`${kind}: reads it under the right names, and reports the pace`, async () => {
      const report = await readOverFaultyLine({
        kind,
        layout: 'block',
        faults: slow,
        seconds: 20,
        // Half of the time between request and answer.
        atMostMs: 350,
      });
      expect(report.wrong).toEqual([]);
      expect(report.link.state).toBe('ok');
      expect(report.readings).toBeGreaterThan(15);
      expect(report.link.reachedHz, 'readings a second').toBeGreaterThan(1);
      expect(report.link.reachedHz).toBeLessThan(3);
    });
    it.concurrent(`${kind}: doctor reads it too`, async () => {
      await using line = await layFaultyLine({ kind, bank: bankOf('block'), faults: slow, adapter: '' });
      expect((await readMachine(mapOf('block', line.link, {}))).kind).toBe('read');
    });
  }
});

describe('first reading: an answer to another program is not accepted', () => {
  for (const layout of ['single', 'strict'] as const) {
    it.concurrent(`rtu-over-tcp, ${layout}: ignores bytes during the first second of the connection`, async () => {
      // Every connection begins with late answers to the previous one: each request is repeated up to a second later.
      const faults = { repeatProbability: 1, repeatMs: [200, 1000] as [number, number] };
      const reports = await Promise.all(
        [1, 2, 3, 4].map((seed) => readOverFaultyLine({ kind: 'rtu-over-tcp', layout, faults, seconds: 6, seed })),
      );
      expect(reports.flatMap(({ wrong }) => wrong)).toEqual([]);
      // Fewer on a busy computer.
      expect(Math.min(...reports.map(({ readings }) => readings))).toBeGreaterThan(1);
    });
  }
});

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
          await sleep(3000);
          for (let round = 0; round < 12; round++) {
            await sleep(500 + round * 37);
            if (how === 'SIGSTOP') {
              child.kill('SIGSTOP');
              await sleep(1000);
              child.kill('SIGCONT');
            } else {
              child.stdin.write('1000\n');
              await sleep(1000);
            }
          }
          await sleep(1000);
        } finally {
          const gone = once(child, 'exit');
          child.kill('SIGKILL');
          await gone;
        }
        expect(samples.length).toBeGreaterThan(12);
        expect(samples.flatMap((sample) => wrongValues(map, 'block', { ...sample, channels }, [], 250))).toEqual([]);
      });
    }
  }
});
