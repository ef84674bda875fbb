import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { me } from '@roastery/contract/auth';
import { createUser } from '@roastery/contract/users';
import { startStack, type Stack } from '@roastery/stack/stack';
import { seedLargeRoastery } from '../large-roastery/seed.ts';
import type { RoasterySizes } from '../large-roastery/sizes.ts';
import { longRoast } from '../long-roast.ts';
import { registerTestMachine, signIn } from '../roastery-client.ts';
import { repositoryRoot } from '../shared-data.ts';
import { shipJournal } from '../ship-journal.ts';
import { openKnownRecords } from './known-records.ts';
import type { FuzzCaller } from './request-generator.ts';

/** Enough records of every kind for several pages, and few enough to be created in a second. */
const sizes: RoasterySizes = { users: 30, machines: 30, lots: 150, recipes: 60, roasts: 500, curves: 20, audit: 500 };
const samplesOfRoast = 600;
const roaster = { email: 'roaster@roastery.example', password: 'a long phrase for the one who roasts' };

export interface LoopAlarm {
  /** How late the event loop was. */
  readonly lateMs: number;
  /** CPU time of its thread in that time; null where the system does not report it. */
  readonly busyMs: number | null;
  /** `#id METHOD target` of the requests in progress. */
  readonly requests: readonly string[];
}

export interface FuzzPlace {
  readonly dataDir: string;
  /** A Postgres of the caller instead of one of its own. */
  readonly databaseUrl?: string;
  readonly alarmMs: number;
  readonly onAlarm: (alarm: LoopAlarm) => void;
  /** A line that the api logged as an error. */
  readonly onErrorLine: (line: string) => void;
}

const alarmOf = (line: string): LoopAlarm | undefined => {
  if (!line.startsWith('{"loopAlarm"')) return undefined;
  return (JSON.parse(line) as { loopAlarm: LoopAlarm }).loopAlarm;
};

/** A machine with recorded roasts of one user; returns its ids. */
const recordRoasts = async (stack: Stack, cookieOf: Awaited<ReturnType<typeof signIn>>, serial: string) => {
  const { auth_token: token } = await registerTestMachine(cookieOf, serial);
  for (const minutesAgo of [0, 30, 60]) {
    await shipJournal(stack.mqttUrl, { serial, token }, longRoast(samplesOfRoast, minutesAgo).batches);
  }
  return { serial, token };
};

/** A whole roastery with data, whose api reports a late event loop. */
export const openFuzzRoastery = async (place: FuzzPlace) => {
  const alarm = pathToFileURL(path.join(repositoryRoot(), 'packages', 'testing', 'bin', 'loop-alarm.mjs'));
  const stack = await startStack({
    dataDir: place.dataDir,
    databaseUrl: place.databaseUrl,
    logLevel: 'warn',
    apiNodeArgs: [`--import=${alarm.href}?ms=${place.alarmMs}`],
    onLine(part, line) {
      if (part !== 'api') return;
      const late = alarmOf(line);
      if (late !== undefined) place.onAlarm(late);
      else if (/"level":"(?:error|fatal)"/.test(line) || !line.startsWith('{')) place.onErrorLine(line);
    },
  });
  try {
    const admin = await signIn(stack.url, stack.admin);
    const { id: adminId } = await admin.call(me);
    const { id: roasterId } = await admin.call(createUser, { body: { full_name: 'Rosa Lind', ...roaster } });
    await seedLargeRoastery(stack.databaseUrl, sizes, { adminId, roasterId });
    const user = await signIn(stack.url, roaster);
    const board = await recordRoasts(stack, admin, 'FUZZ-1');
    await recordRoasts(stack, user, 'FUZZ-2');
    const secrets = JSON.parse(await readFile(path.join(place.dataDir, 'secrets.json'), 'utf8')) as {
      brokerSecret: string;
    };
    const records = await openKnownRecords(stack.databaseUrl, [adminId, roasterId]);
    const callerOf = async (who: 'admin' | 'user'): Promise<FuzzCaller> => {
      const { cookie } = await signIn(stack.url, who === 'admin' ? stack.admin : roaster);
      return { cookie, brokerSecret: secrets.brokerSecret, board };
    };
    return {
      port: stack.ports.http,
      origin: stack.url,
      records,
      callerOf,
      /** How often the api died. */
      deaths: () => stack.part('api').restarts,
      async close() {
        await records.close();
        await stack.close();
      },
    };
  } catch (error) {
    await stack.close();
    throw error;
  }
};
export type FuzzRoastery = Awaited<ReturnType<typeof openFuzzRoastery>>;
