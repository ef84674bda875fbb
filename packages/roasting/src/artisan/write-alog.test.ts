import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { parseAlog } from './alog.ts';
import { withEscapes, withoutEscapes } from './alog-fields.ts';
import { parsePythonLiteral } from './python-literal.ts';
import { pythonRepr } from './python-repr.ts';
import { writeAlog, type WrittenRoast } from './write-alog.ts';

const roast: WrittenRoast = {
  timesSeconds: [0, 1.25, 2.5, 3.75],
  beanTempC: [200.1, null, 95.5, 210],
  exhaustTempC: [220, 221.5, null, 230],
  channels: [
    { name: 'Burner', isTemperature: false, values: [80, 80, null, 0] },
    { name: 'Füllung {x} 烘焙', isTemperature: true, values: [20, 21, 22, 23] },
    { name: 'Drum', isTemperature: false, values: [50, 50, 50, 50] },
  ],
  marks: [
    { kind: 'charge', timeSeconds: 0 },
    { kind: 'turning_point', timeSeconds: 2.4 },
    { kind: 'drop', timeSeconds: 3.7 },
  ],
  title: "Guji 'Shakiso' \\ 烘焙 😀",
  beans: 'Guji\nfully washed',
  machine: 'RM15',
  operator: 'Ada',
  roastingNotes: 'two\nlines',
  color: 61.5,
  greenKg: 12,
  roastedKg: 10.2,
  startedAtMs: Date.UTC(2026, 10, 21, 7, 40),
  uuid: '01890000-0000-7000-8000-000000000001',
  record: { v: 1, marks: [['turning_point', 2.4, null]], wide: '烘焙' },
};

const python = ((): string | undefined => {
  try {
    execFileSync('python3', ['-c', 'import ast']);
    return 'python3';
  } catch (error) {
    if (error instanceof Error) return undefined;
    throw error;
  }
})();

const rounded = (readings: readonly (number | null)[]) =>
  readings.map((tempC) => (tempC === null ? null : Math.round(tempC * 100) / 100));

describe('a written Artisan file', () => {
  it('is read back as it was', () => {
    const read = parseAlog(writeAlog(roast));
    expect(read).toMatchObject({
      timesSeconds: roast.timesSeconds,
      beanTempC: roast.beanTempC,
      exhaustTempC: roast.exhaustTempC,
      title: roast.title,
      beans: roast.beans,
      machine: 'RM15',
      operator: 'Ada',
      roastingNotes: roast.roastingNotes,
      color: 61.5,
      greenKg: 12,
      roastedKg: 10.2,
      roastedAt: '2026-11-21T07:40:00.000Z',
      recordedIn: 'C',
      warnings: [],
    });
    expect(read.channels.map(({ name, mayBeTemperature, values }) => ({ name, mayBeTemperature, values }))).toEqual(
      roast.channels.map(({ name, isTemperature, values }) => ({ name, mayBeTemperature: isTemperature, values })),
    );
    expect(read.marks.map(({ kind, timeSeconds }) => [kind, timeSeconds])).toEqual([
      ['charge', 0],
      ['drop', 3.75],
    ]);
    expect(read.record).toEqual(
      new Map<string, unknown>([
        ['v', 1],
        ['marks', [['turning_point', 2.4, null]]],
        ['wide', '烘焙'],
      ]),
    );
  });

  it.skipIf(python === undefined)(
    `is a Python literal, as Artisan reads it${python === undefined ? ' (skipped: no python3 here)' : ''}`,
    () => {
      const script =
        'import ast,sys,json; d=ast.literal_eval(sys.stdin.buffer.read().decode("utf-8")); print(json.dumps(d))';
      const read = JSON.parse(
        execFileSync('python3', ['-c', script], { input: writeAlog(roast), encoding: 'utf8' }),
      ) as Record<string, unknown[]>;
      expect(read['timex']).toEqual(roast.timesSeconds);
      expect(read['temp2']).toEqual([200.1, -1, 95.5, 210]);
      expect(read['timeindex']).toEqual([0, 0, 0, 0, 0, 0, 3, 0]);
      // A list that is shorter than the devices makes Artisan refuse the file.
      const lists = Object.entries(read).filter(([key]) => /^extra(?!LCDv|CurveV|Delta|Fill)/.test(key));
      expect(lists.map(([key, list]) => [key, list.length])).toEqual(lists.map(([key]) => [key, 2]));
    },
  );
});

describe('texts', () => {
  it.each(['plain', 'back\\slash', 'quote \' and "', 'new\nline\ttab', '烘焙', '😀', '\u0007', ''])(
    'survive both kinds of escape: %j',
    (text) => {
      expect(parsePythonLiteral(pythonRepr(text))).toBe(text);
      expect(withoutEscapes(withEscapes(text))).toBe(text);
    },
  );
  it('of real files are readable', () => {
    expect(withoutEscapes('natural (Para\\xedso)')).toBe('natural (Paraíso)');
    expect(withoutEscapes('\\u70d8\\u7119')).toBe('烘焙');
    expect(withoutEscapes('C:\\profile \\uZZZZ')).toBe('C:\\profile \\uZZZZ');
  });
  it('and numbers hold only values that a literal can have', () => {
    expect(pythonRepr([1, -0.5, 1e21, null, true, false])).toBe('[1, -0.5, 1e+21, None, True, False]');
    expect(() => pythonRepr(Number.NaN)).toThrow(RangeError);
  });

  it('in °F: is read back as it was, within a thousandth of a degree', () => {
    const text = writeAlog({ ...roast, mode: 'F' });
    expect(text).toContain("'mode': 'F'");
    // 210 °C
    expect(text).toMatch(/'temp2': \[392\.18, -1, 203\.9, 410(?:\.0)?\]/);
    const read = parseAlog(text);
    expect(read.recordedIn).toBe('F');
    expect(rounded(read.beanTempC)).toEqual(rounded(roast.beanTempC));
    expect(read.marks.map(({ tempC }) => Math.round(tempC ?? 0))).toEqual([200, 210]);
  });

  it.each([
    ['A-12', 'A-', 12],
    ['PR-0012', 'PR-00', 12],
    ['1204', null, 1204],
    [null, null, null],
    ['A-', null, null],
  ])('batch %j: has its prefix and its number', (batch, prefix, number) => {
    const read = parseAlog(writeAlog({ ...roast, batch }));
    expect([read.batchPrefix, read.batchNumber]).toEqual([prefix, number]);
  });
});
