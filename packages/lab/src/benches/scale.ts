import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Endpoint } from '@roastery/contract/endpoint';
import { getRoastCurveColumns } from '@roastery/contract/roast-curves';
import { startStack, type Stack, type StackOptions } from '@roastery/stack/stack';
import type { Bench, Measurement } from '@roastery/testing/bench';
import { exportDuringIngest, lightBesideHeavy } from '../large-roastery/heavy-readers.ts';
import { measureCall, measureFirstBytes, timesTable, type CallTimes } from '../large-roastery/measure-calls.ts';
import { opensRoast, type PageCall } from '@roastery/testing/large-roastery/page-calls';
import { signInPeople, type Person } from '../large-roastery/people.ts';
import { notingCommits } from '../fleet/commit-delays.ts';
import { readDuringIngest, startBoards } from '../large-roastery/read-during-ingest.ts';
import { fillRoastery, findRecorded, longestSamples, type RecordedRoasts } from '../large-roastery/recorded-roasts.ts';
import type { RoasterySizes } from '@roastery/testing/large-roastery/sizes';
import { wastefulStatements } from '../large-roastery/statement-plans.ts';

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
/** A file of all roasts takes seconds: it is saved this often. */
const wholeFileTimes = Math.min(times, 5);
const limitMs = 150;
/** A curve begins to arrive as soon as any page, a file soon after. */
const fileLimitMs = 300;
/** Shown of all calls. */
const maxLines = 40;

/** What is measured; `BENCH_PARTS=readers,heavy` leaves out the others. */
const parts = ['plans', 'calls', 'longest', 'files', 'readers', 'exports', 'heavy'] as const;
const wanted = process.env['BENCH_PARTS']?.split(',') ?? parts;
const isWanted = (part: (typeof parts)[number]): boolean => wanted.includes(part);

/** Whether an answer holds every sample of its roast. */
const isOfSamples = ({ name }: Endpoint): boolean => /^(?:getRoastCurve|exportRoast(?!s))/.test(name);

const isFile = ({ endpoint }: PageCall): boolean =>
  endpoint.produces !== undefined && endpoint.name.startsWith('export');
const isDefault = ({ query, isLastPage }: PageCall): boolean => Object.keys(query).length === 0 && !isLastPage;
const isList = ({ endpoint, isLastPage }: PageCall): boolean =>
  endpoint.method === 'GET' && endpoint.produces === undefined && !endpoint.path.includes('{') && !isLastPage;

const measureCalls = async (people: readonly Person[], say: (line: string) => void): Promise<Measurement[]> => {
  const all: CallTimes[] = [];
  for (const person of people) {
    say(`${times} times each as ${person.who}`);
    for (const call of person.calls) all.push(await measureCall(person.who, person, call, times));
  }
  for (const line of timesTable(all, maxLines).split('\n')) say(line);
  const slowest = new Map<string, CallTimes>();
  for (const one of all) {
    if (one.p95 > (slowest.get(one.call.endpoint.name)?.p95 ?? -1)) slowest.set(one.call.endpoint.name, one);
  }
  return [...slowest.values()]
    .sort((a, b) => b.p95 - a.p95)
    .map(({ who, call, p95 }) => ({
      what: `${call.what} (${who}), p95`,
      value: p95,
      unit: 'ms',
      aim: { of: 'value', atMost: limitMs },
    }));
};

/** First and last bytes of these calls, each read to its end. */
const measureWhole = async (
  person: Person,
  calls: readonly PageCall[],
  count: number,
  ofWhat: string,
): Promise<Measurement[]> => {
  const measured = [];
  for (const call of calls) measured.push(await measureFirstBytes(person, call, count));
  return measured.flatMap(({ call: { endpoint, what }, firstByteP95, wholeP95 }): Measurement[] => [
    {
      what: `${what}${ofWhat}: first byte, p95`,
      value: firstByteP95,
      unit: 'ms',
      aim: {
        of: 'value',
        atMost: endpoint.produces === undefined || endpoint === getRoastCurveColumns ? limitMs : fileLimitMs,
      },
    },
    ...(isOfSamples(endpoint) || endpoint.produces !== undefined
      ? [{ what: `${what}${ofWhat}: last byte, p95`, value: wholeP95, unit: 'ms' }]
      : []),
  ]);
};

const measure = async (stack: Stack, roasts: RecordedRoasts, say: (line: string) => void): Promise<Measurement[]> => {
  const people = await signInPeople(stack, roasts.usual);
  const [admin] = people;
  if (admin === undefined) throw new Error('no admin signed in');
  const files = admin.calls.filter((call) => isFile(call) && isDefault(call));
  const measured: Measurement[] = [];
  if (isWanted('calls')) measured.push(...(await measureCalls(people, say)));
  if (isWanted('longest')) {
    say(`${times} times each of the roast of ${longestSamples.toLocaleString('en-US')} points`);
    const ofLongest = admin.calls
      .filter((call) => opensRoast(call.endpoint) && isDefault(call))
      .map((call): PageCall => ({ ...call, params: [{ id: roasts.longest }] }));
    const points = ` of ${longestSamples.toLocaleString('en-US')} points`;
    measured.push(...(await measureWhole(admin, ofLongest, times, points)));
  }
  if (isWanted('files')) {
    say(`${wholeFileTimes} times each file to its last byte`);
    measured.push(...(await measureWhole(admin, files, wholeFileTimes, '')));
  }
  if (isWanted('readers') || isWanted('exports')) {
    say('readers while boards send');
    const boards = await startBoards(stack);
    try {
      if (isWanted('readers'))
        measured.push(...(await readDuringIngest(stack, admin, admin.calls.filter(isList), boards, say)));
      if (isWanted('exports')) measured.push(...(await exportDuringIngest(stack, admin, files, boards)));
    } finally {
      await boards.close();
    }
  }
  if (isWanted('heavy')) {
    say('a light page beside a heavy reader');
    const named = (pattern: RegExp) =>
      admin.calls.filter((call) => pattern.test(call.endpoint.name) && (isDefault(call) || 'period' in call.query));
    measured.push(
      ...(await lightBesideHeavy(
        admin,
        admin.calls.filter(
          (call) => isDefault(call) && /^(?:listRoasts|getRoast|listMachines)$/.test(call.endpoint.name),
        ),
        [
          { what: 'a workbook of all roasts', calls: named(/^exportRoastsXlsx$/) },
          { what: 'analytics over all years', calls: named(/^analytics/) },
        ],
      )),
    );
  }
  return measured;
};

const run: Bench['run'] = async (say) => {
  const kept = process.env['BENCH_DIR'];
  const folder = kept ?? (await mkdtemp(join(tmpdir(), 'roastery-scale-')));
  const options: StackOptions = { dataDir: join(folder, 'data'), databaseSettings: notingCommits };
  /** Starts the whole roastery for one piece of work. */
  const within = async <T>(work: (stack: Stack) => Promise<T>): Promise<T> => {
    await using stack = await startStack(options);
    return await work(stack);
  };
  try {
    const roasts = await within(async (stack) => {
      const found = await findRecorded(stack.databaseUrl);
      if (found !== undefined) return found;
      const began = performance.now();
      await fillRoastery(stack, sizes);
      const seconds = Math.round((performance.now() - began) / 1000);
      say(`${sizes.roasts.toLocaleString('en-US')} roasts and what belongs to them, in ${seconds} s`);
      return findRecorded(stack.databaseUrl);
    });
    if (roasts === undefined) throw new Error('the roastery was not filled');
    const measured: Measurement[] = [];
    if (isWanted('plans')) {
      say('plans of all statements');
      const complaints = await wastefulStatements(options, (stack) => signInPeople(stack, roasts.usual));
      for (const complaint of complaints) say(complaint);
      measured.push({
        what: 'statements that read a tenth of a big table for nothing',
        value: complaints.length,
        unit: 'statements',
        aim: { of: 'value', atMost: 0 },
      });
    }
    if (parts.some((part) => part !== 'plans' && isWanted(part))) {
      measured.push(...(await within((stack) => measure(stack, roasts, say))));
    }
    return measured;
  } finally {
    if (kept === undefined) await rm(folder, { recursive: true, force: true });
  }
};

export default {
  title: `A roastery with ${sizes.roasts.toLocaleString('en-US')} roasts and their curves: everything that pages read, and the sweeper`,
  mustReach: true,
  run,
} satisfies Bench;
