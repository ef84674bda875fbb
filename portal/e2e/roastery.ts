import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createUser } from '@roastery/contract/users';
import { registerMachine, type RegisteredMachine } from '@roastery/contract/machines';
import { freePort } from '@roastery/stack/ports';
import { startStack, type Stack } from '@roastery/stack/stack';
import { migrate } from '@roastery/api/db/migrate';
import { openDatabase } from '@roastery/api/db/sql';
import { createLogger } from '@roastery/runtime/logger';
import {
  createPagePool,
  launchBrowser,
  type PageOptions,
  type PagePool,
  type WatchedPage,
} from '@roastery/testing/browser';
import { signIn, type RoasteryClient } from '@roastery/testing/roastery-client';
import { openSharedServers, type SharedServers } from '@roastery/testing/shared-servers';
import { createTestDatabase } from '@roastery/testing/test-database';
import type { Browser, Page } from 'playwright-core';

export interface Person {
  full_name: string;
  email: string;
  password: string;
}

/** A separate roastery for one test file, and pages that show it. */
export interface TestRoastery {
  readonly stack: Stack;
  /** Of its own database, to fill it directly. */
  readonly databaseUrl: string;
  /** The first admin, as an api client. */
  readonly admin: RoasteryClient;
  /** Adds an ordinary user and signs them in, as an api client. */
  addPerson(person: Person): Promise<RoasteryClient>;
  /** A page without stored data, signed in as `who`; signed out when `who` is null. Addresses may be given as paths. */
  openAs(who: RoasteryClient | null, options?: PageOptions): Promise<WatchedPage>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** The schema without rows, applied once per run. */
const migratedTemplate = {
  name: 'migrated',
  prepare: async (url: string) => {
    const log = createLogger('test', 'silent');
    const sql = openDatabase({ url, log });
    await migrate(sql, log);
    await sql.end();
  },
};

/** Shared by the files of a worker, since they share this module. It ends with the worker. */
interface WorkerParts {
  readonly browser: Browser;
  readonly servers: SharedServers;
  /** The same for each file, so that the browser already has the portal's files. */
  readonly ports: { readonly http: number; readonly mqtt: number };
  readonly pages: PagePool;
}

/** A small file of the portal that the browser shows as text: idle pages stay there. */
const still = '/sw.js';

/** Optimised code pays off after seconds in one document; tests stay for less, and compiling it is a fifth of the browser's work. */
const withoutOptimising = ['--js-flags=--no-opt --no-maglev'];

let workerParts: Promise<WorkerParts> | undefined;
const openWorkerParts = async (): Promise<WorkerParts> => {
  const [browser, http, mqtt] = await Promise.all([launchBrowser(withoutOptimising), freePort(), freePort()]);
  const pages = createPagePool(browser, `http://127.0.0.1:${http}`, still);
  return { browser, servers: openSharedServers(), ports: { http, mqtt }, pages };
};
const partsOfWorker = async (): Promise<WorkerParts> => {
  const parts = await (workerParts ??= openWorkerParts());
  if (parts.browser.isConnected() && parts.servers.isAlive()) return parts;
  workerParts = openWorkerParts();
  return workerParts;
};

export interface RoasteryOptions {
  /** Whether api and broker are processes of this roastery only, for tests that kill them. */
  ownServers?: boolean;
  /** Software for boards; by default there is none. */
  packagesDir?: string;
}

/** Starts broker and api with portal on a new database. */
export const openRoastery = async ({
  ownServers = false,
  packagesDir,
}: RoasteryOptions = {}): Promise<TestRoastery> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'roastery-e2e-'));
  const [database, worker] = await Promise.all([createTestDatabase(migratedTemplate), partsOfWorker()]);
  const { servers, ports } = worker;
  const stack = await startStack({
    dataDir: folder,
    databaseUrl: database.url,
    logLevel: 'error',
    packagesDir: packagesDir ?? path.join(folder, 'no-packages'),
    ...(ownServers ? {} : { servers, ports }),
  });
  const pages = ownServers ? createPagePool(worker.browser, stack.url, still) : worker.pages;
  const opened: WatchedPage[] = [];
  const admin = await signIn(stack.url, stack.admin);
  const openAs: TestRoastery['openAs'] = async (who, options = {}) => {
    const watched = await pages.open(options);
    opened.push(watched);
    // Of all its tabs.
    watched.page.context().setDefaultTimeout(60_000);
    const [name = '', value = ''] = who?.cookie.split('=') ?? [];
    if (who !== null) await watched.page.context().addCookies([{ name, value, url: stack.url }]);
    return watched;
  };
  return {
    stack,
    databaseUrl: database.url,
    admin,
    addPerson: async (person) => {
      await admin.call(createUser, { body: person });
      return signIn(stack.url, person);
    },
    openAs,
    [Symbol.asyncDispose]: async () => {
      await Promise.all(opened.map((watched) => watched.close()));
      if (ownServers) await pages[Symbol.asyncDispose]();
      await stack.close();
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
};

export const anaRestrepo: Person = {
  full_name: 'Ana Restrepo',
  email: 'ana@roastery.example',
  password: 'washed lots of Huila 12',
};
export const tomoIto: Person = {
  full_name: 'Tomo Ito',
  email: 'tomo@roastery.example',
  password: 'two drums and a cooler 7',
};

/** Registers a machine; its capacity follows its type. */
export const register = (
  owner: RoasteryClient,
  serialNumber: string,
  displayName: string,
  type: 'RM7' | 'RM15' | 'RM30' = 'RM30',
): Promise<RegisteredMachine> =>
  owner.call(registerMachine, {
    body: {
      serial_number: serialNumber,
      display_name: displayName,
      machine_type: type,
      max_capacity_kg: Number(type.slice(2)),
    },
  });

/**
 * Navigates like a link of the portal, which takes a quarter of the time of loading the portal. False if the same page
 * stays, or something covers the next one.
 */
export const goWithin = (page: Page, address: string): Promise<boolean> =>
  page.evaluate(async (to) => {
    const before = document.querySelector('h1');
    if (before === null || new URL(to, location.href).pathname === location.pathname) return false;
    history.pushState(null, '', to);
    dispatchEvent(new PopStateEvent('popstate'));
    for (let frames = 0; before.isConnected && frames < 120; frames++)
      await new Promise((resolve) => requestAnimationFrame(resolve));
    return !before.isConnected && document.querySelector('[role=dialog], [role=alertdialog], [role=menu]') === null;
  }, address);

/** Shows a page. The portal is loaded only where `page` does not show it yet: for tests whose subject is not the load. */
export const visit = async (page: Page, address: string): Promise<void> => {
  if (!(await goWithin(page, address))) await page.goto(address);
};

/** Records each tone that the browser plays to its end, in every page opened from now on; returns their pitches, Hz. */
export const listenForTones = async (page: Page): Promise<() => Promise<readonly number[]>> => {
  await page.addInitScript(() => {
    const heard: number[] = [];
    class HeardContext extends AudioContext {
      override createOscillator(): OscillatorNode {
        const tone = super.createOscillator();
        tone.addEventListener('ended', () => heard.push(tone.frequency.value));
        return tone;
      }
    }
    Object.assign(globalThis, { heard, AudioContext: HeardContext });
  });
  return () => page.evaluate(() => (globalThis as unknown as { heard: number[] }).heard);
};
