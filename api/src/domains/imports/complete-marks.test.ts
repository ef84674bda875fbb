import { readFileSync } from 'node:fs';
import { sharedData } from '@roastery/testing/shared-data';
import { describe, expect, it } from 'vitest';
import { formatFiles } from '../../testing/format-files.ts';
import { windowInFile } from './machine-files/file-roast.ts';
import { readRoastFile } from './read-roast-file.ts';
import { recordingIn } from './recording-in-file.ts';

const rows = (said: Readonly<Record<number, string>>): Uint8Array =>
  new TextEncoder().encode(
    [
      'Time,BT,Event',
      ...Array.from({ length: 700 }, (_, second) => {
        const bean = second < 90 ? 200 - second : 110 + (second - 90) / 6;
        return `${second},${bean.toFixed(1)},${said[second] ?? ''}`;
      }),
    ].join('\n'),
  );
const marksIn = async (said: Readonly<Record<number, string>>) => {
  const { roast } = await readRoastFile(rows(said), {});
  const marks = Object.fromEntries(roast.marks.map(({ kind, timeSeconds }) => [kind, timeSeconds]));
  return { marks, warnings: roast.warnings };
};

describe('a mark that a file has twice', () => {
  it.each([
    ['drop: the last', { 5: 'charge', 15: 'drop', 500: 'first crack', 650: 'drop' }, [5, 500, 650]],
    [
      'charge: the last before the drop',
      { 5: 'charge', 20: 'charge', 500: 'first crack', 650: 'drop' },
      [20, 500, 650],
    ],
    ['charge after the drop: the next roast’s', { 5: 'charge', 500: 'fcs', 600: 'drop', 690: 'charge' }, [5, 500, 600]],
    [
      'first crack: the first of the roast',
      { 2: 'fcs', 5: 'charge', 500: 'fcs', 510: 'fcs', 650: 'drop' },
      [5, 500, 650],
    ],
  ] as const)('%s', async (_which, said, [charge, crack, drop]) => {
    const { marks, warnings } = await marksIn(said);
    expect(marks).toMatchObject({ charge, first_crack: crack, drop });
    expect(warnings.join()).toMatch(/more than once; the one at \d+:\d\d of the recording counts/);
  });

  it('once: no remark', async () => {
    expect((await marksIn({ 5: 'charge', 500: 'fcs', 650: 'drop' })).warnings).toEqual([]);
  });
});

describe('a mark outside of the curve', () => {
  const file = formatFiles.find(({ name }) => name === 'roastime.json');
  const data = JSON.parse(new TextDecoder().decode(file?.bytes)) as Record<string, unknown>;
  const samples = (data['beanTemperature'] as unknown[]).length;
  const keys = [
    ['indexYellowingStart', 'dry_end'],
    ['indexFirstCrackStart', 'first_crack'],
    ['indexFirstCrackEnd', 'first_crack_end'],
    ['indexSecondCrackStart', 'second_crack'],
    ['indexSecondCrackEnd', 'second_crack_end'],
  ] as const;
  it.each(keys.flatMap(([key, kind]) => [samples + 1, 65_535].map((index) => [key, index, kind] as const)))(
    'RoasTime %s %i: is no mark, and the drop stays',
    async (key, index, kind) => {
      const bytes = new TextEncoder().encode(JSON.stringify({ ...data, [key]: index }));
      const before = (await readRoastFile(file?.bytes ?? new Uint8Array(), {})).roast;
      const { roast } = await readRoastFile(bytes, {});
      const at = (marks: typeof roast.marks, one: string) => marks.find((mark) => mark.kind === one)?.timeSeconds;
      const last = roast.timesSeconds.at(-1);
      expect(at(roast.marks, 'drop')).toBe(at(before.marks, 'drop'));
      // The detector may find a dry end in the curve.
      expect(at(roast.marks, kind)).not.toBe(last);
      expect(roast.warnings).toContain('A mark outside the recording was skipped.');
    },
  );
});

const fluidBed = (marks: string): Uint8Array => {
  const times = Array.from({ length: 300 }, (_, sample) => sample * 2 + 0.4);
  // From 80 °C upwards from the first sample on: no fall shows the charge.
  const bean = times.map((second) => (80 + 130 * (1 - Math.exp(-second / 160))).toFixed(2));
  return new TextEncoder().encode(
    `{'mode': 'C', 'timex': [${times.join(', ')}], 'temp1': [${bean.join(', ')}], 'temp2': [${bean.join(', ')}], 'timeindex': [${marks}]}`,
  );
};

describe('a recording without a charge', () => {
  it.each([
    [
      'with later marks',
      '-1, 60, 200, 0, 0, 0, 280, 0',
      { charge: 0.4, dry_end: 120.4, first_crack: 400.4, drop: 560.4 },
      560_400,
    ],
    ['without any mark', '-1, 0, 0, 0, 0, 0, 0, 0', { charge: 0.4 }, 598_400],
  ])(
    'of Artisan %s: begins with it, with a remark, also when it comes by itself',
    async (_which, index, expected, endMs) => {
      const { roast } = await readRoastFile(fluidBed(index), {});
      expect(Object.fromEntries(roast.marks.map(({ kind, timeSeconds }) => [kind, timeSeconds]))).toEqual(expected);
      expect(roast.warnings.join()).toMatch(/taken to begin with it/);
      const recording = await recordingIn(fluidBed(index), {});
      expect(windowInFile(recording)).toEqual({ from: 400, to: endMs });
    },
  );

  it('that holds no roast asks for it', async () => {
    const flat = Array.from({ length: 100 }, (_, second) => `${second},${(150 + second / 10).toFixed(1)},`);
    const { roast } = await readRoastFile(new TextEncoder().encode(['Time,BT,Event', ...flat].join('\n')), {});
    expect(roast.marks).toEqual([]);
  });

  const shared = sharedData();
  it.skipIf(!shared.present)(
    `of an air roaster begins with it, or at the fall of its curve${shared.title('')}`,
    async () => {
      for (const name of ['130', '131', '147', '155']) {
        const bytes = new Uint8Array(readFileSync(shared.path('alog3', `${name}_air.alog`)));
        const charge = (await readRoastFile(bytes, {})).roast.marks.find(({ kind }) => kind === 'charge');
        expect([name, (charge?.timeSeconds ?? Infinity) < 5]).toEqual([name, true]);
      }
    },
  );
});

it.each([
  [
    'an Artisan file',
    "{'mode': 'C', 'timex': [0.0, 0.0, 0.0], 'temp1': [1.0, 2.0, 3.0], 'temp2': [1.0, 2.0, 3.0], 'timeindex': [0]}",
  ],
  ['a table', 'time,BT\n0,200\n0,199\n0,198'],
])('%s whose times are all 0 is refused for that', async (_what, text) => {
  await expect(readRoastFile(new TextEncoder().encode(text), {})).rejects.toThrow(
    'All 3 samples of the file have the time 0:00: its clock did not run',
  );
});

it('a charge before the first sample, set by a person: is the zero of the recording, and its clock follows', async () => {
  const text = Array.from({ length: 300 }, (_, sample) => {
    const at = new Date(Date.UTC(2026, 5, 7, 12, 0, sample * 2)).toISOString();
    return `${at},${(95 + sample / 3).toFixed(1)}`;
  });
  const bytes = new TextEncoder().encode(['Timestamp,BT', ...text].join('\n'));
  const { chargeMs, monoMs, startedAtMs, marks } = await recordingIn(bytes, { charge_seconds: -30, drop_seconds: 570 });
  expect([chargeMs, monoMs[0], monoMs[1]]).toEqual([0, 30_000, 32_000]);
  expect(new Date(startedAtMs ?? 0).toISOString()).toBe('2026-06-07T11:59:30.000Z');
  expect(marks.map(({ kind, monoMs: at }) => [kind, at])).toEqual([
    ['charge', 0],
    ['drop', 600_000],
  ]);
});
