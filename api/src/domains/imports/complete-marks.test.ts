import { describe, expect, it } from 'vitest';
import { formatFiles } from '../../testing/format-files.ts';
import { readRoastFile } from './read-roast-file.ts';

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
