import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { listRoasts } from '@roastery/contract/roasts';
import { startStack } from '@roastery/stack/stack';
import type { Bench, Measurement } from '@roastery/testing/bench';
import { registerTestMachine, signIn } from '@roastery/testing/roastery-client';
import { repositoryRoot } from '@roastery/testing/shared-data';
import { until } from '@roastery/testing/until';

const seconds = Number(process.env['BENCH_SECONDS'] ?? 180);
const serial = 'CARD-1';
const hz = 4;
/** A board sends each second for a minute after its start. */
const settleMs = 75_000;

/** Disk writes of a process up to a time of its own clock. */
interface DiskCost {
  readonly atMs: number;
  readonly syncs: number;
  readonly bytes: number;
}

const run: Bench['run'] = async (say) => {
  const folder = await mkdtemp(join(tmpdir(), 'roastery-board-card-'));
  let newest: DiskCost | undefined;
  const stack = await startStack({
    dataDir: join(folder, 'data'),
    onLine(name, line) {
      if (name === `agent-${serial}` && line.startsWith('disk ')) newest = JSON.parse(line.slice(5)) as DiskCost;
    },
  });
  /** Per minute, and bytes per sample, over the time of the bench. */
  const measure = async (
    what: string,
  ): Promise<{ perMinute: number; bytesPerSample: number; bytesPerMinute: number }> => {
    say(`${what}: ${seconds} s at ${hz} Hz with 8 channels`);
    const before = await until('the agent to say what it cost', () => newest, { timeoutMs: 10_000 });
    await sleep(seconds * 1000);
    const after = newest ?? before;
    const minutes = (after.atMs - before.atMs) / 60_000;
    const bytesPerMinute = (after.bytes - before.bytes) / minutes;
    return {
      perMinute: (after.syncs - before.syncs) / minutes,
      bytesPerMinute,
      bytesPerSample: bytesPerMinute / (60 * hz),
    };
  };
  try {
    const client = await signIn(stack.url, stack.admin);
    const { auth_token: token } = await registerTestMachine(client, serial);
    const script = pathToFileURL(join(repositoryRoot(), 'packages', 'lab', 'bin', 'counting-disk.mjs')).href;
    const machine = await stack.startMachine({
      serial,
      token,
      hz,
      isAutomatic: false,
      agentNodeOptions: `--import=${script}`,
    });
    await sleep(settleMs);
    const between = await measure('between roasts');
    machine.order({ do: 'charge' });
    const isRoasting = async () =>
      (await client.call(listRoasts)).roasts.some(({ status }) => status === 'in_progress');
    await until('the roast to begin', isRoasting, { timeoutMs: 120_000 });
    const roast = await measure('while beans are in the drum');
    const rows: Measurement[] = [
      {
        what: 'between roasts: syncs a minute',
        value: between.perMinute,
        unit: 'syncs/min',
        aim: { of: 'value', atMost: 4 },
      },
      {
        what: '  bytes written a sample',
        value: between.bytesPerSample,
        unit: 'B',
        // A tenth of the 1,465 B that each sample cost here while every second was synced.
        aim: { of: 'value', atMost: 146 },
      },
      { what: '  written a minute', value: between.bytesPerMinute / 1000, unit: 'KB/min' },
      {
        what: 'during a roast: syncs a minute',
        value: roast.perMinute,
        unit: 'syncs/min',
        aim: { of: 'value', atMost: 75 },
      },
      { what: '  bytes written a sample', value: roast.bytesPerSample, unit: 'B' },
      { what: '  written a minute', value: roast.bytesPerMinute / 1000, unit: 'KB/min' },
    ];
    return rows;
  } finally {
    await stack.close();
    await rm(folder, { recursive: true, force: true });
  }
};

export default {
  title: `The board's card: what recording costs it, between roasts and during one`,
  onlyWhenNamed: true,
  run,
} satisfies Bench;
