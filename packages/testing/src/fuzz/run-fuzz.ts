import { me } from '@roastery/contract/auth';
import { endpointUrl } from '@roastery/stack/roastery-client';
import { openFuzzRoastery, type FuzzPlace, type FuzzRoastery, type LoopAlarm } from './fuzz-roastery.ts';
import { createRequestGenerator, type FuzzCaller, type FuzzRequest } from './request-generator.ts';
import { createSeededRandom } from './seeded-random.ts';
import { openFuzzConnections } from './send-request.ts';

export interface FuzzPlan extends Pick<FuzzPlace, 'dataDir' | 'databaseUrl'> {
  readonly seed: number;
  readonly requests: number;
  /** Ends earlier when this time has passed. */
  readonly maxMs?: number;
  readonly say?: (line: string) => void;
}

export interface FuzzReport {
  readonly sent: number;
  readonly byStatus: Readonly<Record<number, number>>;
  /** Answers of 5xx, missing answers, deaths of the api and what it logged as errors. */
  readonly faults: readonly string[];
  /** The event loop was late while its thread ran: each with the requests it was serving. */
  readonly alarms: readonly string[];
  /** Late although its thread did not run: other programs used the processor. */
  readonly lateForOthers: number;
  /** The longest time in ms that the loop was late and its thread ran. */
  readonly longestBusyMs: number;
}

export const fuzzAlarmMs = 250;
const atOnce = 8;
const answerMs = 30_000;
/** Requests change the records that others name, and may end a session. */
const renewEvery = 1000;
/** Stored, so that an alarm can be reported with its request. */
const remembered = 2000;
const shownFaults = 50;

const describe = ({ operation, method, target, body }: FuzzRequest): string =>
  `${operation}: ${method} ${target.slice(0, 300)}${body === undefined ? '' : ` ${body.slice(0, 400)} (${body.length} characters)`}`;

const isAlive = async (origin: string): Promise<boolean> => {
  try {
    return (await fetch(`${origin}/healthz`, { signal: AbortSignal.timeout(10_000) })).ok;
  } catch {
    // Unreachable, refused or too late: each counts as dead.
    return false;
  }
};

/** Signed in, again where a request ended the session. */
const renewed = async (roastery: FuzzRoastery, who: 'admin' | 'user', caller: FuzzCaller): Promise<FuzzCaller> => {
  const { status } = await fetch(endpointUrl(roastery.origin, me), { headers: { cookie: caller.cookie } });
  return status === 200 ? caller : roastery.callerOf(who);
};

/** Sends generated requests, alternately as admin and as user, and reports every failure. */
export const runFuzz = async ({ seed, requests, maxMs, say = () => undefined, ...place }: FuzzPlan) => {
  const faults: string[] = [];
  const alarms: string[] = [];
  const byStatus: Record<number, number> = {};
  const recent = new Map<number, FuzzRequest>();
  const inFlight = new Map<number, FuzzRequest>();
  const run = { sent: 0, lateForOthers: 0, longestBusyMs: 0, dead: false };
  const fault = (line: string): void => {
    if (faults.length < shownFaults) say(line);
    faults.push(line);
  };
  const onAlarm = ({ lateMs, busyMs, requests: open }: LoopAlarm): void => {
    // A start loads its modules and compiles them.
    if (run.sent === 0) return;
    if (busyMs !== null && busyMs <= fuzzAlarmMs) {
      run.lateForOthers += 1;
      return;
    }
    run.longestBusyMs = Math.max(run.longestBusyMs, busyMs ?? lateMs);
    const lines = open.map((line) => {
      const known = recent.get(Number(/^#(\d+)/.exec(line)?.[1]));
      return known === undefined ? line : describe(known);
    });
    const alarm = `event loop late by ${lateMs} ms (busy ${busyMs} ms) with\n    ${lines.join('\n    ')}`;
    say(alarm);
    alarms.push(alarm);
  };

  const roastery = await openFuzzRoastery({
    ...place,
    alarmMs: fuzzAlarmMs,
    onAlarm,
    onErrorLine: (line) => fault(`api: ${line.slice(0, 600)}`),
  });
  try {
    const { records } = roastery;
    const connections = openFuzzConnections(roastery.port, atOnce);
    const next = createRequestGenerator(createSeededRandom(seed), records.known);
    const callers = { admin: await roastery.callerOf('admin'), user: await roastery.callerOf('user') };
    const end = maxMs === undefined ? Number.POSITIVE_INFINITY : performance.now() + maxMs;
    let renewing = Promise.resolve();
    const renew = async (): Promise<void> => {
      await records.refresh();
      for (const who of ['admin', 'user'] as const) callers[who] = await renewed(roastery, who, callers[who]);
      if (run.sent % 10_000 === 0) say(`${run.sent} requests sent, ${faults.length} faults, ${alarms.length} alarms`);
    };

    const sendOne = async (): Promise<void> => {
      run.sent += 1;
      const id = run.sent;
      const fuzz = next(id % 2 === 0 ? callers.admin : callers.user);
      recent.set(id, fuzz);
      recent.delete(id - remembered);
      inFlight.set(id, fuzz);
      try {
        const { status, text } = await connections.send(fuzz, id, answerMs);
        byStatus[status] = (byStatus[status] ?? 0) + 1;
        if (status >= 500) fault(`${status} ${describe(fuzz)} → ${text.slice(0, 200)}`);
        if (/\bat .*\.(?:ts|js):\d+/.test(text))
          fault(`a stack in the answer to ${describe(fuzz)} → ${text.slice(0, 300)}`);
      } catch (error) {
        fault(`${String(error)}: ${describe(fuzz)}`);
        const isDead = !run.dead && !(await isAlive(roastery.origin));
        // Other requests in flight do the same at the same time.
        if (isDead && !run.dead) {
          run.dead = true;
          fault(`the event loop is dead; in flight:\n    ${[...inFlight.values()].map(describe).join('\n    ')}`);
        }
      } finally {
        inFlight.delete(id);
      }
    };
    const mayGoOn = (): boolean => run.sent < requests && !run.dead && performance.now() < end;
    const work = async (): Promise<void> => {
      while (mayGoOn()) {
        await sendOne();
        if (run.sent % renewEvery === 0) renewing = renewing.then(renew);
        await renewing;
      }
    };
    await Promise.all(Array.from({ length: atOnce }, work));
    connections.close();
    if (roastery.deaths() > 0) fault(`the api died ${roastery.deaths()} times`);
    if (!run.dead && !(await isAlive(roastery.origin))) fault('the api answers no more after the run');
  } finally {
    await roastery.close();
  }
  const { dead: _, ...figures } = run;
  return { ...figures, byStatus, faults, alarms } satisfies FuzzReport;
};
