import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatDuration } from '@roastery/roasting/units';
import { startStack } from '@roastery/stack/stack';
import type { Browser, Page } from 'playwright-core';
import postgres from 'postgres';
import { expect, it } from 'vitest';
import { launchBrowser, openPage } from './browser.ts';
import { volume } from './endurance/volume.ts';
import { compareWithFile, markSeconds, replayRoast, type ReplayedRoast } from './replayed-roast.ts';
import { signIn } from './roastery-client.ts';
import { sharedData } from './shared-data.ts';

const data = sharedData();
/** A Probat that was warmed up for 14 minutes, a roast whose recording ends 6 s after its drop, one of 1.5 s a sample. */
const recordings = [
  '01_profile1.alog',
  ...volume(['03_profile3.alog', '15_25-06-03_1129-costa-rica-jaguar-honey_copy.alog'], []),
];
/** Of the quarter of an hour of preheat. Tests on whole files cover the detector during preheat. */
const beforeChargeSeconds = 90;
const factor = 8;
const hz = 2.5;
/**
 * Half of what a reading may take on a machine that runs other tests at the same time (0.5 s), by the hurried board's clock: a
 * sample of the file beside the right one. The bench looks closer, alone and at the roast's own pace.
 */
const toleranceSeconds = 0.25 * factor;
/** The stored sample nearest to five minutes. */
const inspecting = /^Inspecting (?:4:5[89]|5:0[0-2])$/;

const seconds = (text: string | null): number => {
  const [, minutes = '', rest = ''] = /(\d+):(\d\d)/.exec(text ?? '') ?? [];
  return Number(minutes) * 60 + Number(rest);
};

/** The figures of the page, as a roaster reads them, compared with the file. */
const expectPageShows = async (browser: Browser, origin: string, cookie: string, replayed: ReplayedRoast) => {
  const { file, roast, curve, chargedAt } = replayed;
  await using watched = await openPage(browser);
  const [name = '', value = ''] = cookie.split('=');
  await watched.page.context().addCookies([{ name, value, url: origin }]);
  await watched.page.goto(`${origin}/roasts/${roast.id}?at=300`);
  const panel = watched.page.getByLabel('Curves and markers');
  await panel.getByText(inspecting).waitFor();

  const drop = await panel.getByRole('button', { name: /^Drop/ }).textContent();
  const charge = await panel.getByRole('button', { name: /^Charge/ }).textContent();
  expect(charge).toContain('0:00');
  const lasted = markSeconds(file, 'drop') - markSeconds(file, 'charge');
  expect(Math.abs(seconds(drop) - lasted), `${drop} for ${formatDuration(lasted)}`).toBeLessThanOrEqual(10);
  expect(drop).toContain(`${roast.drop_temp?.toFixed(1)} °C`);
  // The marker has the reading of the first point; the mark has the level before the fall, without noise.
  const firstAt = curve.time_seconds.findIndex((time) => time >= 0);
  const first = curve.channels['bean_temp']?.[firstAt] ?? Number.NaN;
  expect(charge).toContain(`${first.toFixed(1)} °C`);
  // On a busy computer the first point is stored seconds after the charge, and the beans have fallen.
  const inFile = (second: number): number =>
    file.beanTempC[file.timesSeconds.findIndex((time) => time >= second)] ?? Number.NaN;
  const fallen = Math.abs(inFile(chargedAt) - inFile(chargedAt + (curve.time_seconds[firstAt] ?? Number.NaN)));
  expect(Math.abs((roast.charge_temp ?? Number.NaN) - first)).toBeLessThanOrEqual(1 + fallen);

  // The pinned point is the stored sample nearest to five minutes: it shows what the file has at that time.
  const shown = await panel.getByRole('region', { name: inspecting }).locator('dd').first().textContent();
  const nearest = curve.time_seconds.reduce((best, time) =>
    Math.abs(time - 300) < Math.abs(best - 300) ? time : best,
  );
  const around = file.beanTempC.filter((_, index) => {
    const from = file.timesSeconds[index] ?? 0;
    const to = file.timesSeconds[index + 1] ?? Number.POSITIVE_INFINITY;
    const at = nearest + chargedAt;
    return from <= at + toleranceSeconds && to >= at - toleranceSeconds;
  });
  expect(around.map((temp) => Math.abs((temp ?? 0) - Number.parseFloat(shown ?? '')) <= 0.0501)).toContain(true);
  expect(await beanPixels(watched.page), 'the bean curve is drawn').toBeGreaterThan(500);
  expect(watched.complaints).toEqual([]);
};

/** How many pixels of the temperature chart have the colour of the bean curve. */
const beanPixels = (page: Page): Promise<number> =>
  page.getByTestId('roast-chart').evaluate((chart) => {
    const sample = document.createElement('canvas').getContext('2d');
    const drawn = chart.querySelector('canvas');
    const canvas = drawn?.getContext('2d');
    if (!sample || !drawn || !canvas) return 0;
    sample.fillStyle = getComputedStyle(document.documentElement).getPropertyValue('--curve-bean');
    sample.fillRect(0, 0, 1, 1);
    const [red, green, blue] = sample.getImageData(0, 0, 1, 1).data;
    const pixels = canvas.getImageData(0, 0, drawn.width, drawn.height).data;
    let count = 0;
    for (let at = 0; at < pixels.length; at += 4) {
      if (pixels[at] === red && pixels[at + 1] === green && pixels[at + 2] === blue) count += 1;
    }
    return count;
  });

it.skipIf(!data.present)(
  `${recordings.length} real roasts: ${data.title('stored and shown as their files have them')}`,
  { timeout: 420_000 },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'roastery-real-roasts-'));
    const lines: string[] = [];
    const stack = await startStack({
      dataDir: join(folder, 'data'),
      onLine: (name, line) => lines.push(`${name}: ${line}`),
    });
    const sql = postgres(stack.databaseUrl, { max: 1, onnotice: () => undefined });
    try {
      const client = await signIn(stack.url, stack.admin);
      const replayed = await Promise.all(
        recordings.map((name, n) =>
          replayRoast(stack, client, sql, {
            serial: `REAL-${n + 1}`,
            file: data.path('alog', name),
            beforeChargeSeconds,
            factor,
            hz,
            recordFile: join(folder, `shown-${n + 1}.jsonl`),
          }),
        ),
      );
      await using browser = await launchBrowser();
      for (const [n, one] of replayed.entries()) {
        const { file, roast, chargedAt } = one;
        const name = recordings[n];
        const said = roast.marks.filter(({ kind }) => kind === 'charge' || kind === 'drop');
        expect(said.map(({ origin, provisional }) => [origin, provisional])).toEqual([
          ['detector', false],
          ['detector', false],
        ]);
        const charge = chargedAt - markSeconds(file, 'charge');
        const drop = chargedAt + (roast.duration_seconds ?? Number.NaN) - markSeconds(file, 'drop');
        expect(Math.abs(charge), `${name}: charge is ${charge.toFixed(1)} s off`).toBeLessThanOrEqual(5);
        expect(Math.abs(drop), `${name}: drop is ${drop.toFixed(1)} s off`).toBeLessThanOrEqual(5);

        const compared = compareWithFile(one, toleranceSeconds);
        expect(compared.foreign, `${name}: every stored sample is one of the file`).toEqual([]);
        // A sample takes 125 ms in this test: on a busy computer the board is late for some. The bench requires all.
        expect(compared.missing.length, `${name}: samples of the file that are not stored`).toBeLessThanOrEqual(
          compared.expected * 0.1,
        );
        await expectPageShows(browser, stack.url, client.cookie, one);
      }
    } catch (error) {
      throw new Error(`${String(error)}\nlast lines:\n${lines.slice(-40).join('\n')}`, { cause: error });
    } finally {
      await sql.end({ timeout: 1 });
      await stack.close();
      await rm(folder, { recursive: true, force: true });
    }
  },
);
