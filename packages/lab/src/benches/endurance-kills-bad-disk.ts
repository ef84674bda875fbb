import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bench, Measurement } from '@roastery/testing/bench';
import { diskFaults, failAgainAndAgain, failingDiskOption, leaveZeroTail } from '../endurance/failing-disk.ts';
import { judgementTable } from '../endurance/judge-answers.ts';
import { killWhileRoasting } from '../endurance/kill-while-roasting.ts';
import { withAnsweringMachine } from '../endurance/answering-machine.ts';
import { randomStream } from '@roastery/testing/marks/random';

const kills = Number(process.env['BENCH_KILLS'] ?? 200);
const serial = 'KILL-16';
const seed = Number(process.env['BENCH_SEED'] ?? Date.now() % 1_000_000);
const zeroTailShare = 1 / 2;

const survive = (say: (line: string) => void): Promise<Measurement[]> =>
  withAnsweringMachine(serial, say, async ({ folder, stack, startMachine }) => {
    const faultFile = join(folder, 'fault');
    await writeFile(faultFile, '');
    const { machine, journalFolder, recordFile, judgeAfter } = await startMachine({
      start: 'roasting',
      nodeOptions: (place) => failingDiskOption(faultFile, place),
    });
    const random = randomStream(seed);
    const disk = failAgainAndAgain(faultFile, random);
    let zeroTails = 0;
    say(`${kills} × SIGKILL of the agent while its disk fails again and again (seed ${seed})`);
    const whileDead = (): void => {
      if (random() < zeroTailShare && leaveZeroTail(journalFolder)) zeroTails += 1;
    };
    const plan = { count: kills, recordFile, journalFolder, random, whileDead };
    const { agent } = await killWhileRoasting(stack, machine, plan);
    await disk.stop();
    const { judgement, totals, streams } = await judgeAfter(agent, disk.failures);
    const failures = diskFaults.map((kind) => `${disk.failures.filter((one) => one.kind === kind).length} ${kind}`);
    const failedSeconds = disk.failures.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0) / 1000;
    return [
      {
        what: 'kills of the agent',
        value: agent.length,
        unit: `and ${zeroTails} tails of zeros`,
        aim: { of: 'value', atLeast: kills },
      },
      {
        what: '  failures of its disk',
        value: disk.failures.length,
        unit: `(${failures.join(', ')}) for ${Math.round(failedSeconds)} s`,
      },
      { what: '  streams that its samples came in', value: streams, unit: 'streams' },
      ...judgementTable(judgement, totals, agent, true),
    ];
  });

export default {
  title: `Never losing a roast: the agent killed ${kills} times while its disk fails`,
  onlyWhenNamed: true,
  mustReach: true,
  run: survive,
} satisfies Bench;
