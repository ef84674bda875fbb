import path from 'node:path';
import { parseDuration } from '@roastery/roasting/units';
import { accessibilityFindings } from '@roastery/testing/accessibility';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/**
 * The sizes of the cockpit: desktop, tablet in landscape, tablet in portrait, phone; and the chart's smallest share of
 * the height.
 */
export const sizes = [
  { name: 'desk', width: 1440, height: 900, minShare: 0.45 },
  { name: 'tablet-flat', width: 1180, height: 820, minShare: 0.45 },
  { name: 'tablet', width: 820, height: 1180, minShare: 0.45 },
  { name: 'phone', width: 390, height: 844, minShare: 0.35 },
] as const;
interface Measured {
  /** Pixels by which content exceeds the window, or the page scrolls. */
  readonly outside: number;
  readonly chartShare: number;
  readonly chartPixels: number;
  readonly minButton: number;
}

/** Measures all of the cockpit against the window at once. */
export const measure = (page: Page): Promise<Measured> =>
  page.evaluate(() => {
    const { scrollHeight, scrollWidth } = document.documentElement;
    const parts = [
      ...document.querySelectorAll('[data-testid="cockpit"] > *, [data-mark], [data-testid="cockpit-chart"]'),
    ];
    const boxes = parts.map((part) => part.getBoundingClientRect());
    const over = boxes.map(({ left, top, right, bottom }) =>
      Math.max(-left, -top, right - innerWidth, bottom - innerHeight),
    );
    const chart = document.querySelector('[data-testid="cockpit-chart"] canvas')?.getBoundingClientRect();
    const buttons = [...document.querySelectorAll('[data-mark]')].map((one) => one.getBoundingClientRect());
    return {
      outside: Math.round(Math.max(scrollHeight - innerHeight, scrollWidth - innerWidth, ...over)),
      chartShare: (chart?.height ?? 0) / innerHeight,
      chartPixels: Math.round(chart?.height ?? 0),
      minButton: Math.min(...buttons.map(({ width, height }) => Math.min(width, height))),
    };
  });

/**
 * Checks a state of the cockpit at all sizes: nothing scrolls, the chart has its room.
 * @param inspected what axe inspects on a phone: the part that the screens of `screens.ts` do not have
 */
export const lookAround = async (page: Page, state: string, inspected?: string): Promise<void> => {
  const heights: string[] = [];
  for (const { name, width, height, minShare } of sizes) {
    await page.setViewportSize({ width, height });
    const at = `${state}, ${name}`;
    await expect.poll(() => measure(page).then(({ outside }) => outside), { message: at }).toBeLessThanOrEqual(0);
    await expect
      .poll(() => measure(page).then(({ chartShare }) => chartShare), { message: `${at}: chart` })
      .toBeGreaterThanOrEqual(minShare);
    const { chartPixels, minButton } = await measure(page);
    expect(minButton, `${at}: buttons`).toBeGreaterThanOrEqual(56);
    heights.push(`${name} ${chartPixels} px`);
    const folder = process.env['SCREENS_DIR'];
    if (folder !== undefined) await page.screenshot({ path: path.join(folder, `${state}-${name}.png`) });
  }
  if (inspected !== undefined) expect(await accessibilityFindings(page, inspected), state).toEqual([]);
  process.stdout.write(`chart heights, ${state}: ${heights.join(', ')}\n`);
  await page.setViewportSize({ width: 1180, height: 820 });
};

/**
 * Where the chart has this second since the charge, according to the readout at the pointer. The axis begins with the
 * first reading, so it depends on how long the machine was heated before.
 */
export const pixelOf = async (
  page: Page,
  box: { x: number; y: number; width: number; height: number },
  seconds: number,
) => {
  // The axis labels take 46 px on either side.
  let [low, high] = [box.x + 46, box.x + box.width - 46];
  while (high - low > 1) {
    const middle = (low + high) / 2;
    await page.mouse.move(middle, box.y + box.height / 2);
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(drawn)));
    const time = await page.getByTestId('chart-readout').locator('p').first().innerText();
    if ((parseDuration(time) ?? 0) < seconds) low = middle;
    else high = middle;
  }
  return high;
};

/** Rows that the four figures between batches take: drum, charge temperature, rate and time since the drop. */
export const rowsOfFigures = (page: Page): Promise<number> =>
  page.getByTestId('cockpit-between').evaluate(({ children }) => {
    const tops = [...children].slice(0, 4).map((tile) => tile.getBoundingClientRect().top);
    return new Set(tops).size;
  });
