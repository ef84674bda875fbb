import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createUser } from '@roastery/contract/users';
import { registerMachine, type RegisteredMachine } from '@roastery/contract/machines';
import { startStack, type Stack } from '@roastery/stack/stack';
import { launchBrowser, openPage, type WatchedPage } from '@roastery/testing/browser';
import { signIn, type RoasteryClient } from '@roastery/testing/roastery-client';
import { createTestDatabase } from '@roastery/testing/test-database';
import type { Browser, BrowserContextOptions } from 'playwright-core';

export interface Person {
  full_name: string;
  email: string;
  password: string;
}

/** A roastery of its own for one file of tests, with a browser to look at it. */
export interface TestRoastery {
  readonly stack: Stack;
  readonly browser: Browser;
  /** The first admin, as a program. */
  readonly admin: RoasteryClient;
  /** Adds an ordinary user and signs them in, as a program. */
  addPerson(person: Person): Promise<RoasteryClient>;
  /** A fresh browser that somebody is signed in with; nobody when `who` is null. Addresses may be given as paths. */
  openAs(who: RoasteryClient | null, options?: BrowserContextOptions): Promise<WatchedPage>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts database, broker, api with portal, and a browser. */
export const openRoastery = async (): Promise<TestRoastery> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'roastery-e2e-'));
  const database = await createTestDatabase();
  const lines: string[] = [];
  const stack = await startStack({
    dataDir: folder,
    databaseUrl: database.url,
    onLine: (name, line) => lines.push(`${name}: ${line}`),
  });
  const browser = await launchBrowser();
  const admin = await signIn(stack.url, stack.admin);
  const openAs: TestRoastery['openAs'] = async (who, options = {}) => {
    const watched = await openPage(browser, { baseURL: stack.url, ...options });
    watched.page.setDefaultTimeout(20_000);
    const [name = '', value = ''] = who?.cookie.split('=') ?? [];
    if (who !== null) await watched.page.context().addCookies([{ name, value, url: stack.url }]);
    return watched;
  };
  return {
    stack,
    browser,
    admin,
    addPerson: async (person) => {
      await admin.call(createUser, { body: person });
      return signIn(stack.url, person);
    },
    openAs,
    [Symbol.asyncDispose]: async () => {
      await browser.close();
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
