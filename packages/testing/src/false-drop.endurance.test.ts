import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getRoast, listRoasts } from '@roastery/contract/roasts';
import { startStack } from '@roastery/stack/stack';
import postgres from 'postgres';
import { expect, it } from 'vitest';
import { replayRoast } from './replayed-roast.ts';
import { signIn } from './roastery-client.ts';
import { until } from './until.ts';

/** Hot before: the recording's first sample stands until it plays. */
const chargeAt = 4;
/** No sooner: what falls within three minutes of the charge is a roast that was broken off. */
const lidAt = chargeAt + 195;
const dropAt = lidAt + 55;

/** A quick roast whose lid is opened shortly before the drop: for half a minute the probe reads up to 9 °C less. */
const beanTempAt = (seconds: number): number => {
  if (seconds < chargeAt) return 200;
  const since = Math.min(seconds, dropAt) - chargeAt;
  const beans = 25 + 205 * (1 - Math.exp(-since / 110)) + 175 * Math.exp(-since / 14);
  const opened = seconds - lidAt;
  const lid = opened > 0 && opened < 30 ? 9 * Math.sin((Math.PI * opened) / 30) : 0;
  return seconds <= dropAt ? beans - lid : beans - 60 * (1 - Math.exp(-(seconds - dropAt) / 15));
};

const recording = (): string => {
  const times = Array.from({ length: dropAt + 70 }, (_, second) => second);
  const beans = times.map((second) => Math.round(beanTempAt(second) * 10) / 10);
  return `{'mode': 'C', 'timex': [${times.join(', ')}], 'temp1': [${times.map(() => 230).join(', ')}], 'temp2': [${beans.join(', ')}], 'timeindex': [${chargeAt}, 0, 0, 0, 0, 0, ${dropAt}, 0]}`;
};

it('a lid that is opened looks like a drop for a while, ends no recording, and the drop is put right', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'roastery-false-drop-'));
  const stack = await startStack({ dataDir: join(folder, 'data') });
  const sql = postgres(stack.databaseUrl, { max: 1, onnotice: () => undefined });
  try {
    const client = await signIn(stack.url, stack.admin);
    const file = join(folder, 'lid.alog');
    await writeFile(file, recording());
    const whole = replayRoast(stack, client, sql, {
      serial: 'LID-1',
      file,
      factor: 16,
      hz: 1.5,
      recordFile: join(folder, 'shown.jsonl'),
    });
    const suspected = await until(
      'the drop to be suspected',
      async () => {
        const [row] = (await client.call(listRoasts)).roasts;
        const roast = row && (await client.call(getRoast, { params: { id: row.id } }));
        return roast?.marks.some(({ kind, provisional }) => kind === 'drop' && provisional) && roast;
      },
      { timeoutMs: 90_000, everyMs: 100 },
    );
    expect(suspected.status).toBe('in_progress');
    const drop = suspected.marks.find(({ kind }) => kind === 'drop');
    expect(Math.abs((drop?.time_seconds ?? 0) - (lidAt - chargeAt))).toBeLessThan(12);
    expect(drop?.confidence).toBeLessThan(0.8);

    const { roast, curve } = await whole;
    expect(roast.id).toBe(suspected.id);
    const corrected = roast.marks.find(({ kind }) => kind === 'drop');
    expect(corrected?.provisional).toBe(false);
    expect(corrected?.confidence).toBeGreaterThan(drop?.confidence ?? 1);
    expect(Math.abs((corrected?.time_seconds ?? 0) - (dropAt - chargeAt))).toBeLessThan(10);
    expect(curve.time_seconds.at(-1), 'nothing is missing between').toBeGreaterThan(dropAt - chargeAt);
    expect((await client.call(listRoasts)).total).toBe(1);
  } finally {
    await sql.end({ timeout: 1 });
    await stack.close();
    await rm(folder, { recursive: true, force: true });
  }
}, 180_000);
