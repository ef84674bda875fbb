import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startStack } from '@roastery/stack/stack';
import postgres from 'postgres';
import type { Bench } from '@roastery/testing/bench';
import { compareWithFile, markSeconds, replayRoast } from '@roastery/testing/replayed-roast';
import { signIn } from '@roastery/testing/roastery-client';
import { sharedData } from '@roastery/testing/shared-data';

const recordings = ['01_profile1.alog', '03_profile3.alog', '15_25-06-03_1129-costa-rica-jaguar-honey_copy.alog'];

const within = (most: number) => ({ of: 'value', atMost: most }) as const;

/** The system test of the same name at the roasts' own pace: half an hour. */
const run: Bench['run'] = async (say) => {
  const data = sharedData();
  if (!data.present) {
    say('skipped: needs the real roasts in ../shared/data, which is absent');
    return [];
  }
  const folder = await mkdtemp(join(tmpdir(), 'roastery-real-roasts-'));
  const stack = await startStack({ dataDir: join(folder, 'data') });
  const sql = postgres(stack.databaseUrl, { max: 1, onnotice: () => undefined });
  try {
    const client = await signIn(stack.url, stack.admin);
    const measured = await Promise.all(
      recordings.map(async (name, n) => {
        const replayed = await replayRoast(stack, client, sql, {
          serial: `REAL-${n + 1}`,
          file: data.path('alog', name),
          factor: 1,
          hz: 4,
          recordFile: join(folder, `shown-${n + 1}.jsonl`),
        });
        const { file, roast, chargedAt } = replayed;
        const compared = compareWithFile(replayed, 0.2);
        const short = name.slice(0, 2);
        say(`${name}: ${compared.expected} samples from charge to drop, ${compared.stored} readings stored`);
        const charge = Math.abs(chargedAt - markSeconds(file, 'charge'));
        const drop = Math.abs(chargedAt + (roast.duration_seconds ?? Number.NaN) - markSeconds(file, 'drop'));
        return [
          {
            what: `${short}: samples of the file not stored`,
            value: compared.missing.length,
            unit: '',
            aim: within(0),
          },
          { what: `${short}: stored that the file has not`, value: compared.foreign.length, unit: '', aim: within(0) },
          { what: `${short}: charge beside the file's`, value: charge, unit: 's', aim: within(5) },
          { what: `${short}: drop beside the file's`, value: drop, unit: 's', aim: within(5) },
        ];
      }),
    );
    return measured.flat();
  } finally {
    await sql.end({ timeout: 1 });
    await stack.close();
    await rm(folder, { recursive: true, force: true });
  }
};

export default {
  title: 'Real roasts at their own pace, from register to database',
  onlyWhenNamed: true,
  run,
} satisfies Bench;
