import { setTimeout as sleep } from 'node:timers/promises';
import type { Stack } from '@roastery/stack/stack';
import { percentile, type Measurement } from '@roastery/testing/bench';
import { cpuSeconds, residentMegabytes } from '@roastery/testing/process-cost';
import { addressOf, type Caller } from './measure-calls.ts';
import type { PageCall } from '@roastery/testing/large-roastery/page-calls';
import type { IngestingBoards } from './read-during-ingest.ts';
import { timedGet } from './timed-call.ts';

const readers = 20;
const pauseMs = 1000;
const secondsOf = (): number => Number(process.env['BENCH_SECONDS'] ?? 60);

const open = async (caller: Caller, call: PageCall, nth: number): Promise<{ ms: number; firstByteMs: number }> => {
  const address = await addressOf(caller, call, nth);
  const { status, ms, firstByteMs } = await timedGet(address, caller.cookie, { whole: true });
  if (status !== 200) throw new Error(`${call.what} answered ${status}: ${address}`);
  return { ms, firstByteMs };
};

/**
 * Users download files completely while boards send: measures the cost for the api, and whether boards are delayed.
 */
export const exportDuringIngest = async (
  stack: Stack,
  caller: Caller,
  files: readonly PageCall[],
  boards: IngestingBoards,
): Promise<Measurement[]> => {
  const pid = stack.part('api').pid ?? 0;
  const before = { cpu: await cpuSeconds(pid), memory: await residentMegabytes(pid), at: performance.now() };
  const begunAt = Date.now();
  let most = before.memory.now;
  const until = before.at + secondsOf() * 1000;
  const times = new Map<PageCall, number[]>(files.map((call) => [call, []]));
  const read = async (reader: number): Promise<void> => {
    await sleep((reader / readers) * pauseMs);
    for (let turn = reader; performance.now() < until; turn += 1) {
      const call = files[turn % files.length];
      if (call === undefined) throw new Error('there is no file to save');
      times.get(call)?.push((await open(caller, call, turn)).ms);
      most = Math.max(most, (await residentMegabytes(pid)).now);
      await sleep(pauseMs);
    }
  };
  await Promise.all(Array.from({ length: readers }, (_, reader) => read(reader)));
  const seconds = (performance.now() - before.at) / 1000;
  const cpu = (((await cpuSeconds(pid)) - before.cpu) / seconds) * 100;
  const { p99Ms } = await boards.commitDelays(begunAt);
  const beside = `${readers} readers save files, ${boards.description}`;
  return [
    { what: `api, CPU: ${beside}`, value: cpu, unit: '% of a core' },
    {
      what: `api, memory above its start: ${beside}`,
      value: most - before.memory.now,
      unit: 'MB',
      aim: { of: 'value', atMost: 512 },
    },
    {
      what: `batch committed, p99: ${beside}`,
      value: p99Ms,
      unit: 'ms',
      aim: { of: 'value', atMost: 1000 },
    },
    ...[...times].flatMap(([{ what }, all]): Measurement[] =>
      all.length === 0
        ? []
        : [{ what: `${what}, last byte, p95: ${beside}`, value: percentile(all, 0.95), unit: 'ms' }],
    ),
  ];
};

const blocks = 8;

/**
 * A light page while one user requests the heaviest answers without a pause. Blocks with and without that user
 * alternate, so that both are measured on the same computer.
 */
export const lightBesideHeavy = async (
  caller: Caller,
  light: readonly PageCall[],
  heavy: readonly { readonly what: string; readonly calls: readonly PageCall[] }[],
): Promise<Measurement[]> => {
  const blockMs = (secondsOf() * 1000) / blocks / 2;
  const measurements: Measurement[] = [];
  for (const { what, calls } of heavy) {
    const times = { alone: [] as number[], beside: [] as number[] };
    const block = async (all: number[]) => {
      const until = performance.now() + blockMs;
      for (let turn = 0; performance.now() < until; turn++) {
        const call = light[turn % light.length];
        if (call === undefined) throw new Error('there is no light page');
        all.push((await open(caller, call, turn)).ms);
        await sleep(5);
      }
    };
    for (let round = 0; round < blocks; round++) {
      await block(times.alone);
      const over = new AbortController();
      const reading = (async () => {
        for (let turn = 0; !over.signal.aborted; turn++) {
          const call = calls[turn % calls.length];
          if (call !== undefined) await open(caller, call, turn);
        }
      })();
      await block(times.beside);
      over.abort();
      await reading;
    }
    for (const share of [0.5, 0.99]) {
      measurements.push({
        what: `a light page beside ${what}, p${share * 100}`,
        value: percentile(times.beside, share),
        unit: 'ms',
        against: { what: 'alone', value: percentile(times.alone, share) },
        ...(share === 0.99 && { aim: { of: 'ratio', atMost: 2 } }),
      });
    }
  }
  return measurements;
};
