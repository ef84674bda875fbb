import { describe, expect, it } from 'vitest';
import { parseAlog } from './alog.ts';
import { markOf } from '../marks.ts';
import { recordedRoasts, recordedRoastsPresent, recordedRoastsTitle } from '@roastery/testing/marks/recorded-roasts';

const file = (fields: Record<string, string>) =>
  `{${Object.entries(fields)
    .map(([key, value]) => `'${key}': ${value}`)
    .join(', ')}}`;

describe('an Artisan file', () => {
  it('is read in °C, kg and seconds', () => {
    const roast = parseAlog(
      file({
        mode: "'F'",
        timex: '[0.5, 1.5, 2.5, 3.5]',
        temp1: '[392.0, 392.0, -1, 392.0]',
        temp2: '[212.0, -1.0, 302.0, 392.0]',
        timeindex: '[0, 0, 2, 0, 0, 0, 3, 0]',
        weight: "[10.0, 8.5, 'oz']",
        title: "'Gerba'",
        roastepoch: '1770413665',
        roastbatchnr: '7',
      }),
    );
    expect(roast.beanTempC.map((temp) => temp && Math.round(temp))).toEqual([100, null, 150, 200]);
    expect(roast.exhaustTempC[2]).toBeNull();
    expect(roast.marks.map(({ kind, timeSeconds }) => [kind, timeSeconds])).toEqual([
      ['charge', 0.5],
      ['first_crack', 2.5],
      ['drop', 3.5],
    ]);
    expect(roast.greenKg).toBeCloseTo(0.2835, 4);
    expect(roast).toMatchObject({
      title: 'Gerba',
      roastedAt: '2026-02-06T21:34:25.000Z',
      batchNumber: 7,
      warnings: [],
    });
  });

  it.each([
    [{ roastepoch: '1751247461', roastisodate: "'2020-01-01'" }, '2025-06-30T01:37:41.000Z'],
    [{ roastisodate: "'2015-08-10'", roasttime: "'14:25:14'", roasttzoffset: '-3600' }, '2015-08-10T13:25:14.000Z'],
    [{ roastdate: "u'Sat Mar 30 2013'" }, '2013-03-30T00:00:00.000Z'],
    [{ roastdate: "'Sam. März 30 2013'" }, null],
  ])('has its date and time, with %j', (fields, expected) => {
    expect(parseAlog(file({ timex: '[0, 1]', temp2: '[20, 21]', ...fields })).roastedAt).toBe(expected);
  });

  it('turns special events into steps as the machine showed them', () => {
    const { controls, eventNotes } = parseAlog(
      file({
        timex: '[0, 1, 2, 3]',
        specialevents: '[2, 0, 1, 3, 9]',
        specialeventstype: '[3, 0, 1, 4, 3]',
        specialeventsvalue: '[9.0, 4.5, 0.0, 2.0, 5.0]',
        specialeventsStrings: "['80%', '', '', 'Cooler on', '']",
      }),
    );
    expect(eventNotes).toEqual([{ timeSeconds: 3, text: 'Cooler on' }]);
    expect(controls).toEqual({
      air: [{ timeSeconds: 0, value: 35 }],
      drum: [{ timeSeconds: 1, value: 0 }],
      damper: [],
      burner: [{ timeSeconds: 2, value: 80 }],
    });
  });

  it('names extra channels by the event types they refer to', () => {
    const { channels } = parseAlog(
      file({
        timex: '[0, 1]',
        etypes: "['Fan', 'Drum', 'Damper', 'Heater', '--']",
        extratimex: '[[0, 1], [0, 1]]',
        extraname1: "['{3} SV', '']",
        extraname2: "['{0}', 'unused']",
        extratemp1: '[[80.0, -1], [1.0, 2.0]]',
        extratemp2: '[[30.0, 40.0], [-1, -1]]',
      }),
    );
    expect(channels.map(({ name, values }) => [name, values])).toEqual([
      ['Heater SV', [80, null]],
      ['Fan', [30, 40]],
      ['Extra 2.1', [1, 2]],
    ]);
  });

  it('keeps marks on their readings when time ran backwards', () => {
    const roast = parseAlog(
      file({
        mode: "'C'",
        timex: '[1, 2, 9, 3, 4, 5]',
        temp2: '[10, 20, 90, 30, 40, 50]',
        timeindex: '[1, 0, 4, 0, 0, 0, 2, 0]',
      }),
    );
    expect(roast.timesSeconds).toEqual([1, 2, 3, 4, 5]);
    expect(roast.beanTempC).toEqual([10, 20, 30, 40, 50]);
    expect(roast.marks.map(({ kind, tempC }) => [kind, tempC])).toEqual([
      ['charge', 20],
      ['first_crack', 40],
    ]);
    expect(roast.warnings).toEqual(['time_ran_backwards', 'series_of_unequal_length', 'mark_out_of_range']);
  });

  it('reads an empty recording', () => {
    const roast = parseAlog(file({ timex: '[]', temp1: '[]', temp2: '[]' }));
    expect(roast.timesSeconds).toEqual([]);
    expect(roast.warnings).toEqual(['unit_missing', 'no_readings', 'marks_missing']);
  });

  it.each([
    ['not_a_literal', 'PK\u0003\u0004 a workbook'],
    ['not_a_literal', "{'timex': [1, 2"],
    ['not_a_roast', "{'beans': 'Gerba'}"],
    ['not_a_roast', '[1, 2, 3]'],
    ['too_large', ' '.repeat(2000)],
  ])('throws %s for an invalid file', (code, text) => {
    expect(() => parseAlog(text, { maxLength: 1000 })).toThrow(expect.objectContaining({ name: 'AlogError', code }));
  });
});

describe.skipIf(!recordedRoastsPresent)(`recorded roasts${recordedRoastsTitle}`, () => {
  const roasts = recordedRoasts();
  const of = (id: string) => roasts.find((recorded) => recorded.id === id)?.roast;

  it('all 23 are read with rising times and plausible or missing temperatures', () => {
    expect(roasts).toHaveLength(23);
    for (const { roast, file } of roasts) {
      expect(
        roast.timesSeconds.every((time, k) => k === 0 || time > (roast.timesSeconds[k - 1] ?? 0)),
        file,
      ).toBe(true);
      expect(roast.beanTempC).toHaveLength(roast.timesSeconds.length);
      expect(
        roast.beanTempC.every((temp) => temp === null || (temp > -20 && temp < 300)),
        file,
      ).toBe(true);
    }
  });

  it('finds the marks and weights of known files', () => {
    expect(markOf(of('01')?.marks ?? [], 'charge')?.timeSeconds).toBeCloseTo(834.03, 2);
    expect(markOf(of('01')?.marks ?? [], 'drop')?.tempC).toBeCloseTo(203.2, 1);
    expect(of('04')?.recordedIn).toBe('F');
    expect(markOf(of('04')?.marks ?? [], 'drop')?.tempC).toBeCloseTo(210.3, 1);
    expect(of('18')?.greenKg).toBeCloseTo(0.225);
    expect(of('23')?.controls.burner).toHaveLength(80);
    expect(of('30')?.warnings).toEqual(['no_readings']);
  });

  it('refuses any truncated file with a clear error', () => {
    const text = roasts.find(({ id }) => id === '30')?.text ?? '';
    for (let length = 0; length < text.trimEnd().length; length += 7) {
      expect(() => parseAlog(text.slice(0, length))).toThrow(expect.objectContaining({ name: 'AlogError' }));
    }
  });
});
