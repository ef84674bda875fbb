import { readdirSync, readFileSync } from 'node:fs';
import { sharedData } from '@roastery/testing/shared-data';
import { parsePythonLiteral, type PythonValue } from '@roastery/roasting/python-literal';
import { describe, expect, it } from 'vitest';
import { beanAt, crackSeconds, formatFiles, roastSeconds } from '../../../testing/format-files.ts';
import { valuesOf } from '../imported-roast.ts';
import { readRoastFile } from '../read-roast-file.ts';
import { recogniseFormat, roastFileFormats } from './formats.ts';

const shared = sharedData();
/** Made files whose marks differ: an IKAWA heats up first, two name no first crack. */
const marksOf: Readonly<Record<string, { charge?: number; crack?: null; drop?: number }>> = {
  'ikawa.csv': { charge: 30, drop: 480, crack: null },
  'giesen.csv': { crack: null },
  '2021_4_30_17_56_49.csv': { crack: null },
};

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
      { prefix: 'PR-', number: 7 },
    ],
    [
      'cropster-de.xls',
      { coffee_name: 'Guji', end_weight_kg: 4.3, profile_name: 'Espresso' },
      { prefix: 'PR-', number: 7 },
    ],
    ['roastime.json', { coffee_name: 'Guji', batch_size_kg: 0.5 }, { prefix: '', number: 42 }],
    ['hibean.json', { coffee_name: 'Guji', end_weight_kg: 0.43 }, null],
    ['log0018.klog', { profile_name: 'Espresso', notes: 'Level 3.7' }, null],
    ['kaleido.csv', { coffee_name: 'Guji' }, null],
  ])('%s: says what was roasted and its batch', async (name, facts, batch) => {
    const bytes = formatFiles.find((file) => file.name === name)?.bytes ?? new Uint8Array();
    const { roast } = await readRoastFile(bytes, {});
    expect(roast.facts).toMatchObject(facts);
    expect(roast.batch).toEqual(batch);
  });

  it('an Artisan file in UTF-16 is read as in UTF-8', async () => {
    const file = formatFiles.find(({ format }) => format === 'alog')?.bytes;
    const text = new TextDecoder().decode(file);
    const wide = new Uint8Array(Buffer.from(`\uFEFF${text}`, 'utf16le'));
    const swapped = new Uint8Array(Buffer.from(wide).swap16());
    const plain = (await readRoastFile(new TextEncoder().encode(text), {})).roast;
    for (const bytes of [wide, swapped, new Uint8Array(Buffer.from(text, 'utf16le'))]) {
      expect((await readRoastFile(bytes, {})).roast).toEqual(plain);
    }
  });

  it('a file of no program is read as a table or refused', async () => {
    expect((await recogniseFormat(new TextEncoder().encode('time,bt\n1,2')))?.format).toBe('csv');
    expect(await recogniseFormat(new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 1]))).toBeUndefined();
  });

  const plain = (value: PythonValue): unknown => {
    if (value instanceof Map) return Object.fromEntries([...value].map(([key, part]) => [key, plain(part)]));
    return Array.isArray(value) ? value.map(plain) : value;
  };
  it.skipIf(!shared.present)(
    `Artisan JSON: equals the .alog for every recorded roast${shared.title('')}`,
    { timeout: 60_000 },
    async () => {
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
    },
  );
});
