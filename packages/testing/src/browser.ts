import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type Page } from 'playwright-core';
import { findChromium } from './chromium-binary.ts';

/** Nothing but the page under test: no sandbox (it needs privileges that containers lack), no calls home, no QUIC. */
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-quic',
  '--font-render-hinting=none',
];

/**
 * Starts a headless Chromium with nothing installed on the machine (about 0.1 s once unpacked).
 * `await using browser = await launchBrowser()` or `browser.close()`.
 * @param extraArguments further Chromium switches, for example `--js-flags=--expose-gc`
 */
export async function launchBrowser(extraArguments: readonly string[] = []): Promise<Browser> {
  const binary = await findChromium();
  return chromium.launch({
    executablePath: binary.executable,
    args: [...ARGUMENTS, ...extraArguments],
    env: { PATH: process.env['PATH'] ?? '', TZ: 'UTC', LANG: 'en_US.UTF-8', ...binary.env },
  });
}

/** The widths every screen is shown at, in CSS pixels. */
export const SCREEN = {
  desk: { width: 1440, height: 900 },
  tablet: { width: 820, height: 1180 },
  phone: { width: 390, height: 844 },
} as const;

export interface WatchedPage {
  page: Page;
  /** What the page complained about so far: console errors, uncaught exceptions, failed same-origin requests. */
  complaints: string[];
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** What every page is opened with. Transitions are off: a test sees the state after them. */
const pageDefaults = {
  viewport: SCREEN.desk,
  locale: 'en-US',
  timezoneId: 'UTC',
  serviceWorkers: 'block',
  reducedMotion: 'reduce',
} as const satisfies BrowserContextOptions;

const watch = (page: Page): string[] => {
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(`console: ${message.text()} (${message.location().url})`);
  });
  page.on('pageerror', (error) => complaints.push(`uncaught: ${error.message}`));
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText ?? 'failed';
    // A page aborts requests when it navigates away or closes a stream; that is no fault.
    if (reason !== 'net::ERR_ABORTED') complaints.push(`request: ${request.method()} ${request.url()} ${reason}`);
  });
  return complaints;
};

/**
 * A page in a context of its own (no cookies shared) that remembers every complaint.
 * @param options playwright's context options: `viewport`, `colorScheme: 'dark'`, `baseURL`, `storageState` …
 */
export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<WatchedPage> {
  const context = await browser.newContext({ ...pageDefaults, ...options });
  const page = await context.newPage();
  const close = () => context.close();
  return { page, complaints: watch(page), close, [Symbol.asyncDispose]: close };
}

export interface PageOptions extends BrowserContextOptions {
  /** With an empty HTTP cache, for tests of what a page does while the server does not answer. */
  withoutCache?: true;
}

export interface PagePool {
  /** A page without cookies and stored data, as after `openPage`; only its HTTP cache may hold files of the portal. */
  open(options?: PageOptions): Promise<WatchedPage>;
  [Symbol.asyncDispose](): Promise<void>;
}

const emptyStorage = async (page: Page, origin: string): Promise<void> => {
  const session = await page.context().newCDPSession(page);
  await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'local_storage,indexeddb,cache_storage' });
  await session.detach();
};

/**
 * Opens pages of one origin and uses their contexts again: loading and compiling the portal anew for each test is half of
 * what a short test costs. Contexts with permissions, service workers or
 * an empty cache are not reused.
 */
export const createPagePool = (browser: Browser, origin: string): PagePool => {
  const idle = new Map<string, BrowserContext[]>();
  const opened = new Set<BrowserContext>();
  const open: PagePool['open'] = async ({ withoutCache, ...options } = {}) => {
    const isForOnePage =
      withoutCache === true || options.permissions !== undefined || options.serviceWorkers === 'allow';
    const key = JSON.stringify(options);
    const used = isForOnePage ? undefined : idle.get(key)?.pop();
    const context = used ?? (await browser.newContext({ ...pageDefaults, baseURL: origin, ...options }));
    opened.add(context);
    const page = await context.newPage();
    if (used !== undefined) await emptyStorage(page, origin);
    const close = async () => {
      if (!opened.has(context)) return;
      opened.delete(context);
      if (isForOnePage) return context.close();
      await Promise.all(context.pages().map((one) => one.close()));
      await context.clearCookies();
      await context.unrouteAll();
      await context.setOffline(false);
      idle.set(key, [...(idle.get(key) ?? []), context]);
    };
    return { page, complaints: watch(page), close, [Symbol.asyncDispose]: close };
  };
  return {
    open,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([...opened, ...[...idle.values()].flat()].map((context) => context.close()));
    },
  };
};
