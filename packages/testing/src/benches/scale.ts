import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { me } from '@roastery/contract/auth';
import { apiBasePath, type Endpoint } from '@roastery/contract/endpoint';
import { listMachineMaps } from '@roastery/contract/machine-maps';
import { createRoastImport } from '@roastery/contract/roast-imports';
import { getRoastCurveColumns } from '@roastery/contract/roasts';
import { createUser } from '@roastery/contract/users';
import { openDatabase } from '@roastery/api/db/sql';
import { sweep } from '@roastery/api/ingest/sweeper';
import { createLogger } from '@roastery/runtime/logger';
import { startStack, type StackOptions } from '@roastery/stack/stack';
import type { Bench, Measurement } from '../bench.ts';
import { findSamples } from '../large-roastery/find-samples.ts';
import {
  addressOf,
  measureCall,
  measureFirstBytes,
  timesTable,
  type Caller,
  type CallTimes,
} from '../large-roastery/measure-calls.ts';
import { opensRoast, pageCalls, type PageCall } from '../large-roastery/page-calls.ts';
import { bigTables, tooMuchRead } from '../large-roastery/read-share.ts';
import { isRequestLine, planInLine, planNotices, type ToldPlan } from '../large-roastery/query-plans.ts';
import { readDuringIngest } from '../large-roastery/read-during-ingest.ts';
import { seedLargeRoastery } from '../large-roastery/seed.ts';
import type { RoasterySizes } from '../large-roastery/sizes.ts';
import { timedGet } from '../large-roastery/timed-call.ts';
import { longRoast } from '../long-roast.ts';
import { registerTestMachine, signIn, type RoasteryClient } from '../roastery-client.ts';
import { shipJournal } from '../ship-journal.ts';
import { until } from '../until.ts';

const sizes: RoasterySizes = {
  users: 100,
  machines: 200,
  lots: 2000,
  recipes: 500,
  roasts: 50_000,
  curves: 50_000,
  audit: 100_000,
};
const times = Number(process.env['BENCH_TIMES'] ?? 36);
const limitMs = 150;
/** A quarter of an hour at 4 Hz: a typical roast. */
const usualSamples = 3600;
/** Number of roasts that each person opens, one after another. */
const usualRoasts = 12;
/**
 * Four hours at 4 Hz, the longest possible roast: its curve begins to arrive as soon as any page, a file of it soon
 * after.
 */
const longestSamples = 57_600;
const longestFileMs = 300;
/** Shown of all calls. */
const maxLines = 40;
const password = 'a long phrase for the one who roasts';
const roaster = { email: 'roaster@roastery.example', password };

/** The roasts to open: a few usual ones of each person, and the longest. */
interface Roasts {
  readonly usual: string[];
  readonly longest: string;
}

/** Whether an answer holds every sample of its roast. */
const isOfSamples = ({ name }: Endpoint): boolean => /^(?:getRoastCurve|exportRoast)/.test(name);

const isList = ({ endpoint, isLastPage }: PageCall): boolean =>
  endpoint.method === 'GET' && endpoint.produces === undefined && !endpoint.path.includes('{') && !isLastPage;

interface Person extends Caller {
  readonly who: 'admin' | 'user';
  readonly calls: readonly PageCall[];
}

/** A file of a roast as a person uploads one, so that there is a preview to open. */
const sendFile = async ({ cookie }: RoasteryClient, address: string, body: string): Promise<string> => {
  const headers = { cookie, 'content-type': 'application/octet-stream' };
  const answer = await fetch(address, { method: 'POST', headers, body });
  if (!answer.ok) throw new Error(`a file was answered ${answer.status}: ${await answer.text()}`);
  return ((await answer.json()) as { id: string }).id;
};

const upload = (client: RoasteryClient, origin: string): Promise<string> => {
  const lines = Array.from(
    { length: 600 },
    (_, second) => `${second},${(90 + second / 5).toFixed(1)},${(180 + second / 20).toFixed(1)}`,
  );
  const csv = `time,bean_temp,exhaust_temp\n${lines.join('\n')}\n`;
  return sendFile(client, `${origin}${apiBasePath}/roasts/uploads?file_name=roast.csv`, csv);
};

/** An import of the usual size of a roastery's list. */
const uploadLots = (client: RoasteryClient, origin: string): Promise<string> => {
  const lines = Array.from({ length: 400 }, (_, lot) => `B-${lot},Coffee ${lot},Kenya,60`);
  const csv = `lot,name,origin,weight kg\n${lines.join('\n')}\n`;
  return sendFile(client, `${origin}${apiBasePath}/lot-imports?file_name=lots.csv`, csv);
};

const signInPerson = async (
  origin: string,
  databaseUrl: string,
  who: Person['who'],
  credentials: { email: string; password: string },
  roastIds: string[],
): Promise<Person> => {
  const client = await signIn(origin, credentials);
  const { id } = await client.call(me);
  const [map] = (await client.call(listMachineMaps)).maps;
  await client.call(createRoastImport, { body: {} });
  await uploadLots(client, origin);
  const samples = await findSamples(
    databaseUrl,
    { id, isAdmin: who === 'admin' },
    { uploadId: await upload(client, origin), mapId: map?.id ?? '', roastIds },
  );
  return { who, origin, cookie: client.cookie, calls: pageCalls(samples, who === 'admin') };
};

/** Records roasts on a new machine of the caller, as its board ships them. */
const recordRoasts = async (
  client: RoasteryClient,
  mqttUrl: string,
  serial: string,
  roasts: readonly ReturnType<typeof longRoast>[],
): Promise<string[]> => {
  const { auth_token: token } = await registerTestMachine(client, serial);
  for (const { batches } of roasts) await shipJournal(mqttUrl, { serial, token }, batches);
  return roasts.map(({ roastId }) => roastId);
};

/** Plans of the sweeper's statements, with all of the roastery's samples old and not swept yet. */
const plansOfSweep = async (databaseUrl: string): Promise<ToldPlan[]> => {
  const lines: string[] = [];
  const log = createLogger('sweeper', 'debug', { write: (line) => void lines.push(line) });
  const sql = openDatabase({ url: databaseUrl, log });
  await sql`UPDATE recordings SET unswept_since = '-infinity'`;
  await sweep(sql, log);
  await sql.end();
  return lines.map(planInLine).filter((plan): plan is ToldPlan => plan !== undefined);
};

/** The first start: fills the roastery, and sends every request once while Postgres reports its plans. */
const fillAndExplain = async (options: StackOptions, say: (line: string) => void) => {
  const heard: string[] = [];
  const stack = await startStack({
    ...options,
    logLevel: 'debug',
    databaseSettings: { ...options.databaseSettings, ...planNotices },
    onLine: (part, line) => void (part === 'api' && heard.push(line)),
  });
  try {
    const admin = await signIn(stack.url, stack.admin);
    const { id: adminId } = await admin.call(me);
    const { id: roasterId } = await admin.call(createUser, { body: { full_name: 'Rosa Lind', ...roaster } });
    const began = performance.now();
    await seedLargeRoastery(stack.databaseUrl, sizes, { adminId, roasterId });
    say(
      `${sizes.roasts.toLocaleString('en-US')} roasts and what belongs to them, in ${Math.round((performance.now() - began) / 1000)} s`,
    );
    const usual = () =>
      Array.from({ length: usualRoasts }, (_, place) => longRoast(usualSamples, place * (1 + usualSamples / 240)));
    const roasts: Roasts = {
      usual: [
        ...(await recordRoasts(admin, stack.mqttUrl, 'USUAL-1', usual())),
        ...(await recordRoasts(await signIn(stack.url, roaster), stack.mqttUrl, 'USUAL-2', usual())),
      ],
      longest: (await recordRoasts(admin, stack.mqttUrl, 'LONG-1', [longRoast(longestSamples)]))[0] ?? '',
    };

    const big = await bigTables(stack.databaseUrl);
    // Many calls run the same statement: one of them is named.
    const complaints = new Map<string, string>();
    const people = [
      await signInPerson(stack.url, stack.databaseUrl, 'admin', stack.admin, roasts.usual),
      await signInPerson(stack.url, stack.databaseUrl, 'user', roaster, roasts.usual),
    ];
    say(`plans of ${people[0]?.calls.length ?? 0} calls as admin, ${people[1]?.calls.length ?? 0} as user`);
    for (const person of people) {
      for (const call of person.calls) {
        const address = await addressOf(person, call, 0);
        heard.length = 0;
        const { status } = await timedGet(address, person.cookie, { whole: true });
        if (status !== 200) throw new Error(`${call.what} for ${person.who} answered ${status}: ${address}`);
        await until('the api to note the request', () => heard.some(isRequestLine), { everyMs: 2 });
        const plans = heard.map(planInLine).filter((plan): plan is ToldPlan => plan !== undefined);
        for (const found of tooMuchRead(plans, big)) {
          complaints.set(found, complaints.get(found) ?? `${found}  ← ${call.what} (${person.who})`);
        }
      }
    }
    for (const found of tooMuchRead(await plansOfSweep(stack.databaseUrl), big))
      complaints.set(found, `${found}  ← sweeper`);
    return { complaints: [...complaints.values()], roasts };
  } finally {
    await stack.close();
  }
};

const measureAll = async (options: StackOptions, roasts: Roasts, say: (line: string) => void) => {
  const stack = await startStack(options);
  try {
    const people = [
      await signInPerson(stack.url, stack.databaseUrl, 'admin', stack.admin, roasts.usual),
      await signInPerson(stack.url, stack.databaseUrl, 'user', roaster, roasts.usual),
    ];
    const all: CallTimes[] = [];
    for (const person of people) {
      say(`${times} times each as ${person.who}`);
      for (const call of person.calls) all.push(await measureCall(person.who, person, call, times));
    }
    const [admin] = people;
    const ofLongest = (admin?.calls ?? [])
      .filter(({ endpoint, query }) => opensRoast(endpoint) && Object.keys(query).length === 0)
      .map((call): PageCall => ({ ...call, params: [{ id: roasts.longest }] }));
    say(`${times} times each of the roast of ${longestSamples.toLocaleString('en-US')} points`);
    const longest = [];
    for (const call of ofLongest) if (admin) longest.push(await measureFirstBytes(admin, call, times));
    say('readers while boards send');
    const busy = admin === undefined ? [] : await readDuringIngest(stack, admin, admin.calls.filter(isList), say);
    return { all, longest, busy };
  } finally {
    await stack.close();
  }
};

const run: Bench['run'] = async (say) => {
  const folder = await mkdtemp(join(tmpdir(), 'roastery-scale-'));
  const options: StackOptions = { dataDir: join(folder, 'data') };
  try {
    const { complaints, roasts } = await fillAndExplain(options, say);
    for (const complaint of complaints) say(complaint);
    const { all, longest, busy } = await measureAll(options, roasts, say);
    for (const line of timesTable(all, maxLines).split('\n')) say(line);
    const slowest = new Map<string, CallTimes>();
    for (const one of all) {
      if (one.p95 > (slowest.get(one.call.endpoint.name)?.p95 ?? -1)) slowest.set(one.call.endpoint.name, one);
    }
    return [
      ...[...slowest.values()]
        .sort((a, b) => b.p95 - a.p95)
        .map(({ who, call, p95 }): Measurement => ({
          what: `${call.what} (${who}), p95`,
          value: p95,
          unit: 'ms',
          aim: { of: 'value', atMost: limitMs },
        })),
      ...longest.map(({ call: { endpoint, what }, firstByteP95 }): Measurement => ({
        what: `${what} of ${longestSamples.toLocaleString('en-US')} points: first byte, p95`,
        value: firstByteP95,
        unit: 'ms',
        aim: {
          of: 'value',
          atMost: endpoint === getRoastCurveColumns || !isOfSamples(endpoint) ? limitMs : longestFileMs,
        },
      })),
      ...longest
        .filter(({ call: { endpoint } }) => isOfSamples(endpoint))
        .map(({ call: { what }, wholeP95 }): Measurement => ({
          what: `${what} of ${longestSamples.toLocaleString('en-US')} points: whole, p95`,
          value: wholeP95,
          unit: 'ms',
        })),
      ...busy,
      {
        what: 'statements that read a tenth of a big table for nothing',
        value: complaints.length,
        unit: 'statements',
        aim: { of: 'value', atMost: 0 },
      },
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

export default {
  title: `A roastery with ${sizes.roasts.toLocaleString('en-US')} roasts: everything that pages read, the slowest call of each endpoint`,
  mustReach: true,
  run,
} satisfies Bench;
