/// <reference lib="dom" />
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { listRoasts } from '@roastery/contract/roasts';
import { startStack } from '@roastery/stack/stack';
import type { Page } from 'playwright-core';
import { percentile, type Bench } from '@roastery/testing/bench';
import { launchBrowser, openPage } from '@roastery/testing/browser';
import { registerTestMachine, signIn } from '@roastery/testing/roastery-client';
import { until } from '@roastery/testing/until';
import { steadyRise } from './live-latency.ts';

const machines = Number(process.env['BENCH_MACHINES'] ?? 8);
const changes = Number(process.env['BENCH_CHANGES'] ?? 200);
/** The page's processor is slowed by this factor for its share of a core. */
const slowdown = 4;
const cpuSeconds = 30;

interface Seen {
  machine: string;
  temp: number;
  /** Wall clock, ms. */
  atMs: number;
}

/** Records in the page each new bean temperature of each tile, as soon as it is in the document. */
const watchTiles = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const seen: Seen[] = [];
    Object.assign(window, { seen });
    for (const tile of document.querySelectorAll('[data-testid="wall-tile"]')) {
      const machine = tile.querySelector('p span')?.textContent ?? '';
      const figure = tile.querySelector('[data-testid="wall-bean"]');
      if (figure === null) throw new Error('a tile has no bean temperature');
      let last = Number.NaN;
      new MutationObserver(() => {
        const temp = Number(/\d+\.\d/.exec(figure.textContent)?.[0]);
        if (!Number.isFinite(temp) || temp === last) return;
        last = temp;
        seen.push({ machine, temp, atMs: Date.now() });
      }).observe(figure, { subtree: true, childList: true, characterData: true });
    }
  });

/** Seconds that the page's main thread has worked so far. */
const taskSeconds = async (page: Page) => {
  const session = await page.context().newCDPSession(page);
  // Of the thread, so that other programs on this machine do not count.
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const read = async (): Promise<number> => {
    const { metrics } = await session.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN;
  };
  return { read, slow: (rate: number) => session.send('Emulation.setCPUThrottlingRate', { rate }) };
};

const changedAtOf = async (recordFile: string): Promise<Map<number, number>> => {
  const changedAt = new Map<number, number>();
  for (const line of (await readFile(recordFile, 'utf8')).trimEnd().split('\n')) {
    const { atMs, values } = JSON.parse(line) as { atMs: number; values: Record<string, number> };
    const temp = values['bean_temp'] ?? Number.NaN;
    if (!changedAt.has(temp)) changedAt.set(temp, atMs);
  }
  return changedAt;
};

const run: Bench['run'] = async (say) => {
  const folder = await mkdtemp(join(tmpdir(), 'roastery-wall-'));
  const stack = await startStack({ dataDir: join(folder, 'data') });
  try {
    const client = await signIn(stack.url, stack.admin);
    const replay = join(folder, 'steady-rise.alog');
    // Long enough that all machines roast from the first measurement to the last.
    await writeFile(replay, steadyRise(changes + 600));
    const serials = Array.from({ length: machines }, (_, n) => `WALL-${n + 1}`);
    const recordFile = (serial: string) => join(folder, `${serial}.jsonl`);
    for (const serial of serials) {
      const { auth_token: token } = await registerTestMachine(client, serial);
      await stack.startMachine({ serial, token, replay, recordFile: recordFile(serial), hz: 4 });
    }
    await until(
      'all roasts to begin',
      async () => (await client.call(listRoasts, { query: { status: 'in_progress' } })).total === machines,
      { timeoutMs: 300_000, everyMs: 2000 },
    );
    await using browser = await launchBrowser();
    await using watched = await openPage(browser, { viewport: { width: 1920, height: 1080 } });
    const { page } = watched;
    const [name = '', value = ''] = client.cookie.split('=');
    await page.context().addCookies([{ name, value, url: stack.url }]);
    await page.goto(`${stack.url}/wall`);
    await until(
      'all tiles to be live',
      async () => (await page.locator('[data-testid="wall-tile"][data-state="roasting"]').count()) === machines,
      { timeoutMs: 60_000, everyMs: 500 },
    );
    await watchTiles(page);
    say(`${machines} machines live on one wall, ${changes} changes in all`);
    const readSeen = () => page.evaluate(() => (window as Window & { seen?: Seen[] }).seen ?? []);
    const seen = await until(
      'enough changes to be on the screen',
      async () => {
        const all = await readSeen();
        return all.length >= changes && all;
      },
      { timeoutMs: changes * 1000 + 60_000, everyMs: 1000 },
    );
    const main = await taskSeconds(page);
    await main.slow(slowdown);
    await sleep(2000);
    const [before, from] = [await main.read(), performance.now()];
    await sleep(cpuSeconds * 1000);
    const share = ((await main.read()) - before) / ((performance.now() - from) / 1000);
    const latencies: number[] = [];
    for (const serial of serials) {
      const changedAt = await changedAtOf(recordFile(serial));
      const display = seen.filter(({ machine }) => machine.endsWith(serial));
      latencies.push(...display.slice(1).flatMap(({ temp, atMs }) => atMs - (changedAt.get(temp) ?? Number.NaN)));
    }
    const known = latencies.filter((latency) => Number.isFinite(latency));
    return [
      {
        what: `register change to value on the wall, ${machines} machines, p50`,
        value: percentile(known, 0.5),
        unit: 'ms',
        aim: { of: 'value', atMost: 200 },
      },
      {
        what: `register change to value on the wall, ${machines} machines, p99`,
        value: percentile(known, 0.99),
        unit: 'ms',
        aim: { of: 'value', atMost: 500 },
      },
      { what: 'changes measured', value: known.length, unit: 'changes' },
      {
        what: `main thread of the page, processor slowed ${slowdown} times`,
        value: share * 100,
        unit: '% of a core',
        aim: { of: 'value', atMost: 25 },
      },
    ];
  } finally {
    await stack.close();
    await rm(folder, { recursive: true, force: true });
  }
};

export default { title: 'The wall: all machines over one stream', run } satisfies Bench;
