import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Disposable,
  type Page,
} from 'playwright-core';
import { findChromium } from './chromium-binary.ts';
import { memoryFolder } from './shared-data.ts';

/** Only the page under test: no sandbox (it needs privileges that containers lack), no calls home, no QUIC. */
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
    // Its processes share data through thousands of files, which a file system on a disk creates and removes slowly.
    ignoreDefaultArgs: memoryFolder === undefined ? [] : ['--disable-dev-shm-usage'],
    env: { PATH: process.env['PATH'] ?? '', TZ: 'UTC', LANG: 'en_US.UTF-8', ...binary.env },
  });
}

/** The widths every screen is shown at, in CSS pixels. */
export const SCREEN = {
  desk: { width: 1440, height: 900 },
  /** The desk at a zoom of 200 %. */
  zoomed: { width: 720, height: 450 },
  tablet: { width: 820, height: 1180 },
  phone: { width: 390, height: 844 },
} as const;

export interface WatchedPage {
  page: Page;
  /** The complaints of a page so far: console errors, uncaught exceptions, failed same-origin requests. */
  complaints: string[];
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Options of every page. Transitions are off: a test sees the final state. */
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
    // A page aborts requests when it navigates away or closes a stream; that is not an error.
    if (reason !== 'net::ERR_ABORTED') complaints.push(`request: ${request.method()} ${request.url()} ${reason}`);
  });
  return complaints;
};

/**
 * A page in a context of its own (no cookies shared) that records every complaint.
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
  /**
   * A page without cookies and stored data, as after `openPage`; only its HTTP cache may contain files of the portal.
   */
  open(options?: PageOptions): Promise<WatchedPage>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Events that tests listen to. Playwright listens to others itself. */
const watchedEvents = [
  'console',
  'dialog',
  'download',
  'framenavigated',
  'pageerror',
  'popup',
  'request',
  'requestfailed',
  'requestfinished',
  'response',
  'websocket',
] as const;

/** What a test added to a page: `undo` removes it. A stopped clock of the page can't be removed. */
interface Changes {
  isForOneTest: boolean;
  readonly undo: Set<() => Promise<void>>;
}

const noteChanges = (page: Page): Changes => {
  const changes: Changes = { isForOneTest: false, undo: new Set() };
  const context = page.context();
  for (const [on, name] of [
    [page, 'addInitScript'],
    [page, 'exposeFunction'],
    [page, 'exposeBinding'],
    [context, 'addInitScript'],
  ] as const) {
    const original = (Reflect.get(on, name) as (...given: unknown[]) => Promise<Disposable>).bind(on);
    Reflect.set(on, name, async (...given: unknown[]) => {
      const added = await original(...given);
      changes.undo.add(() => added.dispose());
      return added;
    });
  }
  const install = page.clock.install.bind(page.clock);
  page.clock.install = (...given) => {
    changes.isForOneTest = true;
    return install(...given);
  };
  const open = context.newCDPSession.bind(context);
  context.newCDPSession = async (target) => {
    const session = await open(target);
    // Its settings end with it.
    changes.undo.add(() => session.detach());
    return session;
  };
  return changes;
};

const probe = '/is-routed';

/** Chromium routes requests of a shown page some milliseconds after `route`; until then they reach the server. */
const routeAtOnce = (page: Page): void => {
  const route = page.route.bind(page);
  page.route = async (...given) => {
    const added = await route(...given);
    if (!page.url().startsWith('http')) return added;
    await route(`**${probe}`, (asked) => asked.fulfill({ body: probe }));
    while ((await page.evaluate(async (address) => (await fetch(address)).text(), probe)) !== probe);
    await page.unroute(`**${probe}`);
    return added;
  };
};

interface ShownPage {
  readonly page: Page;
  readonly complaints: readonly string[];
}

const openPages = new Set<ShownPage>();
const looksAtClose: string[] = [];

/** What a person would see in its tabs. One that does not answer must not hold the test. */
const lookOf = async ({ page, complaints }: ShownPage): Promise<string> => {
  const tabs = page
    .context()
    .pages()
    .map(async (tab) => {
      const text = tab.locator('body').innerText({ timeout: 2000 });
      return `${tab.url()} showed:\n${await text.catch((error: Error) => error.message)}`;
    });
  return [...(await Promise.all(tabs)), ...complaints].join('\n\n');
};

/** The looks of pooled pages that were closed since the last call. */
export const takeLooksOfClosedPages = (): string[] => looksAtClose.splice(0);

/** The looks of pooled pages that are in use. */
export const looksOfOpenPages = (): Promise<string[]> => Promise.all([...openPages].map(lookOf));

/** A page keeps some memory of each document it has shown. */
const maxUses = 100;

interface PooledPage {
  readonly page: Page;
  uses: number;
  readonly changes: Changes;
}

/** Resets a page to the state of a new one, on a small file of its origin. */
const resetPage = async ({ page, changes }: PooledPage, still: string): Promise<void> => {
  const context = page.context();
  for (const name of watchedEvents) page.removeAllListeners(name);
  // A form with changes prompts before it is left.
  page.on('dialog', (dialog) => void dialog.accept());
  await context.setOffline(false);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await context.unrouteAll({ behavior: 'ignoreErrors' });
  await Promise.all([...changes.undo].map((undo) => undo()));
  changes.undo.clear();
  await page.goto(still);
  page.removeAllListeners('dialog');
  await page.evaluate(() => sessionStorage.clear());
  await context.clearCookies();
  const session = await context.newCDPSession(page);
  const storageTypes = 'local_storage,indexeddb,cache_storage';
  await session.send('Storage.clearDataForOrigin', { origin: new URL(page.url()).origin, storageTypes });
  await session.send('Page.resetNavigationHistory');
};

/** Gives a page that was used before the look of a new one with these options. */
const setLook = async (page: Page, { viewport, colorScheme, reducedMotion }: BrowserContextOptions): Promise<void> => {
  await page.emulateMedia({
    media: null,
    colorScheme: colorScheme ?? 'light',
    reducedMotion: reducedMotion ?? pageDefaults.reducedMotion,
    forcedColors: null,
  });
  if (viewport !== null) await page.setViewportSize(viewport ?? pageDefaults.viewport);
};

/** What `setLook` does not change. */
const kindOf = (options: BrowserContextOptions): string =>
  JSON.stringify({ ...options, viewport: options.viewport === null, colorScheme: null, reducedMotion: null });

/**
 * Opens pages of one origin and reuses them: a new process of the browser that compiles the portal again is most of the
 * cost of a short test. Pages with permissions, service workers or a clock of a test are not reused.
 * @param still path of a small file that the origin serves; idle pages stay there
 */
export const createPagePool = (browser: Browser, origin: string, still: string): PagePool => {
  const idle = new Map<string, PooledPage[]>();
  const contexts = new Set<BrowserContext>();
  const openNew = async (options: BrowserContextOptions): Promise<PooledPage> => {
    const context = await browser.newContext({ ...pageDefaults, baseURL: origin, ...options });
    contexts.add(context);
    const page = await context.newPage();
    routeAtOnce(page);
    return { page, uses: 0, changes: noteChanges(page) };
  };
  const open: PagePool['open'] = async ({ withoutCache, ...options } = {}) => {
    const isForOneTest = options.permissions !== undefined || options.serviceWorkers === 'allow';
    const kind = kindOf(options);
    const reused = isForOneTest ? undefined : idle.get(kind)?.pop();
    if (reused !== undefined) await setLook(reused.page, options);
    const pooled = reused ?? (await openNew(options));
    const { page, changes } = pooled;
    const context = page.context();
    if (withoutCache === true) await (await context.newCDPSession(page)).send('Network.clearBrowserCache');
    const discard = async () => {
      contexts.delete(context);
      await context.close();
    };
    let isClosed = false;
    const close = async () => {
      if (isClosed) return;
      isClosed = true;
      openPages.delete(shown);
      looksAtClose.push(await lookOf(shown));
      pooled.uses += 1;
      const isSpent = pooled.uses >= maxUses || changes.isForOneTest || page.isClosed();
      if (isForOneTest || isSpent) return discard();
      try {
        await Promise.all(context.pages().flatMap((one) => (one === page ? [] : [one.close()])));
        await resetPage(pooled, still);
        idle.set(kind, [...(idle.get(kind) ?? []), pooled]);
      } catch {
        // Its server may have ended: the next test gets a new one.
        await discard();
      }
    };
    const shown = { page, complaints: watch(page) };
    openPages.add(shown);
    return { ...shown, close, [Symbol.asyncDispose]: close };
  };
  return {
    open,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([...contexts].map((context) => context.close()));
    },
  };
};
