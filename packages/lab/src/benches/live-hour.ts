import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clientIdOf, topicOf, type LiveReading } from '@roastery/contract/mqtt';
import { uuidV7 } from '@roastery/runtime/uuid';
import { startStack } from '@roastery/stack/stack';
import { connectAsync } from 'mqtt';
import type { Page } from 'playwright-core';
import type { Bench } from '@roastery/testing/bench';
import { launchBrowser, openPage } from '@roastery/testing/browser';
import { createJournalBoard } from '@roastery/testing/journal-board';
import { registerTestMachine, signIn } from '@roastery/testing/roastery-client';
import { shipJournal } from '@roastery/testing/ship-journal';
import { until } from '@roastery/testing/until';

const hz = 4;
/** An hour of readings. */
const readings = Number(process.env['BENCH_READINGS'] ?? 3600 * hz);
/** This many readings per second are sent: fifteen times as fast as a machine. */
const pace = 15 * hz;
/** By then the page is warm: its code is compiled and its first drawings are done. */
const warmUp = 20 * hz;
const channels = ['bean_temp', 'exhaust_temp', 'burner_front_temp', 'burner_back_temp'] as const;
const outputs = ['heat_power', 'fan_speed', 'drum_speed', 'drum_pressure'] as const;
const serial = 'HOUR-1';

const valuesAt = (second: number): Record<string, number> => ({
  ...Object.fromEntries(channels.map((name, n) => [name, 150 + n * 20 + Math.round(second) / 100])),
  ...Object.fromEntries(outputs.map((name, n) => [name, 40 + ((n * 7 + Math.floor(second / 60)) % 50)])),
});

/** Megabytes that scripts hold after a full collection. */
const heldBy = async (page: Page): Promise<number> => {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('HeapProfiler.collectGarbage');
  const { usedSize } = await devtools.send('Runtime.getHeapUsage');
  await devtools.detach();
  return usedSize / 2 ** 20;
};

const run: Bench['run'] = async (say) => {
  const folder = await mkdtemp(join(tmpdir(), 'roastery-live-hour-'));
  const stack = await startStack({ dataDir: join(folder, 'data') });
  try {
    const admin = await signIn(stack.url, stack.admin);
    const { auth_token: token } = await registerTestMachine(admin, serial);
    const bootedAt = Date.now() - 60_000;
    const board = createJournalBoard({ channels: [...channels, ...outputs], wallOffsetMs: bootedAt });
    const roastId = uuidV7();
    const charge = { charge_mono: 30_000, state: 'in_progress' as const };
    for (let n = 0; n < 60 * hz; n++) board.sample((n * 1000) / hz, ...Object.values(valuesAt(n / hz)));
    board.event(60_000, { type: 'roast', roast_id: roastId, state: 'in_progress' });
    board.event(60_000, {
      type: 'mark',
      roast_id: roastId,
      kind: 'charge',
      at_seq: 30 * hz,
      at_mono: charge.charge_mono,
      temp: 180,
      origin: 'machine',
      confidence: 1,
      provisional: false,
    });
    const batches = board.batches(() => 600);
    await shipJournal(stack.mqttUrl, { serial, token }, batches);
    await using browser = await launchBrowser();
    await using watched = await openPage(browser);
    const { page } = watched;
    const [name = '', value = ''] = admin.cookie.split('=');
    await page.context().addCookies([{ name, value, url: stack.url }]);
    await page.goto(`${stack.url}/roasts/${roastId}`);
    await page.getByTestId('live-figures').waitFor();
    const client = await connectAsync(stack.mqttUrl, {
      clientId: clientIdOf(serial),
      username: serial,
      password: token,
    });
    try {
      const [first] = batches;
      if (first === undefined) throw new Error('the board wrote nothing');
      const readingAt = (n: number): LiveReading => ({
        v: 1,
        epoch: first.epoch,
        boot: first.boot,
        seq: board.length + n,
        mono: 60_000 + (n * 1000) / hz,
        t: bootedAt + 60_000 + (n * 1000) / hz,
        values: valuesAt(60 + n / hz),
        roast: { id: roastId, ...charge },
        phase: 'roasting',
      });
      const began = performance.now();
      const send = async (from: number, to: number): Promise<void> => {
        for (let n = from; n < to; n++) {
          await client.publishAsync(topicOf(serial, 'live'), JSON.stringify(readingAt(n)), { qos: 0 });
          const ahead = (n / pace) * 1000 - (performance.now() - began);
          if (ahead > 20) await new Promise((resolve) => setTimeout(resolve, ahead));
        }
        const shown = `${Math.floor((30 + to / hz) / 60)}:`;
        await until('the last reading to be shown', async () =>
          (await page.getByTestId('live-clock').innerText()).startsWith(shown),
        );
      };
      await send(0, warmUp);
      const before = await heldBy(page);
      say(`${readings} readings, ${pace} a second`);
      await send(warmUp, readings);
      const after = await heldBy(page);
      if (watched.complaints.length > 0) throw new Error(`the page complained: ${watched.complaints.join('; ')}`);
      return [
        { what: 'held by the page at first', value: before, unit: 'MB' },
        {
          what: 'more after an hour of readings at 4 Hz',
          value: after - before,
          unit: 'MB',
          aim: { of: 'value', atMost: 10 },
        },
      ];
    } finally {
      await client.endAsync();
    }
  } finally {
    await stack.close();
    await rm(folder, { recursive: true, force: true });
  }
};

export default { title: 'A live page that is open for an hour, accelerated', run } satisfies Bench;
