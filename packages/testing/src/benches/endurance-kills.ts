import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listRoasts } from '@roastery/contract/roasts';
import type { Entry } from '@roastery/device-agent/core/entry';
import { startStack } from '@roastery/stack/stack';
import postgres from 'postgres';
import type { Bench, Measurement } from '../bench.ts';
import { keepJournal } from '../endurance/kept-journal.ts';
import { killMoments, killWhileRoasting } from '../endurance/kill-while-roasting.ts';
import { compareWithStored } from '../endurance/killing.ts';
import { notShown, readMachineRecord, type MachineRecord } from '../endurance/machine-record.ts';
import { randomStream } from '../marks/random.ts';
import { registerTestMachine, signIn } from '../roastery-client.ts';
import { until } from '../until.ts';

const kills = Number(process.env['BENCH_KILLS'] ?? 200);
const serial = 'KILL-15';
/** Often enough that kills fall between question, answer, write and sync. */
const hz = 10;
const samplesPerKill = 10;
/** The kills of a run can be aimed again by its seed; which write they hit still differs. */
const seed = Number(process.env['BENCH_SEED'] ?? Date.now() % 1_000_000);

/** What the kept journal says beside what the machine did. */
const besideMachine = (entries: readonly Entry[], record: MachineRecord) => {
  const samples = entries.flatMap((entry) =>
    entry.kind === 'sample'
      ? [{ ...entry, values: new Map(entry.context.channels.map((name, at) => [name, entry.values[at] ?? null])) }]
      : [],
  );
  const begun = new Set(
    entries.flatMap((entry) => (entry.kind === 'event' && entry.event.type === 'roast' ? [entry.event.roast_id] : [])),
  );
  const gapsMs = samples.slice(1).map(({ mono }, index) => mono - (samples[index]?.mono ?? mono));
  return {
    wrong: notShown(record, samples),
    begun: begun.size,
    longestGapSeconds: gapsMs.reduce((longest, gap) => Math.max(longest, gap), 0) / 1000,
  };
};

const survive = async (say: (line: string) => void): Promise<Measurement[]> => {
  const folder = await mkdtemp(join(tmpdir(), 'roastery-endurance-'));
  const stack = await startStack({ dataDir: join(folder, 'data') });
  const sql = postgres(stack.databaseUrl, { max: 1, onnotice: () => undefined });
  try {
    const client = await signIn(stack.url, stack.admin);
    const { auth_token: token } = await registerTestMachine(client, serial);
    const recordFile = join(folder, 'shown.jsonl');
    const machine = await stack.startMachine({ serial, token, hz, seed: 7, recordFile });
    const journalFolder = join(machine.journalDir, 'journal');
    const kept = await keepJournal(journalFolder, join(folder, 'kept'));
    say('waiting for a roast');
    await until(
      'a roast to begin',
      async () => (await client.call(listRoasts)).roasts.some(({ status }) => status === 'in_progress'),
      { timeoutMs: 90_000 },
    );
    say(`${kills} × SIGKILL of the agent while it roasts, and of api, broker and Postgres in between (seed ${seed})`);
    const plan = { count: kills, recordFile, journalFolder, random: randomStream(seed) };
    const { agent, others } = await killWhileRoasting(stack, machine, plan);
    await stack.untilReady();
    const outcome = await compareWithStored(sql, client, kept);
    const entries = [...(await kept.entries()).values()].sort((a, b) => a.seq - b.seq);
    // Read last, so that it covers the board's newest sample.
    const record = await readMachineRecord(recordFile);
    const { wrong, begun, longestGapSeconds } = besideMachine(entries, record);
    const hits = agent.filter(({ monoMs }) =>
      record.roasts.some(({ fromMs, toMs }) => monoMs > fromMs && monoMs < toMs),
    );
    const torn = (await readdir(join(journalFolder, 'quarantine')).catch(() => [])).length;
    const aimed = killMoments.map((moment) => `${hits.filter(({ aimedAt }) => aimedAt === moment).length} ${moment}`);
    const atWrite = hits.filter(({ sinceWriteMs }) => sinceWriteMs <= 5).length;
    say(
      `the agent was hit ${aimed.join(', ')}; also killed: ${Array.from(others, (other) => other.join(' ')).join(', ')}`,
    );
    for (const { seq, shiftMs } of wrong.slice(0, 10)) {
      say(`sample ${seq}: ${shiftMs === null ? 'never on the machine' : `${Math.round(shiftMs)} ms beside its time`}`);
    }
    const none = { of: 'value', atMost: 0 } as const;
    return [
      {
        what: 'kills of the agent while beans were in the drum',
        value: hits.length,
        unit: `of ${agent.length}, over ${record.roasts.length} roasts`,
        aim: { of: 'value', atLeast: kills },
      },
      { what: '  within 5 ms after a write to its journal', value: atWrite, unit: 'kills' },
      { what: '  that left a torn record', value: torn, unit: 'kills' },
      {
        what: '  samples in the journal',
        value: outcome.samples,
        unit: 'samples',
        aim: { of: 'value', atLeast: kills * samplesPerKill },
      },
      { what: '  lost', value: outcome.lost.length, unit: 'samples', aim: none },
      { what: '  stored twice', value: outcome.doubled.length, unit: 'samples', aim: none },
      {
        what: '  stored otherwise than read',
        value: outcome.different.length + outcome.invented.length,
        unit: 'samples',
        aim: none,
      },
      { what: '  not what the machine showed then', value: wrong.length, unit: 'samples', aim: none },
      { what: '  marks lost or invented', value: outcome.wrongMarks.length, unit: 'marks', aim: none },
      {
        what: '  roasts split or missed',
        value: outcome.splitRoasts + Math.abs(begun - record.roasts.length),
        unit: 'roasts',
        aim: none,
      },
      { what: '  longest time without a sample', value: longestGapSeconds, unit: 's' },
    ];
  } finally {
    await sql.end({ timeout: 1 });
    await stack.close();
    await rm(folder, { recursive: true, force: true });
  }
};

export default {
  title: `Never losing a roast: the agent killed ${kills} times while it roasts`,
  onlyWhenNamed: true,
  mustReach: true,
  run: survive,
} satisfies Bench;
