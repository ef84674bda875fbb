import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
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

/**
 * A page in a context of its own (no cookies shared) that remembers every complaint.
 * @param options playwright's context options: `viewport`, `colorScheme: 'dark'`, `baseURL`, `storageState` …
 */
export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<WatchedPage> {
  const context = await browser.newContext({
    viewport: SCREEN.desk,
    locale: 'en-US',
    timezoneId: 'UTC',
    serviceWorkers: 'block',
    ...options,
  });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(`console: ${message.text()} (${message.location().url})`);
  });
  page.on('pageerror', (error) => complaints.push(`uncaught: ${error.message}`));
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText ?? 'failed';
    // The page itself gives up requests when it navigates away or a stream is closed; that is no fault.
    if (reason !== 'net::ERR_ABORTED') complaints.push(`request: ${request.method()} ${request.url()} ${reason}`);
  });
  const close = () => context.close();
  return { page, complaints, close, [Symbol.asyncDispose]: close };
}
