import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { listRoasts } from '@roastery/contract/roasts';
import type { Bench, Measurement } from '@roastery/testing/bench';
import { withAnsweringMachine } from '../endurance/answering-machine.ts';
import { judgementTable } from '../endurance/judge-answers.ts';
import { keepJournal } from '@roastery/testing/endurance/kept-journal';
import { killMoments, killWhileRoasting } from '../endurance/kill-while-roasting.ts';
import { compareWithStored } from '@roastery/testing/endurance/killing';
import { readRoasts } from '../endurance/machine-record.ts';
import { randomStream } from '@roastery/testing/marks/random';
import { until } from '@roastery/testing/until';

const kills = Number(process.env['BENCH_KILLS'] ?? 200);
const serial = 'KILL-15';
const samplesPerKill = 10;
/** A seed repeats the kills of a run; which write each one hits still differs. */
const seed = Number(process.env['BENCH_SEED'] ?? Date.now() % 1_000_000);

const survive = (say: (line: string) => void): Promise<Measurement[]> =>
  withAnsweringMachine(serial, say, async ({ folder, stack, client, sql, startMachine }) => {
    const { machine, journalFolder, recordFile, judgeAfter } = await startMachine({ start: 'preheat' });
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
    const { judgement, totals } = await judgeAfter(agent);
    const outcome = await compareWithStored(sql, client, kept);
    const entries = [...(await kept.entries()).values()];
    const begun = new Set(
      entries.flatMap((entry) =>
        entry.kind === 'event' && entry.event.type === 'roast' ? [entry.event.roast_id] : [],
      ),
    ).size;
    const roasts = await readRoasts(recordFile);
    const hits = agent.filter(({ monoMs }) => roasts.some(({ fromMs, toMs }) => monoMs > fromMs && monoMs < toMs));
    const torn = (await readdir(join(journalFolder, 'quarantine')).catch(() => [])).length;
    const aimed = killMoments.map((moment) => `${hits.filter(({ aimedAt }) => aimedAt === moment).length} ${moment}`);
    const atWrite = hits.filter(({ sinceWriteMs }) => sinceWriteMs <= 5).length;
    say(
      `the agent was hit ${aimed.join(', ')}; also killed: ${Array.from(others, (other) => other.join(' ')).join(', ')}`,
    );
    const none = { of: 'value', atMost: 0 } as const;
    return [
      {
        what: 'kills of the agent while beans were in the drum',
        value: hits.length,
        unit: `of ${agent.length}, over ${roasts.length} roasts`,
        aim: { of: 'value', atLeast: kills },
      },
      { what: '  within 5 ms after a write to its journal', value: atWrite, unit: 'kills' },
      { what: '  that left a torn record', value: torn, unit: 'kills' },
      ...judgementTable(judgement, totals, agent, false),
      {
        what: 'samples in the journal',
        value: outcome.samples,
        unit: 'samples',
        aim: { of: 'value', atLeast: kills * samplesPerKill },
      },
      {
        what: '  lost, stored twice, or stored otherwise',
        value: outcome.lost.length + outcome.doubled.length + outcome.different.length + outcome.invented.length,
        unit: 'samples',
        aim: none,
      },
      { what: '  marks lost or invented', value: outcome.wrongMarks.length, unit: 'marks', aim: none },
      {
        what: '  roasts split or missed',
        value: outcome.splitRoasts + Math.abs(begun - roasts.length),
        unit: 'roasts',
        aim: none,
      },
    ];
  });

export default {
  title: `Never losing a roast: the agent killed ${kills} times while it roasts`,
  onlyWhenNamed: true,
  mustReach: true,
  run: survive,
} satisfies Bench;
