import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createUser } from '@roastery/contract/users';
import { registerMachine, type RegisteredMachine } from '@roastery/contract/machines';
import { startStack, type Stack } from '@roastery/stack/stack';
import { migrate } from '@roastery/api/db/migrate';
import { openDatabase } from '@roastery/api/db/sql';
import { createLogger } from '@roastery/runtime/logger';
import { createPagePool, launchBrowser, type PageOptions, type WatchedPage } from '@roastery/testing/browser';
import { signIn, type RoasteryClient } from '@roastery/testing/roastery-client';
import { createTestDatabase } from '@roastery/testing/test-database';
import type { Browser } from 'playwright-core';

export interface Person {
  full_name: string;
  email: string;
  password: string;
}

/** A roastery of its own for one file of tests, and pages that show it. */
export interface TestRoastery {
  readonly stack: Stack;
  /** The first admin, as a program. */
  readonly admin: RoasteryClient;
  /** Adds an ordinary user and signs them in, as a program. */
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

/** One browser per worker: the files of a worker share this module. It ends with the worker. */
let workerBrowser: Promise<Browser> | undefined;
const openBrowser = async (): Promise<Browser> => {
  const browser = await (workerBrowser ??= launchBrowser());
  if (browser.isConnected()) return browser;
  workerBrowser = launchBrowser();
  return workerBrowser;
};

/** Starts broker and api with portal on a database of its own. */
export const openRoastery = async (): Promise<TestRoastery> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'roastery-e2e-'));
  const database = await createTestDatabase(migratedTemplate);
  const lines: string[] = [];
  const stack = await startStack({
    dataDir: folder,
    databaseUrl: database.url,
    onLine: (name, line) => lines.push(`${name}: ${line}`),
  });
  const pages = createPagePool(await openBrowser(), stack.url);
  const admin = await signIn(stack.url, stack.admin);
  const openAs: TestRoastery['openAs'] = async (who, options = {}) => {
    const watched = await pages.open(options);
    watched.page.setDefaultTimeout(20_000);
    const [name = '', value = ''] = who?.cookie.split('=') ?? [];
    if (who !== null) await watched.page.context().addCookies([{ name, value, url: stack.url }]);
    return watched;
  };
  return {
    stack,
    admin,
    addPerson: async (person) => {
      await admin.call(createUser, { body: person });
      return signIn(stack.url, person);
    },
    openAs,
    [Symbol.asyncDispose]: async () => {
      await pages[Symbol.asyncDispose]();
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
