import { readdirSync, readFileSync } from 'node:fs';
import { sharedData } from '@roastery/testing/shared-data';
import { describe, expect, it } from 'vitest';
import { parsePythonLiteral, type PythonValue } from '@roastery/roasting/artisan/python-literal';
import { beanAt, crackSeconds, formatFiles, roastSeconds } from '../../../testing/format-files.ts';
import { valuesOf, type ImportedRoast } from '../imported-roast.ts';
import { readRoastFile } from '../read-roast-file.ts';

const shared = sharedData();
const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8').split('\n');

/** Cells of the row of a format: program, file, tried on, samples, marks. */
const rowOf = (program: string, file: string): string[] =>
  readme
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .find(([, one, two]) => one === program && two === file) ?? [];

interface Compared {
  readonly samples: number;
  readonly equal: number;
  /** Of all marks that the file names, s. */
  readonly apart: number;
}
const sum = (all: readonly Compared[]): Compared => ({
  samples: all.reduce((total, { samples }) => total + samples, 0),
  equal: all.reduce((total, { equal }) => total + equal, 0),
  apart: Math.max(...all.map(({ apart }) => apart)),
});
const stated = ({ samples, equal, apart }: Compared): string[] => [
  `${equal.toLocaleString('en-US')} of ${samples.toLocaleString('en-US')}`,
  `${Math.ceil(apart)} s`,
];

const compare = (
  roast: ImportedRoast,
  truth: (time: number, index: number) => number,
  marks: Readonly<Record<string, number>>,
): Compared => {
  const bean = valuesOf(roast, 'bean_temp') ?? [];
  const read = roast.timesSeconds.flatMap((time, index) => {
    const value = bean[index] ?? null;
    return value === null ? [] : [Math.abs(value - truth(time, index))];
  });
  const apart = Object.entries(marks).map(([kind, seconds]) =>
    Math.abs((roast.marks.find((mark) => mark.kind === kind)?.timeSeconds ?? Number.POSITIVE_INFINITY) - seconds),
  );
  return {
    samples: read.length,
    equal: read.filter((difference) => difference < 0.01).length,
    apart: Math.max(...apart),
  };
};

const whole = { charge: 0, first_crack: crackSeconds, drop: roastSeconds };
const withoutCrack = { charge: 0, drop: roastSeconds };
const events: Readonly<Record<number, string>> = { 0: 'charge', [crackSeconds]: 'first crack', [roastSeconds]: 'drop' };
const anyTable = [
  'time,bean temp,event',
  ...Array.from({ length: roastSeconds + 1 }, (_, second) => `${second},${beanAt(second)},${events[second] ?? ''}`),
].join('\n');
const clock = (second: number) =>
  `${String(Math.floor(second / 60)).padStart(2, '0')}:${String(second % 60).padStart(2, '0')}`;
const artisanEvents: Readonly<Record<number, string>> = { 0: 'Charge', [crackSeconds]: 'FCs', [roastSeconds]: 'Drop' };
const artisanCsv = [
  `Date:21.11.2026\tUnit:C\tCHARGE:00:00\tTP:01:00\tDRYe:\tFCs:${clock(crackSeconds)}\tFCe:\tSCs:\tSCe:\tDROP:${clock(roastSeconds)}\tCOOL:\tTime:07:40`,
  'Time1\tTime2\tET\tBT\tEvent',
  ...Array.from(
    { length: roastSeconds + 1 },
    (_, second) => `${clock(second)}\t${clock(second)}\t200\t${beanAt(second)}\t${artisanEvents[second] ?? ''}`,
  ),
].join('\n');
const made = (name: string) => formatFiles.find((file) => file.name === name)?.bytes ?? new Uint8Array();

const numbersOf = (raw: PythonValue, key: string): number[] => {
  const value = raw instanceof Map ? raw.get(key) : undefined;
  return Array.isArray(value) ? value.map(Number) : [];
};

describe('table of formats in the README', () => {
  it.each([
    ['Artisan', 'JSON', ['artisan.json'], whole],
    ['Cropster', 'XLS, XLSX', ['cropster.xls', 'cropster-de.xls', 'cropster.xlsx'], whole],
    ['RoasTime, Roast World', 'JSON', ['roastime.json'], whole],
    ['RoasTime', 'CSV report', ['roastime.csv'], whole],
    ['Kaleido', 'sections in CSV', ['kaleido.csv'], whole],
    ['Stronghold S2, S7, S8, S9', 'XLSX', ['stronghold.xlsx'], whole],
    ['Loring', 'CSV', ['loring.csv'], whole],
    ['Giesen Profiler', 'CSV', ['giesen.csv'], withoutCrack],
    ['IKAWA', 'CSV, both kinds', ['ikawa.csv'], { charge: 30, drop: 480 }],
    ['Roest', 'CSV', ['Guji - Batch 995.csv'], whole],
    ['Rubasse', 'CSV', ['rubasse.csv'], whole],
    ['Petroncini', 'CSV', ['2021_4_30_17_56_49.csv'], withoutCrack],
    ['Kaffelogic', '`.klog`', ['log0018.klog'], whole],
    ['HiBean', 'JSON', ['hibean.json'], whole],
  ] as const)('states samples and marks of %s (%s) as they are measured', async (program, file, names, marks) => {
    const all: Compared[] = [];
    for (const name of names)
      all.push(compare((await readRoastFile(made(name), {})).roast, (time) => beanAt(Math.round(time)), marks));
    expect(rowOf(program, file).slice(4, 6)).toEqual(stated(sum(all)));
  });

  it.each([
    ['any', 'CSV, XLS, XLSX', anyTable],
    ['Artisan', 'CSV, XLSX', artisanCsv],
  ])('states samples and marks of a table (%s, %s) as they are measured', async (program, file, text) => {
    const { roast } = await readRoastFile(new TextEncoder().encode(text), {});
    expect(rowOf(program, file).slice(4, 6)).toEqual(stated(compare(roast, beanAt, whole)));
  });

  const kinds = [
    'charge',
    'dry_end',
    'first_crack',
    'first_crack_end',
    'second_crack',
    'second_crack_end',
    'drop',
    'cool_end',
  ];

  it.skipIf(!shared.present)(
    `states samples and marks of the real files of Artisan as they are measured${shared.title('')}`,
    async () => {
      const all: Compared[] = [];
      let files = 0;
      for (const folder of ['alog', 'alog2']) {
        for (const name of readdirSync(shared.path(folder)).filter((file) => file.endsWith('.alog'))) {
          files += 1;
          const text = readFileSync(shared.path(folder, name), 'utf8');
          const read = await readRoastFile(new TextEncoder().encode(text), {}).catch(() => undefined);
          if (read === undefined) continue;
          const raw = parsePythonLiteral(text);
          const isFahrenheit = raw instanceof Map && raw.get('mode') === 'F';
          const [times, bean, places] = [numbersOf(raw, 'timex'), numbersOf(raw, 'temp2'), numbersOf(raw, 'timeindex')];
          const start = (times[0] ?? 0) - (read.roast.timesSeconds[0] ?? 0);
          const marks = places.flatMap((at, place) =>
            (place === 0 ? at >= 0 : at > 0) ? [[kinds[place] ?? '', (times[at] ?? 0) - start] as const] : [],
          );
          const truth = (_time: number, index: number) =>
            isFahrenheit ? (((bean[index] ?? 0) - 32) * 5) / 9 : (bean[index] ?? 0);
          all.push(compare(read.roast, truth, Object.fromEntries(marks)));
        }
      }
      const cells = rowOf('Artisan', '`.alog`');
      expect(cells[3]).toContain(`real, ${files} files (${files - all.length} hold no roast)`);
      expect(cells.slice(4, 6)).toEqual(stated(sum(all)));
    },
  );
});
