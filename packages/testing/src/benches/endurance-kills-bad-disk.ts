import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listDevices } from '@roastery/contract/fleet';
import { startStack } from '@roastery/stack/stack';
import postgres from 'postgres';
import type { Bench, Measurement } from '../bench.ts';
import { compareWithAnswers, readAnswers, readStoredReadings, wasStarved } from '../endurance/answered-readings.ts';
import { failAgainAndAgain, failingDiskOption, leaveZeroTail } from '../endurance/failing-disk.ts';
import { killWhileRoasting } from '../endurance/kill-while-roasting.ts';
import { monoNow } from '../endurance/machine-record.ts';
import { randomStream } from '../marks/random.ts';
import { registerTestMachine, signIn } from '../roastery-client.ts';
import { until } from '../until.ts';

const kills = Number(process.env['BENCH_KILLS'] ?? 200);
const serial = 'KILL-16';
const hz = 10;
const seed = Number(process.env['BENCH_SEED'] ?? Date.now() % 1_000_000);
/** Question, answer and write of the reading that a kill met, on a busy machine. */
const killedMs = 1500;
/** After a disk failed a program holds readings in memory until it is written, or sent. */
const writtenLaterMs = 5000;
const zeroTailShare = 1 / 2;

const survive = async (say: (line: string) => void): Promise<Measurement[]> => {
  const folder = await mkdtemp(join(tmpdir(), 'roastery-bad-disk-'));
  const dataDir = join(folder, 'data');
  const stack = await startStack({ dataDir });
  const sql = postgres(stack.databaseUrl, { max: 1, onnotice: () => undefined });
  try {
    const client = await signIn(stack.url, stack.admin);
    const { auth_token: token } = await registerTestMachine(client, serial);
    const [recordFile, answersFile, faultFile] = ['shown.jsonl', 'answers.jsonl', 'fault'].map((name) =>
      join(folder, name),
    );
    if (recordFile === undefined || answersFile === undefined || faultFile === undefined) throw new Error('no files');
    await writeFile(faultFile, '');
    const journalFolder = join(dataDir, 'machines', serial, 'journal', 'journal');
    const agentNodeOptions = failingDiskOption(faultFile, journalFolder);
    const machine = await stack.startMachine({
      serial,
      token,
      hz,
      seed: 7,
      recordFile,
      answersFile,
      agentNodeOptions,
      start: 'roasting',
    });
    const online = async () =>
      (await client.call(listDevices)).devices.find(({ serial_number: number }) => number === serial)?.connection ===
      'online';
    await until('the board to be online', online, { timeoutMs: 90_000 });
    const random = randomStream(seed);
    const disk = failAgainAndAgain(faultFile, random);
    let zeroTails = 0;
    say(`${kills} × SIGKILL of the agent while its disk fails again and again (seed ${seed})`);
    const whileDead = (): void => {
      if (random() < zeroTailShare && leaveZeroTail(journalFolder)) zeroTails += 1;
    };
    const { agent } = await killWhileRoasting(stack, machine, {
      count: kills,
      recordFile,
      journalFolder,
      random,
      whileDead,
    });
    await disk.stop();
    await stack.untilReady();
    await until('the board to be online', online, { timeoutMs: 60_000 });
    await machine.stop(20_000);
    const stoppedAt = monoNow();
    const answers = await readAnswers(answersFile);
    const inMemoryWhenKilled = (monoMs: number): boolean =>
      disk.failures.some(
        ({ fromMs, toMs }) =>
          monoMs >= fromMs - writtenLaterMs &&
          monoMs <= toMs + writtenLaterMs &&
          agent.some((kill) => kill.monoMs >= monoMs && kill.monoMs >= fromMs && kill.monoMs <= toMs + writtenLaterMs),
      );
    const atKill = (monoMs: number): boolean =>
      agent.some((kill) => monoMs <= kill.monoMs + killedMs && monoMs >= kill.monoMs - killedMs);
    const isEnd = (monoMs: number): boolean => monoMs > stoppedAt - 25_000;
    const stored = await readStoredReadings(sql, serial);
    const isStarved = wasStarved(answers, 1000 / hz);
    let starved = 0;
    const dropped = (monoMs: number): boolean => {
      const yes = isStarved(monoMs);
      if (yes) starved += 1;
      return yes;
    };
    const outcome = compareWithAnswers(
      answers,
      stored,
      (monoMs) => atKill(monoMs) || inMemoryWhenKilled(monoMs) || isEnd(monoMs) || dropped(monoMs),
    );
    const recordings =
      await sql`SELECT 1 FROM recordings r JOIN machines m ON m.id = r.machine_id WHERE m.serial_number = ${serial}`;
    for (const { monoMs } of outcome.lost.slice(0, 10)) {
      const kill = Math.min(...agent.map((one) => Math.abs(one.monoMs - monoMs)));
      const failure = disk.failures.find(({ fromMs, toMs }) => monoMs > fromMs - 10_000 && monoMs < toMs + 10_000);
      say(`lost: answered at ${Math.round(monoMs)}, ${Math.round(kill)} ms beside a kill, ${JSON.stringify(failure)}`);
    }
    const none = { of: 'value', atMost: 0 } as const;
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
        unit: `for ${Math.round(disk.failures.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0) / 1000)} s`,
      },
      { what: '  readings that the machine answered', value: answers.length, unit: 'readings' },
      { what: '  stored', value: stored.length, unit: `readings, in ${recordings.length} streams` },
      {
        what: '  on their way, or in memory without a disk, when killed',
        value: outcome.excused - starved,
        unit: 'readings',
      },
      { what: '  dropped by the board: its processor was away', value: starved, unit: 'readings' },
      { what: '  lost', value: outcome.lost.length, unit: 'readings', aim: none },
      { what: '  stored twice', value: outcome.doubled.length, unit: 'readings', aim: none },
      { what: '  stored with another time', value: outcome.shifted.length, unit: 'readings', aim: none },
      { what: '  stored, never answered', value: outcome.invented, unit: 'readings', aim: none },
    ];
  } finally {
    await sql.end({ timeout: 1 });
    await stack.close();
    await rm(folder, { recursive: true, force: true });
  }
};

export default {
  title: `Never losing a roast: the agent killed ${kills} times while its disk fails`,
  onlyWhenNamed: true,
  mustReach: true,
  run: survive,
} satisfies Bench;
