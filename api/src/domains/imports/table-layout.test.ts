import { readFileSync } from 'node:fs';
import { utils, write } from '@e965/xlsx';
import type { ColumnChoice } from '@roastery/contract/imports';
import { sharedData } from '@roastery/testing/shared-data';
import { describe, expect, it } from 'vitest';
import {
  notations,
  ownStyles,
  publicStyles,
  tableBeanC,
  tableAirC,
  tableIn,
  tableMarks,
  type TableStyle,
} from '../../testing/table-styles.ts';
import { beanProbeOf } from './bean-probe.ts';
import { valuesOf, type ImportedRoast, type ReadingChoices } from './imported-roast.ts';
import { readRoastFile } from './read-roast-file.ts';
import { headsKey } from './table-layout.ts';

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const read = async (bytes: Uint8Array, choices: ReadingChoices = {}) => (await readRoastFile(bytes, choices)).roast;

/** The largest deviation of a channel from a curve, °C; infinite without the channel. */
const deviation = (roast: ImportedRoast, channel: string, curve: (second: number) => number): number =>
  (valuesOf(roast, channel) ?? [null]).reduce<number>((most, value, at) => {
    return Math.max(most, Math.abs((value ?? Infinity) - curve(roast.timesSeconds[at] ?? 0)));
  }, 0);

const expectRoast = (roast: ImportedRoast, style: TableStyle, name: string): void => {
  expect([name, roast.timesSeconds.length, roast.timesSeconds.at(-1)]).toEqual([name, 166, 660]);
  expect(deviation(roast, 'bean_temp', tableBeanC), name).toBeLessThan(0.1);
  if (style.exhaust === true) expect(deviation(roast, 'exhaust_temp', tableAirC), name).toBeLessThan(0.1);
  for (const [kind, seconds] of Object.entries(tableMarks)) {
    const at = roast.marks.find((mark) => mark.kind === kind)?.timeSeconds ?? Infinity;
    expect(Math.abs(at - seconds), `${name}: ${kind} at ${at}`).toBeLessThanOrEqual(8);
  }
  const rates = roast.channels.filter(({ label }) => /ror|rate/i.test(label));
  expect(rates, name).toEqual([]);
};

it.each(['dBT', 'ΔET', 'RoR 2', 'Timer', 'Sample no', 'Marker', 'Clock', 'Rate of rise', 'Time', 'BT', 'x'])(
  'a table that we have written keeps its channel %j',
  async (label) => {
    const heads = ['Time (s)', 'Since charge (s)', 'Bean temp (°C)', label, 'Rate of rise (°C/min)', 'Event'];
    const rows = Array.from({ length: 166 }, (_, at) => [at * 4, at * 4 - 30, tableBeanC(at * 4), at / 10, 5, '']);
    const { channels } = await read(encode([heads, ...rows].map((row) => row.join()).join('\n')));
    expect(channels.map((channel) => [channel.label, channel.values[10]])).toEqual([
      ['Bean temp', expect.closeTo(tableBeanC(40), 1)],
      [label, 1],
    ]);
  },
);

describe('tables of people and small programs', () => {
  it.each([...ownStyles, ...publicStyles])('$name: is the roast in every notation', async (style) => {
    for (const notation of notations) {
      const name = JSON.stringify(notation);
      const roast = await read(tableIn(style, notation));
      expect(roast.table?.source).toBe('heads');
      expectRoast(roast, style, name);
    }
  });

  const strange: TableStyle = {
    name: 'strange',
    columns: ['x|s', 'p|bean', 'q|air', 'r|fan', 'when|word'],
    exhaust: true,
  };
  const chosen = [
    { head: 'x', use: 'time', unit: 's' },
    { head: 'p', use: 'bean_temp', unit: 'F' },
    { head: 'q', use: 'exhaust_temp', unit: 'F' },
    { head: 'r', use: 'fan_speed', unit: null },
    { head: 'when', use: 'none', unit: null },
  ] as const;

  it('heads that say nothing: ask for the columns, and are the roast once they are assigned', async () => {
    for (const notation of notations) {
      const bytes = tableIn(strange, notation);
      const asked = await read(bytes);
      expect([asked.timesSeconds, asked.table?.source]).toEqual([[], 'heads']);
      const shown = Object.fromEntries((asked.table?.columns ?? []).map(({ head, examples }) => [head, examples]));
      expect(shown['x']).toEqual(['0', '4', '8']);
      const unit = notation.inF ? 'F' : 'C';
      const columns = chosen.map((column): ColumnChoice => (column.unit === 'F' ? { ...column, unit } : column));
      const roast = await read(bytes, { columns: [...columns] });
      expectRoast(roast, strange, JSON.stringify(notation));
      expect(roast.table?.source).toBe('person');
      expect(roast.temperatureUnit).toEqual({ value: unit, source: 'person' });
      expect(valuesOf(roast, 'fan_speed')?.[3]).toBe(45);
    }
  });

  it('columns kept for a layout: are used in any order of the columns, and not for other heads', async () => {
    const layouts = { [headsKey(['x', 'p', 'q', 'r', 'when'])]: [...chosen] };
    const inF = { separator: ';', decimal: ',', inF: true, isReversed: true } as const;
    expectRoast(await read(tableIn(strange, inF), { layouts }), strange, 'reversed');
    const other = { ...strange, columns: [...strange.columns, 'more|fan'] } as const;
    expect((await read(tableIn(other, inF), { layouts })).timesSeconds).toEqual([]);
    expect((await read(tableIn(strange, inF), { layouts, columns: [] })).timesSeconds).toEqual([]);
  });

  it('a person’s columns count before recognised heads', async () => {
    const swapped = { name: 'swapped', columns: ['time|s', 'BT|air', 'ET|bean'], exhaust: true } as const;
    const bytes = tableIn(swapped, { separator: ',', decimal: '.', inF: false, isReversed: false });
    expect(deviation(await read(bytes), 'bean_temp', tableAirC)).toBeLessThan(0.1);
    const roast = await read(bytes, {
      columns: [
        { head: 'BT', use: 'exhaust_temp', unit: null },
        { head: 'ET', use: 'bean_temp', unit: null },
      ],
    });
    expectRoast(roast, swapped, 'swapped');
  });

  it('no heads at all: the columns are asked for by their place', async () => {
    const text = new TextDecoder().decode(
      tableIn(strange, { separator: ',', decimal: '.', inF: false, isReversed: false }),
    );
    const roast = await read(encode(text.split('\r\n').slice(1).join('\r\n')));
    expect(roast.table?.columns.map(({ head }) => head)).toEqual([1, 2, 3, 4, 5].map((place) => `Column ${place}`));
  });

  it('the unit of each column counts: a bean temperature in °C beside an exhaust in °F', async () => {
    const rows = Array.from({ length: 60 }, (_, row) => `${row * 10},${150 + row},${(200 + row) * 1.8 + 32}`);
    const roast = await read(encode(['time_s,bean_c,exhaust_f', ...rows].join('\n')));
    expect(valuesOf(roast, 'bean_temp')?.[10]).toBe(160);
    expect(valuesOf(roast, 'exhaust_temp')?.[10]).toBeCloseTo(210, 6);
  });

  it('a workbook of two sheets: the columns of its table are asked for, and assigned', async () => {
    const book = utils.book_new();
    const rows = Array.from({ length: 100 }, (_, row) => [row * 5, 90 + row]);
    utils.book_append_sheet(book, utils.aoa_to_sheet([['Guji', 'washed']]), 'About');
    utils.book_append_sheet(book, utils.aoa_to_sheet([['x', 'p'], ...rows]), 'Readings');
    const bytes = new Uint8Array(write(book, { type: 'array', bookType: 'xlsx' }) as ArrayBuffer);
    expect((await read(bytes)).table?.columns.map(({ head }) => head)).toEqual(['x', 'p']);
    const roast = await read(bytes, { columns: chosen.slice(0, 2).map((column) => ({ ...column, unit: null })) });
    expect(valuesOf(roast, 'bean_temp')?.at(-1)).toBe(189);
    expect(roast.timesSeconds.at(-1)).toBe(495);
  });

  it('distinguishes two unnamed probes of a recording at 80 Hz by some of their readings', () => {
    const times = Array.from({ length: 52_000 }, (_, sample) => sample / 80);
    expect(beanProbeOf(times, [times.map(tableAirC), times.map(tableBeanC)])).toBe(1);
    expect(beanProbeOf(times, [times.map(tableBeanC), times.map(tableAirC)])).toBe(0);
    expect(beanProbeOf(times, [times.map(tableAirC), times.map(tableAirC)])).toBeUndefined();
  });

  it('of several columns of one meaning the plainest counts', async () => {
    const rows = Array.from({ length: 60 }, (_, row) => `${row * 10},${100 + row},${200 + row},${300 + row}`);
    const roast = await read(encode(['time_s,BT_avg,BT 2,BT', ...rows].join('\n')), { temperature_unit: 'C' });
    expect(valuesOf(roast, 'bean_temp')?.[10]).toBe(310);
    expect(roast.channels.map(({ name }) => name)).toEqual(['bt_avg', 'bt_2', 'bean_temp']);
  });

  it.each(['time,coffee,temp set', 'origin,Guji\nnotes,good', 'a plain text'])(
    '%j: is no table of readings',
    async (text) => {
      await expect(read(encode(text))).rejects.toThrow(/No table of readings/);
    },
  );

  const shared = sharedData();
  it.skipIf(!shared.present).each(['table-snake-units.csv', 'table-snake-no-units.csv', 'ambex-profileplus.csv'])(
    `%s: is recognised by its heads${shared.title('')}`,
    async (name) => {
      const roast = await read(new Uint8Array(readFileSync(shared.path('cases', name))));
      const at = Object.fromEntries(roast.marks.map(({ kind, timeSeconds }) => [kind, timeSeconds]));
      expect(Math.abs((at['charge'] ?? Infinity) - 30), JSON.stringify(at)).toBeLessThanOrEqual(5);
      expect(Math.abs((at['drop'] ?? Infinity) - 630)).toBeLessThanOrEqual(5);
      expect(roast.temperatureUnit.value).toBe(name.startsWith('ambex') ? 'F' : 'C');
    },
  );
});
