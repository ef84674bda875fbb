/// <reference lib="dom" />
import type { Browser, Page } from 'playwright-core';
import { openPage, SCREEN } from './browser.ts';
import { until } from './until.ts';

/** The page's record of its own loading, ms since navigation. */
interface LoadTimes {
  firstPaint: number | null;
  largestPaint: number | null;
  largestText: string;
  readonly longTasks: { readonly start: number; readonly duration: number }[];
}
declare global {
  interface Window {
    loadTimes: LoadTimes;
  }
}

/** A cheap phone on a slow mobile network. */
const processorSlowdown = 4;
const network = { offline: false, latency: 150, downloadThroughput: 1_600_000 / 8, uploadThroughput: 750_000 / 8 };
/** A longer task delays a touch. */
const longTaskMs = 50;
/** A page is loaded when it has neither sent requests nor computed for this long. */
const quietMs = 2000;
/** Reads that a page delays on purpose (`useSettled`): alarms, low stock, and suggestions of text fields. */
export const isReadLater = (path: string): boolean =>
  /\/alarms$|\/alerts$|\/settings\/options\/(?!machine_type)/.test(path);

/** The end of its script is reported to the session of the worker, not to that of the page. */
const isSharedWorker = (path: string): boolean => path.includes('/live-worker-');

/** Runs in the page before anything else. */
const watchLoading = (): void => {
  const times: LoadTimes = { firstPaint: null, largestPaint: null, largestText: '', longTasks: [] };
  window.loadTimes = times;
  // oxlint-disable-next-line unicorn/consistent-function-scoping -- only what is in here goes into the page
  const observe = (type: string, note: (entry: PerformanceEntry) => void): void =>
    new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type, buffered: true });
  observe('paint', ({ name, startTime }) => {
    if (name === 'first-contentful-paint') times.firstPaint = startTime;
  });
  observe('largest-contentful-paint', (entry) => {
    times.largestPaint = entry.startTime;
    if ('element' in entry && entry.element instanceof Element)
      times.largestText = entry.element.textContent.slice(0, 60);
  });
  observe('longtask', ({ startTime, duration }) => times.longTasks.push({ start: startTime, duration }));
};

export interface PageLoad {
  readonly largestPaintMs: number;
  readonly blockingMs: number;
  /** Except for delayed reads. */
  readonly requests: number;
  readonly laterRequests: number;
  /** Over the network, compressed, headers included. */
  readonly bytes: number;
  readonly longestTaskMs: number;
  /** Beginning of the text that was painted last as the largest. */
  readonly largestText: string;
}

/** Waits until there were no requests and no long tasks for a while. Streams of events stay open and don't count. */
const settle = async (
  page: Page,
  open: ReadonlyMap<string, string>,
  lastRequest: () => { path: string; at: number },
): Promise<void> => {
  const lastTask = () =>
    page.evaluate(
      () => performance.now() - Math.max(0, ...window.loadTimes.longTasks.map((t) => t.start + t.duration)),
    );
  await until(
    'the page to be loaded',
    async () => {
      if (open.size > 0) throw new Error(`open: ${[...open.values()].join(' ')}`);
      const { path, at } = lastRequest();
      if (performance.now() - at <= quietMs) throw new Error(`requested just now: ${path}`);
      if ((await lastTask()) <= quietMs) throw new Error('a long task just now');
      return true;
    },
    { timeoutMs: 60_000, everyMs: 200 },
  );
};

/** Opens an address like a phone that has never been there: nothing in its cache. */
export const openOnSlowPhone = async (browser: Browser, url: string, cookie: string | null): Promise<PageLoad> => {
  await using watched = await openPage(browser, {
    viewport: SCREEN.phone,
    deviceScaleFactor: 2,
    isMobile: true,
    hasTouch: true,
  });
  const { page } = watched;
  const [name = '', value = ''] = cookie?.split('=') ?? [];
  if (cookie !== null) await page.context().addCookies([{ name, value, url: new URL(url).origin }]);
  await page.addInitScript(watchLoading);
  const devtools = await page.context().newCDPSession(page);
  const open = new Map<string, string>();
  let [requests, laterRequests, bytes] = [0, 0, 0];
  let lastRequest = { path: '', at: performance.now() };
  devtools.on('Network.requestWillBeSent', ({ requestId, type, request }) => {
    const path = new URL(request.url).pathname;
    if (isReadLater(path)) laterRequests += 1;
    else requests += 1;
    lastRequest = { path, at: performance.now() };
    const hasEnd = type !== 'EventSource' && !request.url.startsWith('data:') && !isSharedWorker(path);
    if (hasEnd) open.set(requestId, path);
  });
  devtools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    bytes += encodedDataLength;
    lastRequest = { ...lastRequest, at: performance.now() };
    open.delete(requestId);
  });
  devtools.on('Network.loadingFailed', ({ requestId }) => open.delete(requestId));
  await devtools.send('Network.enable');
  await devtools.send('Network.emulateNetworkConditions', network);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: processorSlowdown });
  await page.goto(url, { waitUntil: 'commit' });
  await settle(page, open, () => lastRequest);
  const times = await page.evaluate(() => window.loadTimes);
  const tasks = times.longTasks.filter(({ start }) => start >= (times.firstPaint ?? 0));
  return {
    largestPaintMs: times.largestPaint ?? Number.NaN,
    blockingMs: tasks.reduce((sum, { duration }) => sum + Math.max(0, duration - longTaskMs), 0),
    longestTaskMs: Math.max(0, ...tasks.map(({ duration }) => duration)),
    largestText: times.largestText,
    requests,
    laterRequests,
    bytes,
  };
};
