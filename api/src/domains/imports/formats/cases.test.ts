import { readFileSync } from 'node:fs';
import { sharedData } from '@roastery/testing/shared-data';
import { describe, expect, it } from 'vitest';
import { valuesOf } from '../imported-roast.ts';
import { readRoastFile } from '../read-roast-file.ts';

const shared = sharedData();
const whySkipped = shared.title('');
const zone = { time_zone: 'Europe/Berlin' } as const;

const read = async (name: string) => {
  const { roast } = await readRoastFile(new Uint8Array(readFileSync(shared.path('cases', name))), zone);
  return {
    roast,
    at: Object.fromEntries(roast.marks.map(({ kind, timeSeconds }) => [kind, timeSeconds])),
    started: roast.recordedAtMs === null ? null : new Date(roast.recordedAtMs).toISOString(),
  };
};
const usual = { charge: 30, first_crack: 480, drop: 630 };

/** The same roast in each file; the figures are those of the table of `cases` in the README of the shared data. */
describe('files made from public complaints', () => {
  it.skipIf(!shared.present).each([
    ['artisan-csv-custom-events.csv', usual, '2026-03-02T09:15:00.000Z'],
    ['artisan-csv-second-60.csv', { ...usual, dry_end: 270 }, '2026-03-02T09:15:00.000Z'],
    ['artisan-csv-four-samples-a-second.csv', { ...usual, dry_end: 270 }, '2026-03-02T09:15:00.000Z'],
    [
      'artisan-csv-marks-in-head-only.csv',
      { ...usual, dry_end: 270, first_crack_end: 540 },
      '2026-03-02T09:15:00.000Z',
    ],
    ['artisan-csv-marks-in-head-and-rows.csv', { ...usual, dry_end: 270 }, '2026-03-02T09:15:00.000Z'],
    ['artisan-csv-date-with-time.csv', { ...usual, dry_end: 270 }, '2026-06-16T08:39:00.000Z'],
    ['kaffelogic-aborted-then-roast.klog', { charge: 0, first_crack: 331.2, drop: 378.55 }, '2026-03-08T12:49:17.000Z'],
    ['kaffelogic-one.klog', { charge: 0, first_crack: 331.2, drop: 378.55 }, '2026-03-08T12:49:17.000Z'],
    ['table-minutes.csv', usual, null],
    ['table-minutes-word.csv', usual, null],
    ['table-iso-time.csv', usual, '2026-06-07T12:09:10.000Z'],
    ['table-clock-over-midnight.csv', usual, null],
    ['table-bt-above-et.csv', usual, null],
    // Twelve hours and a quarter in Los Angeles: the column names its zone.
    ['bellwether-series-2.csv', { charge: 30, drop: 630 }, '2022-08-24T19:24:00.000Z'],
    ['loring-plain.csv', { charge: 0, first_crack: 450, drop: 594 }, '2022-06-14T11:10:29.000Z'],
    ['loring-clock-set-forward-5-min.csv', { charge: 0, first_crack: 450, drop: 594 }, '2022-06-14T11:10:29.000Z'],
    ['loring-clock-set-back-2-min.csv', { charge: 0, first_crack: 450, drop: 594 }, '2022-06-14T11:10:29.000Z'],
    ['roastime-plain.json', usual, '2026-06-07T12:00:00.000Z'],
    ['roastime-crack-index-65535.json', { charge: 30, drop: 630 }, '2026-06-07T12:00:00.000Z'],
    ['alog-plain.alog', usual, undefined],
  ])(`%s: marks and beginning are right${whySkipped}`, async (name, marks, start) => {
    const { at, started } = await read(name);
    // It has no events: its marks are detected.
    const within = name.startsWith('bellwether') ? 5 : 1;
    for (const [kind, seconds] of Object.entries(marks)) {
      expect([kind, Math.abs((at[kind] ?? Number.NaN) - seconds) <= within], JSON.stringify(at)).toEqual([kind, true]);
    }
    expect(started).toBe(start === undefined ? started : start);
    expect('first_crack' in at).toBe('first_crack' in marks);
  });

  it.skipIf(!shared.present)(`Artisan’s 00:60 loses no row${whySkipped}`, async () => {
    for (const name of ['artisan-csv-second-60.csv', 'artisan-csv-four-samples-a-second.csv']) {
      const rows = readFileSync(shared.path('cases', name), 'utf8').trim().split('\n').length - 2;
      const { roast, at } = await read(name);
      expect([name, roast.timesSeconds.length, roast.warnings]).toEqual([name, rows, []]);
      expect(at['first_crack']).toBe(480);
    }
  });

  it.skipIf(!shared.present)(`unset marks of the first line are none${whySkipped}`, async () => {
    const { at } = await read('artisan-csv-zero-marks.csv');
    expect(Object.keys(at)).not.toContain('first_crack');
    expect(Math.abs((at['charge'] ?? 0) - 30)).toBeLessThanOrEqual(5);
  });

  it.skipIf(!shared.present)(`a time that was guessed is questioned when it is unlikely${whySkipped}`, async () => {
    const { roast } = await read('table-100-minutes-plain-seconds.csv');
    expect(roast.timeUnit).toEqual({ value: 'cs', source: 'guess' });
    expect(roast.warnings.join()).toMatch(/read as hundredths of a second: the recording lasts 1:00/);
    const text = readFileSync(shared.path('cases', 'table-minutes-word.csv'), 'utf8').replace('Minutes', 'Time');
    const bytes = new TextEncoder().encode(text);
    expect((await readRoastFile(bytes, zone)).roast.warnings.join()).toMatch(
      /read as seconds: the recording lasts 0:11/,
    );
    const chosen = (await readRoastFile(bytes, { ...zone, time_unit: 'min' })).roast;
    expect(chosen.timeUnit).toEqual({ value: 'min', source: 'person' });
    expect(chosen.timesSeconds.at(-1)).toBeCloseTo(660, 0);
    expect(valuesOf(chosen, 'bean_temp')).toHaveLength(chosen.timesSeconds.length);
  });

  it.skipIf(!shared.present)(`RoasTime’s colours and its machine are read${whySkipped}`, async () => {
    const { roast } = await read('roastime-color.json');
    expect(roast.facts).toMatchObject({ color: 92.1, machine_name: 'Aillio Bullet R2' });
    expect(roast.facts.notes).toContain('Color of the whole beans: 78.5');
    expect((await read('roastime-plain.json')).roast.facts).toMatchObject({
      color: null,
      machine_name: 'Aillio Bullet R1',
    });
  });
});
