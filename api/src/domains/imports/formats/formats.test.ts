import { readdirSync, readFileSync } from 'node:fs';
import { sharedData } from '@roastery/testing/shared-data';
import { parsePythonLiteral, type PythonValue } from '@roastery/roasting/artisan/python-literal';
import { read as readBook, utils, write } from '@e965/xlsx';
import { describe, expect, it } from 'vitest';
import { beanAt, crackSeconds, formatFiles, roastSeconds, type FormatFile } from '../../../testing/format-files.ts';
import { valuesOf } from '../imported-roast.ts';
import { readRoastFile } from '../read-roast-file.ts';
import { recogniseFormat, roastFileFormats } from './formats.ts';

const shared = sharedData();
/** Generated files whose marks differ: an IKAWA heats up first, two contain no first crack. */
const marksOf: Readonly<Record<string, { charge?: number; crack?: null; drop?: number }>> = {
  'ikawa.csv': { charge: 30, drop: 480, crack: null },
  'giesen.csv': { crack: null },
  '2021_4_30_17_56_49.csv': { crack: null },
};

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const encode = (said: string): Uint8Array => new TextEncoder().encode(said);
const fahrenheit = (cell: string): string => {
  const sign = cell.includes(',') ? ',' : '.';
  return String(Math.round((Number(cell.replace(',', '.')) * 1.8 + 32) * 100) / 100).replace('.', sign);
};
const isNumber = (cell: string) => /^\s*-?\d+(?:[.,]\d+)?$/.test(cell);
/** Heads of temperatures; Rubasse writes none. */
const isTemperature = (head: string) =>
  /^(?:BT|ET|SV|beans|air)$|temp\b|temperature|setpoint|target/i.test(head.trim());
interface Cut {
  readonly rows: string[][];
  /** Row of the heads; -1 without one. */
  readonly head: number;
  readonly separator: string;
}
const cut = ({ format, bytes }: FormatFile): Cut => {
  const separator = format === 'petroncini' ? ';' : ',';
  const rows = text(bytes)
    .split('\n')
    .map((line) => line.split(separator));
  return {
    rows,
    separator,
    head: rows.findIndex((row) => row.length > 6 && row.some((cell) => /[a-z]{2}/i.test(cell))),
  };
};
const join = (rows: readonly (readonly string[])[], separator: string) =>
  encode(rows.map((row) => row.join(separator)).join('\n'));
const withComma = (rows: Cut['rows']) =>
  rows.map((row) => row.map((cell) => (isNumber(cell) ? cell.replace('.', ',') : cell)));

describe('formats of roast files', () => {
  it.each(formatFiles)(
    '$name: is recognised as $format by its content, and by no other format for certain',
    async ({ bytes, format }) => {
      const certain = [];
      for (const one of roastFileFormats) if ((await one.recognise(bytes)) === 'certain') certain.push(one.format);
      expect(certain).toEqual([format]);
    },
  );

  it.each(formatFiles)('$name: has the samples, charge, first crack and drop of its roast', async ({ name, bytes }) => {
    const { roast } = await readRoastFile(bytes, {});
    const at = (kind: string) => roast.marks.find((mark) => mark.kind === kind)?.timeSeconds;
    const { charge = 0, crack = crackSeconds, drop = roastSeconds } = marksOf[name] ?? {};
    expect(at('charge')).toBeCloseTo(charge, 0);
    expect(at('drop')).toBeCloseTo(drop, 0);
    expect(crack === null ? crackSeconds : at('first_crack')).toBeCloseTo(crackSeconds, -0.4);
    const bean = valuesOf(roast, 'bean_temp') ?? [];
    const different = roast.timesSeconds.filter((time, index) => {
      const value = bean[index] ?? null;
      return value !== null && Math.abs(value - beanAt(Math.round(time))) > 0.5;
    });
    expect(bean.filter((value) => value !== null).length).toBeGreaterThan(490);
    expect(different).toEqual([]);
  });

  it.each(formatFiles)('$name: reads no rate of rise as a temperature', async ({ bytes }) => {
    const { roast } = await readRoastFile(bytes, {});
    const rates = roast.channels.filter(({ label, unit }) => /ror|rate/i.test(label) && unit === '°C');
    expect(rates).toEqual([]);
  });

  it.each([
    ['artisan.json', { coffee_name: 'Guji', batch_size_kg: 5, end_weight_kg: 4.3 }, { prefix: 'P5-', number: 42 }],
    [
      'cropster.xls',
      { coffee_name: 'Guji', machine_name: 'Probat L-5', batch_size_kg: 5, roasted_by: 'Ada' },
      { prefix: 'PR-000', number: 7 },
    ],
    [
      'cropster-de.xls',
      { coffee_name: 'Guji', end_weight_kg: 4.3, profile_name: 'Espresso' },
      { prefix: 'PR-000', number: 7 },
    ],
    ['roastime.json', { coffee_name: 'Guji', batch_size_kg: 0.5 }, { prefix: '', number: 42 }],
    ['hibean.json', { coffee_name: 'Guji', end_weight_kg: 0.43 }, null],
    ['log0018.klog', { profile_name: 'Espresso', notes: 'Level 3.7' }, null],
    ['kaleido.csv', { coffee_name: 'Guji' }, null],
  ])('%s: contains the coffee and the batch', async (name, facts, batch) => {
    const bytes = formatFiles.find((file) => file.name === name)?.bytes ?? new Uint8Array();
    const { roast } = await readRoastFile(bytes, {});
    expect(roast.facts).toMatchObject(facts);
    expect(roast.batch).toEqual(batch);
  });

  it('an Artisan file in UTF-16 is read like one in UTF-8', async () => {
    const file = formatFiles.find(({ format }) => format === 'alog')?.bytes;
    const text = new TextDecoder().decode(file);
    const wide = new Uint8Array(Buffer.from(`\uFEFF${text}`, 'utf16le'));
    const swapped = new Uint8Array(Buffer.from(wide).swap16());
    const plain = (await readRoastFile(new TextEncoder().encode(text), {})).roast;
    for (const bytes of [wide, swapped, new Uint8Array(Buffer.from(text, 'utf16le'))]) {
      expect((await readRoastFile(bytes, {})).roast).toEqual(plain);
    }
  });

  it('a file of an unknown program is read as a table or refused', async () => {
    expect((await recogniseFormat(new TextEncoder().encode('time,bt\n1,2')))?.format).toBe('csv');
    expect(await recogniseFormat(new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 1]))).toBeUndefined();
  });

  describe('written on another computer', () => {
    const variants: Readonly<Record<string, (file: Cut) => Uint8Array>> = {
      'in UTF-16 with line ends of Windows': ({ rows, separator }) =>
        new Uint8Array(Buffer.from(`\uFEFF${rows.map((row) => row.join(separator)).join('\r\n')}\r\n\r\n`, 'utf16le')),
      'with quotes': ({ rows, separator }) =>
        join(
          rows.map((row) => row.map((cell) => (cell === '' ? cell : `"${cell}"`))),
          separator,
        ),
      'with decimal commas between semicolons': ({ rows }) => join(withComma(rows), ';'),
      'with decimal commas between tabs': ({ rows }) => join(withComma(rows), '\t'),
      'with its columns in another order and heads in capitals': ({ rows, head, separator }) => {
        const width = rows[head]?.length ?? 0;
        const turned = rows.map((row, at) =>
          head < 0 || row.length < 6
            ? row
            : [...row, ...Array.from({ length: Math.max(0, width - row.length) }, () => '')]
                .map((cell) => (at === head ? cell.toUpperCase() : cell))
                .toReversed(),
        );
        return join(turned, separator);
      },
      'saved as a workbook': ({ rows }) => {
        const book = utils.book_new();
        const cells = rows.map((row) => row.map((cell) => (isNumber(cell) ? Number(cell.replace(',', '.')) : cell)));
        utils.book_append_sheet(book, utils.aoa_to_sheet(cells), 'Roast');
        return new Uint8Array(write(book, { type: 'array', bookType: 'xlsx' }) as ArrayBuffer);
      },
      'in °F': ({ rows, head, separator }) => {
        const places = head < 0 ? [1, 7] : (rows[head] ?? []).flatMap((name, at) => (isTemperature(name) ? [at] : []));
        const hot = rows.map((row, at) =>
          row.length < 6 || (head < 0 && at === 0)
            ? row
            : row.map((cell, place) =>
                places.includes(place) && isNumber(cell) ? fahrenheit(cell) : cell.replace('°C', '°F'),
              ),
        );
        return join(hot, separator);
      },
    };
    // A Loring file counts in tenths and contains its unit; a Kaleido file has sections.
    const tables = formatFiles.filter(({ name, format }) => name.endsWith('.csv') && format !== 'kaleido');
    const cases = tables.flatMap((file) =>
      Object.keys(variants)
        .filter((variant) => variant !== 'in °F' || file.format !== 'loring')
        .map((variant) => ({ name: file.name, variant })),
    );

    it.each(cases)('$name $variant: is the same roast', async ({ name, variant }) => {
      const file = formatFiles.find((one) => one.name === name);
      if (file === undefined) throw new Error(`no file ${name}`);
      const plain = (await readRoastFile(file.bytes, {})).roast;
      const { format, roast } = await readRoastFile(variants[variant]?.(cut(file)) ?? new Uint8Array(), {});
      expect(format).toBe(file.format);
      expect(roast.timesSeconds).toEqual(plain.timesSeconds);
      expect(roast.channels.map((channel) => channel.name).sort()).toEqual(
        plain.channels.map((channel) => channel.name).sort(),
      );
      expect(roast.recordedAtMs).toBe(plain.recordedAtMs);
      const [beans, same] = [valuesOf(plain, 'bean_temp') ?? [], valuesOf(roast, 'bean_temp') ?? []];
      expect(beans.findIndex((value, at) => Math.abs((value ?? 0) - (same[at] ?? 0)) > 0.06)).toBe(-1);
      for (const { kind, timeSeconds } of plain.marks) {
        expect(roast.marks.find((mark) => mark.kind === kind)?.timeSeconds, kind).toBeCloseTo(timeSeconds, 0);
      }
      expect(roast.temperatureUnit.value).toBe(variant === 'in °F' ? 'F' : 'C');
    });

    it.each(['14/06/2022 13:10:29', '2022-06-14 13:10:29', '14.06.2022 13:10:29'])(
      'a Loring file with the clock %s: keeps its date',
      async (first) => {
        const loring = formatFiles.find(({ format }) => format === 'loring');
        const plain = text(loring?.bytes ?? new Uint8Array());
        const [day = ''] = first.split(' ');
        const other = plain.replaceAll(
          /6\/14\/2022 (\d+):(\d+:\d+) PM/g,
          (_, hour, rest) => `${day} ${(Number(hour) % 12) + 12}:${rest}`,
        );
        const { roast } = await readRoastFile(encode(other), {});
        expect(roast).toEqual((await readRoastFile(encode(plain), {})).roast);
      },
    );

    it('a Cropster workbook with its sheets in another order is the same roast', async () => {
      const made = formatFiles.find(({ name }) => name === 'cropster.xlsx')?.bytes ?? new Uint8Array();
      const book = readBook(made, { type: 'array', cellNF: true });
      book.SheetNames.reverse();
      const turned = new Uint8Array(write(book, { type: 'array', bookType: 'xlsx' }) as ArrayBuffer);
      const [plain, again] = [(await readRoastFile(made, {})).roast, (await readRoastFile(turned, {})).roast];
      expect(again.facts).toEqual(plain.facts);
      expect(again.recordedAtMs).toBe(plain.recordedAtMs);
      expect(again.marks).toEqual(plain.marks);
    });

    it.each([
      ['Guji, größere Füllung', 'Guji, größere Füllung'],
      ['\u00B9\u00C5\u00BC\u00AA', '古吉'],
    ])('a Kaleido file of Windows with bytes %j contains %s', async (written, expected) => {
      const made = text(formatFiles.find(({ format }) => format === 'kaleido')?.bytes ?? new Uint8Array());
      const { roast } = await readRoastFile(new Uint8Array(Buffer.from(made.replace('Guji', written), 'latin1')), {});
      expect(roast.facts.coffee_name).toBe(expected);
    });

    it('a RoasTime report without a bean probe has the infrared sensor as bean temperature', async () => {
      const rows = Array.from(
        { length: 300 },
        (_, second) => `${Math.floor(second / 60)}:${String(second % 60).padStart(2, '0')},${100 + second / 3},9.1,6,2`,
      );
      const report = ['Guji', 'Timeline', 'Time, IBTS Temp, IBTS ROR, Power, Fan', ...rows];
      const { format, roast } = await readRoastFile(encode(report.join('\n')), {});
      expect(format).toBe('roastime');
      expect(valuesOf(roast, 'bean_temp')?.at(299)).toBeCloseTo(100 + 299 / 3, 1);
    });

    it('a briefly pulled probe does not turn a file into one in °F', async () => {
      const rows = Array.from({ length: 400 }, (_, second) => `${second},${second === 200 ? 1372 : 100 + second / 4}`);
      const { roast } = await readRoastFile(encode(['time,BT', ...rows].join('\n')), {});
      expect(roast.temperatureUnit).toEqual({ value: 'C', source: 'guess' });
    });
  });

  const plain = (value: PythonValue): unknown => {
    if (value instanceof Map) return Object.fromEntries([...value].map(([key, part]) => [key, plain(part)]));
    return Array.isArray(value) ? value.map(plain) : value;
  };
  it.skipIf(!shared.present)(`Artisan JSON: equals the .alog for every recorded roast${shared.title('')}`, async () => {
    let compared = 0;
    for (const folder of ['alog', 'alog2']) {
      for (const name of readdirSync(shared.path(folder)).filter((file) => file.endsWith('.alog'))) {
        const text = readFileSync(shared.path(folder, name), 'utf8');
        const json = new TextEncoder().encode(JSON.stringify(plain(parsePythonLiteral(text))));
        const alog = await readRoastFile(new TextEncoder().encode(text), {}).catch(() => undefined);
        if (alog === undefined) continue;
        const exported = await readRoastFile(json, {});
        expect(exported.format, name).toBe('artisan_json');
        // JSON has no negative zero.
        expect(exported.roast, name).toEqual(JSON.parse(JSON.stringify(alog.roast)));
        compared += 1;
      }
    }
    expect(compared).toBeGreaterThan(55);
  });
});
