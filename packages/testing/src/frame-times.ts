/// <reference lib="dom" />
import type { Page } from 'playwright-core';

/** The page's record of its own drawing. */
interface FrameTimes {
  /** ms since the page was opened at which the frame with the first curve was done. */
  firstDrawn: number | null;
  /** The same for the arrival of the curve's data. */
  dataArrived: number | null;
  /** Input to the end of the last frame that drew something for it, ms. */
  steps: number[];
}
declare global {
  interface Window {
    frameTimes: FrameTimes;
  }
}

/**
 * Runs in the page before anything else. Both Chart.js and uPlot stroke a curve as a Path2D, and nothing else does. A
 * frame is over when a message posted in its animation callback arrives.
 */
const watchFrames = (): void => {
  const times: FrameTimes = { firstDrawn: null, dataArrived: null, steps: [] };
  window.frameTimes = times;
  let drew = false;
  // oxlint-disable-next-line unicorn/consistent-function-scoping -- only what is in here goes into the page
  const afterFrame = (then: () => void): void => {
    requestAnimationFrame(() => {
      const channel = new MessageChannel();
      channel.port1.addEventListener('message', () => then());
      channel.port1.start();
      channel.port2.postMessage(null);
    });
  };
  // oxlint-disable-next-line typescript/unbound-method -- called with the context it was asked of
  const { stroke } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.stroke = function strokeAndNote(this: CanvasRenderingContext2D, path?: Path2D) {
    Reflect.apply(stroke, this, path === undefined ? [] : [path]);
    if (path === undefined) return;
    drew = true;
    if (times.firstDrawn === null) {
      times.firstDrawn = Number.NaN;
      afterFrame(() => {
        times.firstDrawn = performance.now();
      });
    }
  };
  for (const name of ['json', 'text'] as const) {
    const original = Response.prototype[name] as () => Promise<unknown>;
    Object.assign(Response.prototype, {
      async [name](this: Response) {
        const data = await original.call(this);
        if (this.url.includes('/curve')) times.dataArrived = performance.now();
        return data;
      },
    });
  }
  let isStepping = false;
  const step = (): void => {
    if (isStepping) return;
    isStepping = true;
    const began = performance.now();
    drew = false;
    let end = began;
    let idle = 0;
    const look = (): void => {
      if (drew) end = performance.now();
      idle = drew ? 0 : idle + 1;
      drew = false;
      if (idle < 2) return afterFrame(look);
      isStepping = false;
      times.steps.push(end - began);
    };
    afterFrame(look);
  };
  addEventListener('wheel', step, { capture: true, passive: true });
  addEventListener('pointermove', step, { capture: true });
};

/**
 * Opens an address and waits until its first curve is on the screen. Returns ms since navigation, and since the data
 * arrived.
 */
export const timeToFirstDrawing = async (page: Page, url: string): Promise<{ opened: number; withData: number }> => {
  await page.goto(url);
  await page.waitForFunction(() => Number.isFinite(window.frameTimes.firstDrawn ?? Number.NaN), undefined, {
    timeout: 60_000,
  });
  const { firstDrawn, dataArrived } = await page.evaluate(() => window.frameTimes);
  return { opened: firstDrawn ?? Number.NaN, withData: (firstDrawn ?? Number.NaN) - (dataArrived ?? Number.NaN) };
};

/** Makes a page record its own drawing; call before it is opened. */
export const noteFrames = async (page: Page): Promise<void> => {
  await page.addInitScript(watchFrames);
};

/** Sends one input and returns the ms from its arrival in the page to the end of the last frame it caused. */
export const timeOfStep = async (page: Page, input: () => Promise<void>): Promise<number> => {
  const before = await page.evaluate(() => window.frameTimes.steps.length);
  await input();
  await page.waitForFunction((count) => window.frameTimes.steps.length > count, before, { timeout: 20_000 });
  return page.evaluate(() => window.frameTimes.steps.at(-1) ?? Number.NaN);
};
