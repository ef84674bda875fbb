import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getRoast, listRoasts, updateRoast } from '@roastery/contract/roasts';
import { startStack } from '@roastery/stack/stack';
import postgres from 'postgres';
import { expect, it } from 'vitest';
import { isBounded, onlyInFull } from './endurance/volume.ts';
import { replayRoast } from './replayed-roast.ts';
import { signIn } from './roastery-client.ts';
import { until } from './until.ts';

/** Preheated: the recording's first sample is constant until it plays. */
const chargeAt = 4;
/** No sooner: a fall within three minutes of the charge is an aborted roast. */
const lidAt = chargeAt + 195;
const dropAt = lidAt + 55;

/** A fast roast whose lid is opened shortly before the drop: for half a minute the probe reads up to 9 °C less. */
const beanTempAt = (seconds: number): number => {
  if (seconds < chargeAt) return 200;
  const since = Math.min(seconds, dropAt) - chargeAt;
  const beans = 25 + 205 * (1 - Math.exp(-since / 110)) + 175 * Math.exp(-since / 14);
  const opened = seconds - lidAt;
  const lid = opened > 0 && opened < 30 ? 9 * Math.sin((Math.PI * opened) / 30) : 0;
  return seconds <= dropAt ? beans - lid : beans - 60 * (1 - Math.exp(-(seconds - dropAt) / 15));
};

const recordingOf = (beansAt: (second: number) => number, charge: number, drop: number, seconds: number): string => {
  const times = Array.from({ length: seconds }, (_, second) => second);
  const beans = times.map((second) => Math.round(beansAt(second) * 10) / 10);
  return `{'mode': 'C', 'timex': [${times.join(', ')}], 'temp1': [${times.map(() => 230).join(', ')}], 'temp2': [${beans.join(', ')}], 'timeindex': [${charge}, 0, 0, 0, 0, 0, ${drop}, 0]}`;
};

/**
 * Few beans in a drum that is heated by 3.6 °C/min: after two minutes they are back on its line, as after a door was
 * opened.
 */
const fewBeans = { chargeAt: 100, dropAt: 850 };
const fewBeansAt = (second: number): number => {
  const since = Math.max(0, second - fewBeans.chargeAt);
  const fallen = 14 * (1 - Math.exp(-since / 10)) * Math.exp(-since / 45);
  const open = 40 * (1 - Math.exp(-Math.max(0, second - fewBeans.dropAt) / 12));
  return 145 + 0.06 * Math.min(second, fewBeans.dropAt) - fallen - open;
};

it('an opened lid: looks like a drop for a while, ends no recording, and the drop is corrected', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'roastery-false-drop-'));
  const stack = await startStack({ dataDir: join(folder, 'data') });
  const sql = postgres(stack.databaseUrl, { max: 1, onnotice: () => undefined });
  try {
    const client = await signIn(stack.url, stack.admin);
    const file = join(folder, 'lid.alog');
    await writeFile(file, recordingOf(beanTempAt, chargeAt, dropAt, dropAt + 70));
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

it.skipIf(isBounded)(
  `a charge that is retracted because it looks like a door and found at the drop: gives one roast${onlyInFull}`,
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'roastery-withdrawn-'));
    const stack = await startStack({ dataDir: join(folder, 'data') });
    const sql = postgres(stack.databaseUrl, { max: 1, onnotice: () => undefined });
    try {
      const client = await signIn(stack.url, stack.admin);
      const file = join(folder, 'few.alog');
      await writeFile(file, recordingOf(fewBeansAt, fewBeans.chargeAt, fewBeans.dropAt, fewBeans.dropAt + 300));
      const recordFile = join(folder, 'shown.jsonl');
      const whole = replayRoast(stack, client, sql, { serial: 'FEW-1', file, factor: 16, hz: 1, recordFile });
      const withdrawn = await until(
        'the charge to be withdrawn',
        async () => (await client.call(listRoasts)).roasts.find(({ status }) => status === 'aborted'),
        { timeoutMs: 90_000, everyMs: 100 },
      );
      await client.call(updateRoast, { params: { id: withdrawn.id }, body: { notes: 'Peaberry' } });

      const { roast, chargedAt } = await whole;
      expect(Math.abs(chargedAt - fewBeans.chargeAt)).toBeLessThan(5);
      expect(Math.abs((roast.duration_seconds ?? 0) - (fewBeans.dropAt - fewBeans.chargeAt))).toBeLessThan(12);
      expect(roast.notes).toBe('Peaberry');
      expect((await client.call(listRoasts)).roasts.map(({ id, status }) => [id, status])).toEqual([
        [roast.id, 'completed'],
      ]);
    } finally {
      await sql.end({ timeout: 1 });
      await stack.close();
      await rm(folder, { recursive: true, force: true });
    }
  },
  180_000,
);
