/// <reference lib="dom" />
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listRoasts } from '@roastery/contract/roasts';
import { startStack } from '@roastery/stack/stack';
import type { Page } from 'playwright-core';
import { percentile, type Bench } from '@roastery/testing/bench';
import { launchBrowser, openPage } from '@roastery/testing/browser';
import { registerTestMachine, signIn } from '@roastery/testing/roastery-client';
import { until } from '@roastery/testing/until';

const changes = Number(process.env['BENCH_CHANGES'] ?? 320);
/** Played before the page is open: the agent starts, the machine charges, the browser signs in. */
const leadIn = 60;
const chargeAt = 10;

interface Seen {
  temp: number;
  /** Wall clock, ms. */
  atMs: number;
}

const list = (values: readonly number[]): string => `[${values.join(', ')}]`;

/**
 * An Artisan file whose bean temperature never repeats a value, so that a figure on the screen identifies its change.
 * Each value lasts 300 to 600 ms: longer than the interval at 4 Hz, and not in step with it.
 */
const steadyRise = (samples: number): string => {
  const times: number[] = [];
  const temps: number[] = [];
  let seconds = 0;
  let random = 11;
  for (let n = 0; n < samples; n++) {
    times.push(Math.round(seconds * 1000) / 1000);
    temps.push(Math.round((80 + n * 0.3) * 10) / 10);
    random = (Math.imul(random, 1_664_525) + 1_013_904_223) >>> 0;
    seconds += 0.3 + (random / 2 ** 32) * 0.3;
  }
  return `{'mode': 'C', 'timex': ${list(times)}, 'temp1': ${list(temps.map(() => 210))}, 'temp2': ${list(temps)}, 'timeindex': [${chargeAt}, 0, 0, 0, 0, 0, 0, 0]}`;
};

/** Records in the page each new bean temperature, as soon as it is in the document. */
const watchFigure = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const seen: Seen[] = [];
    Object.assign(window, { seen });
    const figure = document.querySelector('[data-testid="live-bean"]');
    if (!figure) throw new Error('the page has no live bean temperature');
    const read = (): void => {
      const temp = Number(figure.textContent);
      if (Number.isFinite(temp) && temp !== seen.at(-1)?.temp) seen.push({ temp, atMs: Date.now() });
    };
    new MutationObserver(read).observe(figure, { subtree: true, childList: true, characterData: true });
    read();
    if (seen.length === 0) throw new Error(`the live bean temperature says "${figure.textContent}"`);
  });

const run: Bench['run'] = async (say) => {
  const folder = await mkdtemp(join(tmpdir(), 'roastery-live-latency-'));
  const stack = await startStack({ dataDir: join(folder, 'data') });
  try {
    const client = await signIn(stack.url, stack.admin);
    const serial = 'LIVE-1';
    const { auth_token: token } = await registerTestMachine(client, serial);
    const replay = join(folder, 'steady-rise.alog');
    await writeFile(replay, steadyRise(changes + leadIn));
    const recordFile = join(folder, 'shown.jsonl');
    await stack.startMachine({ serial, token, replay, recordFile, hz: 4 });
    const roast = await until(
      'the roast to begin',
      async () => (await client.call(listRoasts)).roasts.find(({ status }) => status === 'in_progress'),
      { timeoutMs: 30_000 },
    );
    await using browser = await launchBrowser();
    await using watched = await openPage(browser);
    const [name = '', value = ''] = client.cookie.split('=');
    await watched.page.context().addCookies([{ name, value, url: stack.url }]);
    await watched.page.goto(`${stack.url}/roasts/${roast.id}`);
    await watched.page.locator('[data-testid="live-figures"][data-state="live"]').waitFor({ timeout: 20_000 });
    await watchFigure(watched.page);
    say(`${changes} changes at random, every 0.45 s on average`);
    const readSeen = () => watched.page.evaluate(() => (window as Window & { seen?: Seen[] }).seen ?? []);
    const last = Math.round((80 + (changes + leadIn - 1) * 0.3) * 10) / 10;
    const seen = await until(
      'the last change to be on the screen',
      async () => {
        const all = await readSeen();
        return all.at(-1)?.temp === last && all;
      },
      { timeoutMs: (changes + leadIn) * 600 + 30_000, everyMs: 1000 },
    );
    const shown = (await readFile(recordFile, 'utf8'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { atMs: number; values: Record<string, number> });
    const changedAt = new Map<number, number>();
    for (const { atMs, values } of shown) {
      const temp = values['bean_temp'] ?? Number.NaN;
      if (!changedAt.has(temp)) changedAt.set(temp, atMs);
    }
    // The first is the value at the start of the measurement.
    const latencies = seen.slice(1).map(({ temp, atMs }) => atMs - (changedAt.get(temp) ?? Number.NaN));
    const first = seen[1]?.temp ?? last;
    const due = [...changedAt.keys()].filter((temp) => temp >= first).length;
    return [
      {
        what: 'register change to value in the browser, p50',
        value: percentile(latencies, 0.5),
        unit: 'ms',
        aim: { of: 'value', atMost: 200 },
      },
      {
        what: 'register change to value in the browser, p99',
        value: percentile(latencies, 0.99),
        unit: 'ms',
        aim: { of: 'value', atMost: 500 },
      },
      { what: 'the slowest of them', value: Math.max(...latencies), unit: 'ms' },
      { what: 'changes seen', value: latencies.length, unit: 'changes' },
      { what: 'changes that were never on the screen', value: due - latencies.length, unit: 'changes' },
    ];
  } finally {
    await stack.close();
    await rm(folder, { recursive: true, force: true });
  }
};

export default { title: 'From the machine to the eye: live values at 4 Hz', run } satisfies Bench;
