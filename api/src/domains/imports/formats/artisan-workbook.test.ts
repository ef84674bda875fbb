import { utils, write } from '@e965/xlsx';
import { describe, expect, it } from 'vitest';
import { valuesOf, type ImportedRoast } from '../imported-roast.ts';
import { readRoastFile } from '../read-roast-file.ts';

/**
 * Artisan's table exports by its own rules: the workbook by main.py:15382-15542 of neuralldev/tilauscope_fork@30fc858,
 * the CSV by util.py:1605-1686 without the guard in line 1665.
 */
const markNames = ['CHARGE', 'TP', 'DRYe', 'FCs', 'FCe', 'SCs', 'SCe', 'DROP', 'COOL'] as const;
const eventNames = ['Charge', 'TP', 'Dry End', 'FCs', 'FCe', 'SCs', 'SCe', 'Drop', 'COOL'] as const;
type Marks = Readonly<Partial<Record<(typeof markNames)[number], number>>>;

const samplesPerSecond = 2;
const timex = Array.from({ length: 600 * samplesPerSecond }, (_, index) => index / samplesPerSecond);
const beanC = (second: number): number => {
  if (second < 30) return 200;
  return second < 90 ? 200 - (110 * (second - 30)) / 60 : 90 + (122 * (second - 90)) / 440;
};
const unplugged = 100;
const clock = (seconds: number): string => {
  const whole = Math.floor(seconds);
  return `${String(Math.floor(whole / 60)).padStart(2, '0')}:${String(whole % 60).padStart(2, '0')}`;
};

interface Sample {
  readonly time1: string;
  readonly temp: number;
  readonly event: string;
}
/** One row for each second; an unset mark has the time 0, an unset charge that of the last sample. */
const samplesOf = (marks: Marks, inUnit: (tempC: number) => number): Sample[] => {
  const open = markNames.map((name, place) => ({
    event: eventNames[place] ?? '',
    at: marks[name] ?? (name === 'CHARGE' ? (timex.at(-1) ?? 0) : 0),
  }));
  const rows = timex.map((tx): Sample => {
    const place = open.findIndex(({ at }) => Math.floor(tx) === Math.floor(at));
    const event = place < 0 ? '' : (open.splice(place, 1)[0]?.event ?? '');
    return { time1: clock(tx), temp: Math.floor(tx) === unplugged ? -1 : inUnit(beanC(tx)), event };
  });
  return rows.filter(({ time1 }, index) => time1 !== rows[index - 1]?.time1);
};

const workbook = (marks: Marks, mode: 'C' | 'F'): Uint8Array => {
  const since = (name: (typeof markNames)[number]) => {
    const seconds = (marks[name] ?? 0) - (marks.CHARGE ?? timex.at(-1) ?? 0);
    return seconds > 0 ? clock(seconds) : '';
  };
  const rows = [
    ['Date', 'Unit', ...markNames, 'Time'],
    ['24.11.2026', mode, ...markNames.map(since), '07:40'],
    [],
    ['Time1', 'Time2', 'ET', 'BT', 'ΔBT', 'Event', 'Burner', 'Extra 2'],
    ...samplesOf(marks, (tempC) => (mode === 'F' ? tempC * 1.8 + 32 : tempC)).map(({ time1, temp, event }) => [
      time1,
      '',
      temp < 0 ? -1 : temp + 10,
      temp,
      8.5,
      event,
      70,
      -1,
    ]),
  ];
  const book = utils.book_new();
  utils.book_append_sheet(book, utils.aoa_to_sheet(rows), 'Profile');
  return new Uint8Array(write(book, { type: 'array', bookType: 'xlsx' }) as ArrayBuffer);
};

const oldCsv = (marks: Marks): Uint8Array => {
  const head = markNames.map((name) => `${name}:${marks[name] === undefined ? '' : clock(marks[name])}`);
  const rows = samplesOf(marks, (tempC) => tempC).map(({ time1, temp, event }) => [time1, '', temp, temp, event]);
  const lines = [
    ['Date:24.11.2026', 'Unit:C', ...head, 'Time:07:40'],
    ['Time1', 'Time2', 'ET', 'BT', 'Event'],
    ...rows,
  ];
  return new TextEncoder().encode(lines.map((line) => line.join('\t')).join('\n'));
};

const marksIn = (roast: ImportedRoast) => Object.fromEntries(roast.marks.map((mark) => [mark.kind, mark.timeSeconds]));
const usual: Marks = { CHARGE: 30, TP: 90, DRYe: 270, FCs: 450, DROP: 530 };
const read = { charge: 30, turning_point: 90, dry_end: 270, first_crack: 450, drop: 530 };

describe('a table that Artisan exports', () => {
  it('workbook: marks that were not set are left out, the others stay', async () => {
    const { roast } = await readRoastFile(workbook(usual, 'C'), {});
    expect(marksIn(roast)).toEqual(read);
    expect(roast.warnings).toEqual([]);
  });

  it('workbook: a charge that was not set is not on the last row', async () => {
    const { roast } = await readRoastFile(workbook({ FCs: 450, DROP: 530 }, 'C'), {});
    expect(marksIn(roast)).toMatchObject({ first_crack: 450, drop: 530 });
    expect(marksIn(roast)['charge']).toBeCloseTo(30, -1);
  });

  it('workbook: has unit and date, and -1 is a missing reading', async () => {
    const { roast } = await readRoastFile(workbook(usual, 'F'), {});
    expect(roast.temperatureUnit).toEqual({ value: 'F', source: 'file' });
    expect(new Date(roast.recordedAtMs ?? 0).toISOString()).toBe('2026-11-24T07:40:00.000Z');
    const [bean, exhaust] = ['bean_temp', 'exhaust_temp'].map((name) => valuesOf(roast, name) ?? []);
    expect([bean?.[unplugged], exhaust?.[unplugged]]).toEqual([null, null]);
    expect(bean?.[450]).toBeCloseTo(beanC(450), 6);
    expect((exhaust?.[450] ?? 0) - (bean?.[450] ?? 0)).toBeCloseTo(10 / 1.8, 6);
  });

  it('CSV without the guard: marks that were not set are left out, the others stay', async () => {
    const { roast } = await readRoastFile(oldCsv(usual), {});
    expect(marksIn(roast)).toEqual(read);
  });
});
