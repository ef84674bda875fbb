import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getRoastCurveColumns } from '@roastery/contract/roasts';
import { startStack } from '@roastery/stack/stack';
import type { Browser, Page } from 'playwright-core';
import { serveBareUplot } from '../bare-uplot-page.ts';
import { percentile, type Bench, type Measurement } from '../bench.ts';
import { launchBrowser, openPage } from '../browser.ts';
import { noteFrames, timeOfStep, timeToFirstDrawing } from '../frame-times.ts';
import { longRoast } from '../long-roast.ts';
import { endpointUrl, registerTestMachine, signIn } from '../roastery-client.ts';
import { shipJournal } from '../ship-journal.ts';

const sizes = [3_600, 57_600];
/** Pages are opened in turn, ours and the bare one, so that a busy moment of the machine hits both. */
const openings = 7;
const steps = 60;

interface PageTimes {
  opened: number[];
  withData: number[];
  zoom: number[];
  pan: number[];
}

/** The wheel turned in and out over the middle of the chart, then Shift and drag to and fro while zoomed in. */
const measureSteps = async (
  page: Page,
  chart: { x: number; y: number; width: number; height: number },
  into: PageTimes,
) => {
  const [left, top] = [chart.x + chart.width * 0.5, chart.y + chart.height * 0.5];
  await timeOfStep(page, () => page.mouse.move(left, top));
  for (let n = 0; n < steps; n++) {
    const deltaY = n < 12 || n % 2 === 0 ? -100 : 100;
    into.zoom.push(await timeOfStep(page, () => page.mouse.wheel(0, deltaY)));
  }
  await page.keyboard.down('Shift');
  await page.mouse.down();
  for (let n = 0; n < steps; n++) {
    const offset = 40 * Math.sin((n / steps) * 4 * Math.PI) + (n % 2);
    const time = await timeOfStep(page, () => page.mouse.move(left + 4 * offset, top));
    // The first moves only wake the gesture.
    if (n >= 4) into.pan.push(time);
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
      say(`${points}: ${steps} steps of zooming and of panning on each`);
      await ourPage.page.bringToFront();
      const chart = await ourPage.page.getByTestId('roast-chart').boundingBox();
      if (!chart) throw new Error('there is no chart on the roast page');
      await measureSteps(ourPage.page, chart, times.ours);
      await uplotPage.page.bringToFront();
      const plot = await uplotPage.page.locator('.u-over').first().boundingBox();
      if (!plot) throw new Error('there is no plot on the bare page');
      await measureSteps(uplotPage.page, plot, times.bare);
      if (ourPage.complaints.length > 0) throw new Error(`the page complained: ${ourPage.complaints.join('; ')}`);

      const isLarge = size === sizes.at(-1);
      const ratio = isLarge ? ({ of: 'ratio', atMost: 1.2 } as const) : undefined;
      results.push(
        compare(`${points}: page opened to first drawing`, times.ours.opened, times.bare.opened, undefined),
        compare(`${points}: data arrived to first drawing`, times.ours.withData, times.bare.withData, ratio),
        compare(`${points}: zoom step p50`, times.ours.zoom, times.bare.zoom, undefined),
        compare(`${points}: zoom step p95`, times.ours.zoom, times.bare.zoom, undefined, 0.95),
        compare(`${points}: pan step p50`, times.ours.pan, times.bare.pan, ratio),
        {
          ...compare(`${points}: pan step p95`, times.ours.pan, times.bare.pan, undefined, 0.95),
          aim: { of: 'value', atMost: 32 },
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
