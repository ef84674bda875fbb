import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listRoasts } from '@roastery/contract/roasts';
import { startStack } from '@roastery/stack/stack';
import postgres from 'postgres';
import type { Bench, Measurement } from '../bench.ts';
import { cutForADay } from '../endurance/cut-for-a-day.ts';
import { keepJournal } from '../endurance/kept-journal.ts';
import { compareWithStored, killAtRandom } from '../endurance/killing.ts';
import { registerTestMachine, signIn } from '../roastery-client.ts';
import { until } from '../until.ts';

const kills = Number(process.env['BENCH_KILLS'] ?? 200);
const awaySeconds = Number(process.env['BENCH_SECONDS'] ?? 600);
const serial = 'KILL-15';

const survive = async (say: (line: string) => void): Promise<Measurement[]> => {
  const folder = await mkdtemp(join(tmpdir(), 'roastery-endurance-'));
  const stack = await startStack({ dataDir: join(folder, 'data') });
  const sql = postgres(stack.databaseUrl, { max: 1, onnotice: () => undefined });
  try {
    const client = await signIn(stack.url, stack.admin);
    const { auth_token: token } = await registerTestMachine(client, serial);
    const machine = await stack.startMachine({ serial, token, seed: 7 });
    const kept = await keepJournal(join(machine.journalDir, 'journal'), join(folder, 'kept'));
    await until(
      'a roast to begin',
      async () => (await client.call(listRoasts)).roasts.some(({ status }) => status === 'in_progress'),
      { timeoutMs: 90_000 },
    );
    say(`${kills} × SIGKILL over agent, broker, api and Postgres`);
    const done = await killAtRandom(stack, machine, kills);
    say(Array.from(done, ([part, count]) => `${part} ${count}`).join(', '));
    await stack.untilReady();
    const outcome = await compareWithStored(sql, client, kept);
    const none = { of: 'value', atMost: 0 } as const;
    return [
      { what: `${kills} × SIGKILL: samples in the journal`, value: outcome.samples, unit: 'samples' },
      { what: '  lost', value: outcome.lost.length, unit: 'samples', aim: none },
      { what: '  stored twice', value: outcome.doubled.length, unit: 'samples', aim: none },
      {
        what: '  stored otherwise than read',
        value: outcome.different.length + outcome.invented.length,
        unit: 'samples',
        aim: none,
      },
      { what: '  marks lost or invented', value: outcome.wrongMarks.length, unit: 'marks', aim: none },
      { what: '  roasts split', value: outcome.splitRoasts, unit: 'roasts', aim: none },
    ];
  } finally {
    await sql.end({ timeout: 1 });
    await stack.close();
    await rm(folder, { recursive: true, force: true });
  }
};

const run: Bench['run'] = async (say) => [...(await survive(say)), ...(await cutForADay(awaySeconds, say))];

export default {
  title: `Never losing a roast: ${kills} kills, and a day without network`,
  onlyWhenNamed: true,
  mustReach: true,
  run,
} satisfies Bench;
