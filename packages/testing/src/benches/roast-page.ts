import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getRoastCurveColumns } from '@roastery/contract/roasts';
import { startStack } from '@roastery/stack/stack';
import type { Browser, Locator, Page } from 'playwright-core';
import { serveBareUplot } from '../bare-uplot-page.ts';
import { percentile, type Bench, type Measurement } from '../bench.ts';
import { launchBrowser, openPage, type WatchedPage } from '../browser.ts';
import { noteFrames, timeOfStep, timeToFirstDrawing } from '../frame-times.ts';
import { longRoast } from '../long-roast.ts';
import { endpointUrl, registerTestMachine, signIn } from '../roastery-client.ts';
import { shipJournal } from '../ship-journal.ts';

const sizes = [3_600, 57_600];
/** Pages are opened in turn, ours and the bare one, so that a busy moment of the machine affects both. */
const openings = 15;
const rounds = 4;
const stepsARound = 20;

interface PageTimes {
  opened: number[];
  withData: number[];
  zoom: number[];
  pan: number[];
}

/** Moves that only wake the gesture. */
const waking = 4;

/**
 * One round: the wheel turned back and forth over the middle of the chart, then Shift and drag back and forth, with
 * half of the roast in the window.
 */
const measureSteps = async (watched: WatchedPage, chart: Locator, round: number, into: PageTimes): Promise<void> => {
  const { page } = watched;
  await page.bringToFront();
  const box = await chart.boundingBox();
  if (!box) throw new Error('there is no chart on the page');
  const [left, top] = [box.x + box.width * 0.5, box.y + box.height * 0.5];
  await timeOfStep(page, () => page.mouse.move(left, top));
  const zoom = (deltaY: number) => timeOfStep(page, () => page.mouse.wheel(0, deltaY));
  if (round === 0) for (let n = 0; n < 7; n++) await zoom(-100);
  for (let n = 0; n < stepsARound; n++) into.zoom.push(await zoom(n % 2 === 0 ? 100 : -100));
  await page.keyboard.down('Shift');
  await page.mouse.down();
  const moves = stepsARound + waking;
  for (let n = 1; n <= moves; n++) {
    // To one side, to the other and back, so that no round begins closer to an end of the roast than the previous one.
    const offset = 150 * Math.sin((n / moves) * 2 * Math.PI);
    const time = await timeOfStep(page, () => page.mouse.move(left + offset, top));
    if (n > waking) into.pan.push(time);
  }
  await page.mouse.up();
  await page.keyboard.up('Shift');
};

const openSignedIn = async (browser: Browser, origin: string, cookie: string) => {
  const watched = await openPage(browser);
  const [name = '', value = ''] = cookie.split('=');
  await watched.page.context().addCookies([{ name, value, url: origin }]);
  await noteFrames(watched.page);
  // All five curves, as the bare page draws them.
  await watched.page.addInitScript(() => {
    for (const key of ['showBurnerFront', 'showBurnerBack']) localStorage.setItem(key, 'true');
  });
  return watched;
};

const compare = (
  what: string,
  ours: readonly number[],
  bare: readonly number[],
  aim: Measurement['aim'],
  share = 0.5,
): Measurement => ({
  what,
  value: percentile(ours, share),
  unit: 'ms',
  against: { what: 'bare uPlot', value: percentile(bare, share) },
  ...(aim === undefined ? {} : { aim }),
});

const run: Bench['run'] = async (say) => {
  const folder = await mkdtemp(join(tmpdir(), 'roastery-roast-page-'));
  const stack = await startStack({ dataDir: join(folder, 'data') });
  try {
    const client = await signIn(stack.url, stack.admin);
    const serial = 'PAGE-1';
    const { auth_token: token } = await registerTestMachine(client, serial);
    await using browser = await launchBrowser(['--disable-web-security']);
    await using bare = await serveBareUplot();
    const results: Measurement[] = [];
    for (const size of sizes) {
      const points = `${size.toLocaleString('en-US')} points`;
      say(`${points}: through broker and ingest into the database`);
      const { roastId, batches } = longRoast(size);
      await shipJournal(stack.mqttUrl, { serial, token }, batches);
      const curve = await client.call(getRoastCurveColumns, { params: { id: roastId } });
      if (curve.time_seconds.length !== size) throw new Error(`stored ${curve.time_seconds.length} of ${size} samples`);
      const address = endpointUrl(stack.url, getRoastCurveColumns, { id: roastId });

      await using ourPage = await openSignedIn(browser, stack.url, client.cookie);
      await using uplotPage = await openSignedIn(browser, stack.url, client.cookie);
      const times = { ours: emptyTimes(), bare: emptyTimes() };
      let uplotUrl = '';
      const ourUrl = `${stack.url}/roasts/${roastId}`;
      say(`${points}: opening both pages ${openings} times`);
      for (let n = 0; n <= openings; n++) {
        const our = await timeToFirstDrawing(ourPage.page, ourUrl);
        if (uplotUrl === '') uplotUrl = bare.url(address, await canvasSizes(ourPage.page));
        const other = await timeToFirstDrawing(uplotPage.page, uplotUrl);
        // The first opening of each fills the browser's caches.
        if (n === 0) continue;
        for (const [into, time] of [
          [times.ours, our],
          [times.bare, other],
        ] as const) {
          into.opened.push(time.opened);
          into.withData.push(time.withData);
        }
      }
      say(`${points}: ${rounds * stepsARound} steps of zooming and of panning on each`);
      await ourPage.page.getByTestId('roast-chart').hover();
      await ourPage.page.locator('[data-testid="roast-chart"][data-zoomable="true"]').waitFor();
      for (let round = 0; round < rounds; round++) {
        await measureSteps(ourPage, ourPage.page.getByTestId('roast-chart'), round, times.ours);
        await measureSteps(uplotPage, uplotPage.page.locator('.u-over').first(), round, times.bare);
      }
      const idle = [...times.ours.pan, ...times.bare.pan].filter((time) => time === 0).length;
      if (idle > 0) throw new Error(`${idle} steps of panning drew nothing`);
      if (ourPage.complaints.length > 0) throw new Error(`the page complained: ${ourPage.complaints.join('; ')}`);

      const ratio = { of: 'ratio', atMost: 1.2 } as const;
      results.push(
        compare(`${points}: page opened to first drawing`, times.ours.opened, times.bare.opened, undefined),
        compare(`${points}: data arrived to first drawing`, times.ours.withData, times.bare.withData, ratio),
        compare(`${points}: zoom step p50`, times.ours.zoom, times.bare.zoom, undefined),
        compare(`${points}: zoom step p95`, times.ours.zoom, times.bare.zoom, undefined, 0.95),
        compare(`${points}: pan step p50`, times.ours.pan, times.bare.pan, ratio),
        {
          ...compare(`${points}: pan step p95`, times.ours.pan, times.bare.pan, undefined, 0.95),
          aim: { of: 'value', atMost: 16 },
        },
      );
    }
    return results;
  } finally {
    await stack.close();
    await rm(folder, { recursive: true, force: true });
  }
};

const emptyTimes = (): PageTimes => ({ opened: [], withData: [], zoom: [], pan: [] });

/** CSS pixels of our temperature chart and of one of the three under it, for the bare page to draw the same. */
const canvasSizes = async (page: Page) => {
  const canvases = page.locator('canvas');
  const [large, small] = [await canvases.nth(0).boundingBox(), await canvases.nth(1).boundingBox()];
  if (!large || !small) throw new Error('the charts of the roast page are missing');
  return { width: large.width, height: large.height, smallWidth: small.width, smallHeight: small.height };
};

export default { title: 'The roast page in a browser, beside a bare uPlot page', run } satisfies Bench;
