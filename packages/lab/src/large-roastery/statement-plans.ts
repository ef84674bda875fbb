import { cleanUp } from '@roastery/api/housekeeping';
import { openDatabase } from '@roastery/api/db/sql';
import { sweep } from '@roastery/api/ingest/sweeper';
import { createLogger } from '@roastery/runtime/logger';
import { startStack, type StackOptions } from '@roastery/stack/stack';
import { until } from '@roastery/testing/until';
import { addressOf } from './measure-calls.ts';
import { isRequestLine, planInLine, planNotices, type ToldPlan } from '@roastery/testing/large-roastery/query-plans';
import { bigTables, tooManyRows, tooMuchRead } from '@roastery/testing/large-roastery/read-share';
import type { Person } from './people.ts';
import { timedGet } from './timed-call.ts';

const isPlan = (plan: ToldPlan | undefined): plan is ToldPlan => plan !== undefined;

/**
 * Plans of the statements that run every minute and every hour, sealing among them: with all samples old, not swept yet and not
 * sealed.
 */
export const plansOfHousekeeping = async (databaseUrl: string): Promise<ToldPlan[]> => {
  let lines: string[] = [];
  const log = createLogger('housekeeping', 'debug', { write: (line) => void lines.push(line) });
  const sql = openDatabase({ url: databaseUrl, log });
  // The work that is due once after an import of years is done.
  await cleanUp(sql, log);
  await sql`UPDATE recordings SET unswept_since = '-infinity', sealed_seq = 0`;
  lines = [];
  await cleanUp(sql, log);
  await sweep(sql, log);
  await sweep(sql, log);
  await sql.end();
  return lines.map(planInLine).filter(isPlan);
};

/**
 * Requests everything once while Postgres reports its plans. Returns one text for each statement that discards a tenth
 * of a big table, with the call that runs it.
 */
export const wastefulStatements = async (
  options: StackOptions,
  signInPeople: (stack: {
    url: string;
    databaseUrl: string;
    admin: { email: string; password: string };
  }) => Promise<Person[]>,
): Promise<string[]> => {
  const heard: string[] = [];
  await using stack = await startStack({
    ...options,
    logLevel: 'debug',
    databaseSettings: { ...options.databaseSettings, ...planNotices },
    onLine: (part, line) => void (part === 'api' && heard.push(line)),
  });
  const big = await bigTables(stack.databaseUrl);
  // If many calls run the same statement, one of them is named.
  const complaints = new Map<string, string>();
  for (const person of await signInPeople(stack)) {
    for (const call of person.calls) {
      const address = await addressOf(person, call, 0);
      heard.length = 0;
      const { status } = await timedGet(address, person.cookie, { whole: true });
      if (status !== 200) throw new Error(`${call.what} for ${person.who} answered ${status}: ${address}`);
      await until('the api to note the request', () => heard.some(isRequestLine), { everyMs: 2 });
      for (const found of tooMuchRead(heard.map(planInLine).filter(isPlan), big)) {
        complaints.set(found, complaints.get(found) ?? `${found}  ← ${call.what} (${person.who})`);
      }
    }
  }
  for (const found of tooManyRows(await plansOfHousekeeping(stack.databaseUrl), big))
    complaints.set(found, `${found}  ← housekeeping`);
  return [...complaints.values()];
};
