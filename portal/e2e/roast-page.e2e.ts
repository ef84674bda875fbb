import { createProfile } from '@roastery/contract/profiles';
import type { RegisteredMachine } from '@roastery/contract/machines';
import { getRoastCurve } from '@roastery/contract/roast-curves';
import { getRoast, type Roast } from '@roastery/contract/roasts';
import { formatDuration } from '@roastery/roasting/units';
import { SCREEN } from '@roastery/testing/browser';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { RoasteryClient } from '@roastery/testing/roastery-client';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bringPastRoast } from './past-roast.ts';
import { anaRestrepo, openRoastery, register, type TestRoastery, visit } from './roastery.ts';

let roastery: TestRoastery;
let ana: RoasteryClient;
let probat: RegisteredMachine;
let roast: Roast;
beforeAll(async () => {
  roastery = await openRoastery();
  ana = await roastery.addPerson(anaRestrepo);
  probat = await register(ana, 'PRB-P25-0042', 'Probat P25');
  roast = await bringPastRoast(roastery.stack, ana, probat, {
    hz: 2,
    details: {
      coffee_name: 'Huila Pink Bourbon',
      coffee_origin: 'Colombia',
      coffee_process: 'Washed',
      roast_level: 'Medium-Light',
      batch_size_kg: 24,
    },
  });
});
afterAll(() => roastery[Symbol.asyncDispose]());

const chart = (page: Page): Locator => page.getByTestId('roast-chart');
const panel = (page: Page): Locator => page.getByRole('complementary', { name: 'Curves and markers' });
const open = async (page: Page, id: string): Promise<void> => {
  await page.goto(`/roasts/${id}`);
  await chart(page).locator('canvas').waitFor();
  await page.getByText(/[1-9][\d,]* points/).waitFor();
};
const markOf = (kind: string) => roast.marks.find((mark) => mark.kind === kind);
/** Clicks the plot at a part of its width. */
const clickAt = async (page: Page, share: number): Promise<void> => {
  const box = await chart(page).boundingBox();
  if (!box) throw new Error('no chart');
  await page.mouse.click(box.x + 46 + (box.width - 92) * share, box.y + 300);
};
/** Mostly red and green, little blue. */
const isYellow = (dot: Locator): Promise<boolean> =>
  dot.evaluate((element) => {
    const sample = document.createElement('canvas').getContext('2d');
    if (!sample) return false;
    sample.fillStyle = getComputedStyle(element).backgroundColor;
    sample.fillRect(0, 0, 1, 1);
    const [red = 0, green = 0, blue = 255] = sample.getImageData(0, 0, 1, 1).data;
    return red > 220 && green > 180 && blue < 120;
  });
/** How many pixels of the temperature chart have the colour of a curve. */
const pixelsOf = (page: Page, token: string): Promise<number> =>
  chart(page).evaluate((element, name) => {
    const sample = document.createElement('canvas').getContext('2d');
    const drawn = element.querySelector('canvas');
    const canvas = drawn?.getContext('2d');
    if (!sample || !drawn || !canvas) return -1;
    sample.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`);
    sample.fillRect(0, 0, 1, 1);
    const [red, green, blue] = sample.getImageData(0, 0, 1, 1).data;
    const { data } = canvas.getImageData(0, 0, drawn.width, drawn.height);
    let count = 0;
    for (let at = 0; at < data.length; at += 4) {
      if (data[at] === red && data[at + 1] === green && data[at + 2] === blue) count += 1;
    }
    return count;
  }, token);

describe('the page of a finished roast', () => {
  it('shows the coffee, the figures, and missing values [P42 P43 P44 P56 P92 P93]', async () => {
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await open(page, roast.id);
    const header = page.getByRole('main').locator('header').first();
    await expect.poll(() => header.innerText()).toContain(`PR-${roast.id.slice(0, 8)}`);
    await expect.poll(() => header.getByRole('heading', { level: 1 }).innerText()).toBe('Huila Pink Bourbon');
    for (const badge of ['Colombia', 'Medium-Light', 'Completed']) {
      await expect.poll(() => header.getByText(badge, { exact: true }).isVisible(), { message: badge }).toBe(true);
    }
    const development = `${formatDuration(roast.development_time_seconds)} · ${((roast.development_time_ratio ?? 0) * 100).toFixed(1)}%`;
    await expect
      .poll(async () => (await header.locator('dl').innerText()).split(/\n+/))
      .toEqual([
        'DURATION',
        formatDuration(roast.duration_seconds),
        'BATCH',
        '24.0 kg',
        'DROP TEMP',
        `${roast.drop_temp?.toFixed(1)} °C`,
        'CHARGE',
        `${roast.charge_temp?.toFixed(1)} °C`,
        'DEV TIME',
        development,
        'FIRST CRACK',
        formatDuration(roast.first_crack_time),
      ]);
    const cards = page.getByRole('main');
    await expect
      .poll(() => cards.innerText())
      .toMatch(/Coffee Details\s+Name\s+Huila Pink Bourbon\s+Origin\s+Colombia\s+Process\s+Washed\s+Profile\s+--/);
    await expect
      .poll(() => cards.innerText())
      .toMatch(/Roast Parameters\s+Duration\s+\d+:\d\d\s+Batch Size\s+24\.0 kg\s+Drop Temp\s+\d/);
    await page.getByRole('link', { name: 'Back to roasts' }).click();
    await page.waitForURL('**/roasts');
  });

  it('draws curves that can be switched off, stored under the document’s keys [P49 P51]', async () => {
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await open(page, roast.id);
    const toggles = panel(page).getByRole('region', { name: 'Curves' }).getByRole('button');
    await expect
      .poll(() => toggles.allInnerTexts())
      .toEqual(['Bean Temp', 'Exhaust Temp', 'Burner Front', 'Burner Back', 'Rate of Rise']);
    await expect.poll(() => pixelsOf(page, 'curve-bean')).toBeGreaterThan(400);
    await expect.poll(() => pixelsOf(page, 'curve-burner-front')).toBe(0);
    await page.getByRole('button', { name: 'Burner Front' }).click();
    await page.getByRole('button', { name: 'Bean Temp' }).click();
    await expect.poll(() => pixelsOf(page, 'curve-burner-front')).toBeGreaterThan(50);
    await expect.poll(() => pixelsOf(page, 'curve-bean')).toBe(0);
    for (const name of ['Exhaust Temp', 'Burner Back', 'Rate of Rise'])
      await page.getByRole('button', { name }).click();
    const kept = () =>
      page.evaluate(() =>
        ['showBeanTemp', 'showExhaustTemp', 'showBurnerFront', 'showBurnerBack', 'showROR'].map((key) =>
          localStorage.getItem(key),
        ),
      );
    await expect.poll(kept).toEqual(['false', 'false', 'true', 'true', 'false']);
    await page.reload();
    await toggles.first().waitFor();
    const pressed = () => toggles.evaluateAll((found) => found.map((one) => one.getAttribute('aria-pressed')));
    await expect.poll(pressed).toEqual(['false', 'false', 'true', 'true', 'false']);
  });

  it('shows the values of a clicked point, kept in the address, of one chosen by keyboard or by a mark, else of the last one [P50 P54]', async () => {
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await open(page, roast.id);
    const last = panel(page).getByRole('region', { name: 'Values at the last point' });
    await expect.poll(() => last.innerText()).toContain(formatDuration(roast.duration_seconds));
    await clickAt(page, 0.5);
    const inspected = panel(page).getByRole('region', { name: /^Inspecting \d+:\d\d$/ });
    await inspected.waitFor();
    const half = (roast.duration_seconds ?? 0) / 2;
    await page.waitForURL(/[?&]at=/);
    const at = Number(new URL(page.url()).searchParams.get('at'));
    expect(Math.abs(at - half), 'the point under the pointer').toBeLessThan(6);
    await expect
      .poll(() => inspected.locator('dt').allInnerTexts())
      .toEqual(['Bean Temp', 'Exhaust Temp', 'Burner Front', 'Burner Back', 'Rate of Rise', 'Roast time']);
    const values = await inspected.locator('dd').allInnerTexts();
    expect(values[5]).toBe(formatDuration(at));
    expect(values[0]).toMatch(/^1\d\d\.\d °C$/);
    expect(values[4]).toMatch(/^\d+\.\d °C\/min$/);
    await page.reload();
    await inspected.waitFor();
    await expect
      .poll(() => inspected.locator('dd').allInnerTexts(), { message: 'a link shows the same' })
      .toEqual(values);
    await inspected.getByRole('button', { name: 'Clear selection' }).click();
    await last.waitFor();
    await expect.poll(() => new URL(page.url()).searchParams.has('at')).toBe(false);

    await chart(page).focus();
    await page.keyboard.press('Home');
    await panel(page).getByRole('region', { name: 'Inspecting 0:00' }).waitFor();
    await page.keyboard.press('Shift+ArrowRight');
    await panel(page).getByRole('region', { name: 'Inspecting 0:05' }).waitFor();
    await page.keyboard.press('Escape');
    await panel(page).getByRole('region', { name: 'Values at the last point' }).waitFor();

    const markers = panel(page).getByRole('region', { name: 'Markers' }).getByRole('button').filter({ hasText: /\d/ });
    const texts = (await markers.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' '));
    const [crack, drop] = [markOf('first_crack'), markOf('drop')];
    const { datapoints } = await ana.call(getRoastCurve, { params: { id: roast.id } });
    expect(texts[0]).toBe(`Charge 0:00 ${datapoints[0]?.bean_temp?.toFixed(1)} °C`);
    const dot = page
      .getByRole('button', { name: /^First Crack \d/ })
      .locator('span')
      .first();
    for (const theme of ['light', 'dark']) {
      await page.evaluate((name) => document.documentElement.setAttribute('data-theme', name), theme);
      await expect.poll(() => isYellow(dot), { message: theme }).toBe(true);
    }
    expect(texts).toContain(`First Crack ${formatDuration(crack?.time_seconds)} ${crack?.temp?.toFixed(1)} °C`);
    expect(texts.at(-1)).toBe(`Drop ${formatDuration(drop?.time_seconds)} ${drop?.temp?.toFixed(1)} °C`);
    await panel(page)
      .getByRole('button', { name: /^First Crack \d/ })
      .click();
    await panel(page)
      .getByRole('region', { name: `Inspecting ${formatDuration(crack?.time_seconds)}` })
      .waitFor();
  });

  it('moves gas, airflow and drum with the curve: one time axis, one crosshair [P55]', async () => {
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await open(page, roast.id);
    const steps = ['Gas, burner power %', 'Airflow, exhaust damper %', 'Drum speed, %'];
    const plots = [chart(page), ...steps.map((name) => page.getByRole('figure', { name }))];
    const edges = async () => {
      const boxes = await Promise.all(plots.map((plot) => plot.locator('canvas').boundingBox()));
      return new Set(boxes.map((one) => `${one?.x} ${one?.width}`)).size;
    };
    await expect.poll(edges, { message: 'the plots stand under each other' }).toBe(1);
    const box = await chart(page).boundingBox();
    if (!box) throw new Error('no chart');
    await page.mouse.move(box.x + box.width * 0.4, box.y + 200);
    await page.getByTestId('chart-readout').waitFor();
    await expect
      .poll(() => page.getByTestId('chart-readout').innerText())
      .toMatch(/^\d:\d\d\s+BT\s+[\d.]+ °C\s+ET\s+[\d.]+ °C\s+RoR\s+[\d.]+ °C\/min$/);
    const gas = page.getByRole('figure', { name: steps[0] ?? '' });
    const underCrosshair = await gas.innerText();
    await page.mouse.move(box.x + box.width * 0.08, box.y + 200);
    await expect.poll(() => gas.innerText()).not.toBe(underCrosshair);

    await page.locator('[data-testid="roast-chart"][data-zoomable="true"]').waitFor();
    await page.mouse.move(box.x + box.width * 0.3, box.y + 200);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.6, box.y + 220, { steps: 5 });
    await page.mouse.up();
    await page.getByRole('button', { name: 'Show all' }).click();
    await expect
      .poll(
        () =>
          panel(page)
            .getByRole('region', { name: /^Inspecting/ })
            .count(),
        { message: 'a drag picks no point' },
      )
      .toBe(0);
    await page.getByRole('button', { name: 'Show all' }).waitFor({ state: 'detached' });
  });

  it('saves its edited description; the recorded curve stays [P45]', async () => {
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await open(page, roast.id);
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    const form = page.getByRole('dialog');
    await form.getByLabel('Coffee name').fill('Huila Sidra');
    await form.getByLabel('Batch size').fill('0');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('Batch must be greater than 0').waitFor();
    await form.getByLabel('Batch size').fill('23.5');
    await form.getByLabel('Roasted weight').fill('20.1');
    await form.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { level: 1, name: 'Huila Sidra' }).waitFor();
    await expect.poll(() => page.getByRole('main').innerText()).toMatch(/Weight Loss\s+14\.5 %/);
    const after = await ana.call(getRoast, { params: { id: roast.id } });
    expect(after.marks).toEqual(roast.marks);
    expect(after.duration_seconds).toBe(roast.duration_seconds);
  });

  it('shows its recipe’s reference behind the curve, and the deviation from it', async () => {
    const profile = await ana.call(createProfile, {
      body: {
        name: 'Huila filter',
        target_drop_temp: 209,
        control_profile: [
          { time: 0, burner: 100, exhaust: 30, drum: 60 },
          { time: 720, burner: 0, exhaust: 90, drum: 30 },
        ],
      },
    });
    const best = await bringPastRoast(roastery.stack, ana, probat, {
      seed: 5,
      charged: new Date(Date.now() - 90_000_000),
      details: { coffee_name: 'The good one', profile_id: profile.id, cupping_score: 88 },
    });
    const second = await bringPastRoast(roastery.stack, ana, probat, {
      seed: 9,
      fault: 'baked',
      charged: new Date(Date.now() - 80_000_000),
      details: { profile_id: profile.id },
    });
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await open(page, second.id);
    const note = page.getByText(/^Reference: /);
    await note.waitFor();
    await expect
      .poll(() => note.innerText())
      .toMatch(/The good one · off by \d+\.\d °C on average, \d+\.\d °C at most$/);
    await clickAt(page, 0.5);
    const inspected = panel(page).getByRole('region', { name: /^Inspecting/ });
    await expect.poll(() => inspected.innerText()).toMatch(/Bean vs reference\s+[+−]\d+\.\d °C/);
    await note.getByRole('link').click();
    await page.waitForURL(`**/roasts/${best.id}`);
  });

  it('scrolls under a finger on its chart, also after the zoom has loaded', async () => {
    await using phone = await roastery.openAs(ana, { viewport: SCREEN.phone, hasTouch: true, isMobile: true });
    const { page } = phone;
    await open(page, roast.id);
    const touch = await page.context().newCDPSession(page);
    const scrolled = () => page.evaluate(() => Math.round(scrollY));
    /** Swipes up by 120 px from the middle of the chart. */
    const swipe = async () => {
      await chart(page).scrollIntoViewIfNeeded();
      const box = await chart(page).boundingBox();
      if (!box) throw new Error('no chart');
      const x = Math.round(box.x + box.width / 2);
      const y = Math.round(Math.min(SCREEN.phone.height - 120, box.y + box.height / 2));
      const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', dy?: number) =>
        touch.send('Input.dispatchTouchEvent', { type, touchPoints: dy === undefined ? [] : [{ x, y: y - dy }] });
      await send('touchStart', 0);
      for (let dy = 10; dy <= 120; dy += 10) await send('touchMove', dy);
      await send('touchEnd');
    };
    await chart(page).scrollIntoViewIfNeeded();
    const start = await scrolled();
    await swipe();
    await expect.poll(scrolled).toBeGreaterThan(start + 50);
    await page.locator('[data-testid="roast-chart"][data-zoomable="true"]').waitFor();
    const between = await scrolled();
    await swipe();
    await expect.poll(scrolled, { message: 'the second swipe' }).toBeGreaterThan(between + 50);
    expect(phone.complaints).toEqual([]);
  });

  it('has two rows of buttons on a phone, the rest behind "…", and exports its chart as a picture to print [P45]', async () => {
    await using watched = await roastery.openAs(ana, { viewport: { width: 390, height: 844 }, colorScheme: 'dark' });
    const { page } = watched;
    await open(page, roast.id);
    const buttons = ['Compare', 'Export', 'Edit', 'Delete'].map((name) =>
      page
        .getByRole('link', { name })
        .or(page.getByRole('button', { name, exact: true }))
        .first(),
    );
    const tops = await Promise.all(buttons.map(async (button) => (await button.boundingBox())?.y));
    expect(new Set(tops).size).toBe(2);
    const recipe = page.getByRole('link', { name: 'Save as recipe' });
    await expect.poll(() => recipe.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Save as recipe' }).waitFor();
    await page.keyboard.press('Escape');

    // The picture to print is as large, and light also in the dark theme.
    await page.getByRole('button', { name: 'Export' }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'Chart PNG' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(`${roast.said_number}.png`);
    const png = await readFile(await download.path());
    expect(png.subarray(1, 4).toString()).toBe('PNG');
    expect([png.readUInt32BE(16), png.readUInt32BE(20)], 'A4 across at 300 dpi').toEqual([3507, 2478]);
    expect(png.readUInt32BE(png.indexOf('pHYs') + 4), 'dots a metre').toBe(11_811);
    const kept = process.env['SCREENS_DIR'];
    if (kept !== undefined) await writeFile(path.join(kept, 'roast-chart-printed.png'), png);
    const drawn = await page.evaluate(async (base64) => {
      const blob = new Blob([Uint8Array.from(atob(base64), (byte) => byte.codePointAt(0) ?? 0)]);
      const bitmap = await createImageBitmap(blob);
      const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
      const context = canvas.getContext('2d');
      if (!context) return { corner: [], red: 0, dark: 0 };
      context.drawImage(bitmap, 0, 0);
      const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height);
      const count = { red: 0, dark: 0 };
      for (let at = 0; at < data.length; at += 4) {
        const [red = 0, green = 0, blue = 0] = [data[at], data[at + 1], data[at + 2]];
        if (red > 150 && green < 70 && blue < 70) count.red += 1;
        if (red + green + blue < 150) count.dark += 1;
      }
      return { corner: [...data.subarray(0, 4)], ...count };
    }, png.toString('base64'));
    expect(drawn.corner, 'paper').toEqual([255, 255, 255, 255]);
    expect(drawn.red, 'the bean curve').toBeGreaterThan(10_000);
    expect(drawn.dark, 'words, not a dark ground').toBeLessThan(3507 * 2478 * 0.03);
  });

  it('interrupts the line where nothing was recorded, and shows duration and reason', async () => {
    const silences = [
      [200, 214],
      [320, 350],
    ] as const;
    const interrupted = await bringPastRoast(roastery.stack, ana, probat, { hz: 2, seed: 4, silences });
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await open(page, roast.id);
    const gaps = page.getByRole('list', { name: 'Gaps in the recording' });
    await page.getByText('Gas', { exact: true }).waitFor();
    await expect.poll(() => gaps.count(), { message: 'a whole record says nothing of gaps' }).toBe(0);
    await open(page, interrupted.id);
    await expect
      .poll(() => gaps.getByRole('listitem').allInnerTexts())
      .toEqual([
        expect.stringMatching(/^No readings for 0:1[45] from 3:(19|20): the machine did not answer$/),
        expect.stringMatching(/^No readings for 0:3[01] from 5:(19|20): the machine did not answer$/),
      ]);
    expect(watched.complaints).toEqual([]);
  });

  it('is deleted after the document’s confirmation [P46 P82 P94]', async () => {
    const doomed = await bringPastRoast(roastery.stack, ana, probat, { charged: new Date(Date.now() - 50_000_000) });
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await open(page, doomed.id);
    await expect.poll(() => page.getByRole('heading', { level: 1 }).innerText()).toBe('Unnamed Roast');
    await expect.poll(() => page.getByText('Soft', { exact: true }).isVisible()).toBe(true);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    const question = page.getByRole('alertdialog');
    await expect.poll(() => question.innerText()).toContain('Are you sure you want to delete this roast?');
    await page.route(`**/api/v1/roasts/${doomed.id}`, (route) => route.abort('connectionreset'));
    await question.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Failed to delete roast. Please try again.').waitFor();
    await question.waitFor({ state: 'detached' });
    await page.unroute(`**/api/v1/roasts/${doomed.id}`);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await question.getByRole('button', { name: 'Delete' }).click();
    await page.waitForURL('**/roasts');
    await visit(page, `/roasts/${doomed.id}`);
    await page.getByText('Roast not found').waitFor();
  });
});

it('a chart that throws: the page of a roast stays [P59 P84]', async () => {
  await using watched = await roastery.openAs(ana);
  const { page } = watched;
  await page.addInitScript(() => {
    HTMLCanvasElement.prototype.getContext = () => {
      throw new Error('this browser has no canvas');
    };
  });
  await page.goto(`/roasts/${roast.id}`);
  await page.getByText('Chart Error', { exact: true }).waitFor();
  await expect.poll(() => page.getByText('Chart Rendering Error').isVisible()).toBe(true);
  await expect.poll(() => page.getByRole('button', { name: 'Reload Page' }).isVisible()).toBe(true);
  await expect.poll(() => page.getByRole('heading', { level: 1 }).innerText()).toBe('Huila Sidra');
});
