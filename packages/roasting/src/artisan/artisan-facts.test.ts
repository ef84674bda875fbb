import { readdirSync, readFileSync } from 'node:fs';
import { sharedData } from '@roastery/testing/shared-data';
import { describe, expect, it } from 'vitest';
import { controlNames, controlStepsOf, specialEventsOf } from './alog-controls.ts';
import { numbersOf, textOf, valuesOf, type Dictionary } from './alog-fields.ts';
import { artisanRoastIn, readDictionary, timeindexKinds, type ArtisanRoast } from './alog.ts';
import { markOf, type MarkKind } from '../marks.ts';
import { parsePythonLiteral } from './python-literal.ts';
import { pythonRepr, type WritableValue } from './python-repr.ts';
import { restoreAlog } from './restore-alog.ts';
import { isReading, valueAt, type Reading } from '../curves/series.ts';
import { cToF } from '../units.ts';

/**
 * Facts about Artisan's files, held against Artisan itself: against what it computed and wrote into real files, and
 * against its rules, in lines of neuralldev/tilauscope_fork@30fc858, src/artisanlib.
 */
const shared = sharedData();
interface RealFile {
  readonly name: string;
  readonly text: string;
  readonly file: Dictionary;
  readonly roast: ArtisanRoast;
}
const realFiles = (): RealFile[] =>
  ['alog', 'alog2', 'alog3'].flatMap((folder) =>
    readdirSync(shared.path(folder))
      .filter((name) => name.endsWith('.alog'))
      .map((name) => {
        const text = readFileSync(shared.path(folder, name), 'utf8');
        const file = readDictionary(text);
        return { name, text, file, roast: artisanRoastIn(file) };
      }),
  );

const dictionary = (value: Record<string, WritableValue>): Dictionary => {
  const read = parsePythonLiteral(pythonRepr(value));
  if (!(read instanceof Map)) throw new Error('not a dictionary');
  return read;
};

/**
 * The words of `computed`, the figures that Artisan stores with each roast (main.py:17087-17143). DRY is left out: older
 * versions took it from the temperature of the phase.
 */
const computedWords: Readonly<Partial<Record<MarkKind, string>>> = {
  charge: 'CHARGE',
  first_crack: 'FCs',
  first_crack_end: 'FCe',
  second_crack: 'SCs',
  second_crack_end: 'SCe',
  drop: 'DROP',
  cool_end: 'COOL',
};

const curveValue = ({ roast }: RealFile, curve: readonly Reading[], seconds: number): number => {
  const tempC = valueAt(roast.timesSeconds, curve, seconds);
  return tempC === null ? -1 : roast.recordedIn === 'F' ? cToF(tempC) : tempC;
};

describe.skipIf(!shared.present)(`real files of Artisan${shared.title('')}`, () => {
  const files = shared.present ? realFiles() : [];

  it('marks, bean and exhaust temperature and weights are those that Artisan computed', () => {
    let compared = 0;
    const different = files.flatMap((real) => {
      const { name, file, roast } = real;
      const computed = file.get('computed');
      if (!(computed instanceof Map)) return [];
      const chargedAt = markOf(roast.marks, 'charge')?.timeSeconds ?? 0;
      const pairs = Object.entries(computedWords).flatMap(([kind, word]): [string, number, number][] => {
        const mark = markOf(roast.marks, kind as MarkKind);
        const isThere = computed.has(`${word}_BT`);
        if (mark === undefined || !isThere) return mark === undefined && !isThere ? [] : [[word, 0, 1]];
        const at = mark.timeSeconds;
        return [
          [`${word}_ET`, curveValue(real, roast.exhaustTempC, at), 0.06],
          [`${word}_BT`, curveValue(real, roast.beanTempC, at), 0.06],
          // Older versions store whole seconds.
          [`${word}_time`, at - chargedAt, 0.51],
        ];
      });
      if (roast.greenKg !== null) pairs.push(['weightin', roast.greenKg * 1000, 0.1]);
      if (roast.roastedKg !== null) pairs.push(['weightout', roast.roastedKg * 1000, 0.1]);
      return pairs.flatMap(([key, ours, limit]) => {
        // Newer versions alone store the time of the charge.
        if (key === 'CHARGE_time') return [];
        compared += 1;
        const theirs = Number(computed.get(key));
        return Math.abs(ours - theirs) <= limit ? [] : [{ name, key, ours, theirs }];
      });
    });
    expect(different).toEqual([]);
    expect(compared).toBeGreaterThan(1300);
  });

  it('the values of control events are the numbers in their texts', () => {
    let compared = 0;
    const different = files.flatMap(({ name, file }) => {
      const [types, values] = [numbersOf(file, 'specialeventstype'), numbersOf(file, 'specialeventsvalue')];
      return valuesOf(file, 'specialeventsStrings').flatMap((text, place) => {
        // `Q40` is a value that Artisan measured; a text above 100 is the operator's own.
        const said = Number(/^Q?(\d{1,2}|100)%?$/.exec(typeof text === 'string' ? text : '')?.[1] ?? Number.NaN);
        const type = types[place] ?? 4;
        if (Number.isNaN(said) || type > 3) return [];
        compared += 1;
        const one = dictionary({
          specialevents: [0],
          specialeventstype: [type],
          specialeventsvalue: [values[place] ?? 0],
        });
        const read = controlStepsOf(one, [0])[controlNames[type] ?? 'air'][0]?.value;
        return read === said ? [] : [{ name, text, read }];
      });
    });
    expect(different).toEqual([]);
    expect(compared).toBeGreaterThan(100);
  });

  it('a curve that is named by an event type runs as the events of that type', () => {
    const shares = files.flatMap(({ name, file, roast }) =>
      [1, 2].flatMap((side) =>
        valuesOf(file, `extraname${side}`).flatMap((raw) => {
          const type = Number(/^\{([0-3])\}$/.exec(typeof raw === 'string' ? raw : '')?.[1] ?? Number.NaN);
          const curve = roast.channels.find((channel) => channel.name === roast.controlLabels[type]);
          const steps = roast.controls[controlNames[type] ?? 'air'];
          if (curve === undefined || steps.length < 2) return [];
          const both = curve.timesSeconds.flatMap((time, index) => {
            const set = steps.findLast(({ timeSeconds }) => timeSeconds <= time);
            const measured = curve.values[index] ?? null;
            return set === undefined || !isReading(measured) ? [] : [Math.abs(set.value - measured) <= 1];
          });
          return [{ name, raw, share: both.filter(Boolean).length / both.length }];
        }),
      ),
    );
    expect(shares.length).toBeGreaterThan(100);
    // A few operators moved a slider of a machine that did not follow.
    expect(shares.filter(({ share }) => share > 0.9).length / shares.length).toBeGreaterThan(0.9);
  });

  it('a restored file keeps its local time, also when the zone has daylight saving time', () => {
    const moved = files.flatMap(({ name, text, file }) => {
      const epoch = Number(file.get('roastepoch'));
      const back = readDictionary(restoreAlog(text, { startedAtMs: epoch * 1000 }));
      const times = [file, back].map((one) => `${textOf(one, 'roastisodate')} ${textOf(one, 'roasttime')}`);
      return times[0] === times[1] ? [] : [{ name, times }];
    });
    expect(moved).toEqual([]);
    expect(files.length).toBeGreaterThan(130);
  });
});

describe('rules of Artisan', () => {
  /** Shown and stored values of an event: util.py:1105-1122. */
  const values = [
    [0, 0],
    [1, 1.1],
    [40, 5],
    [100, 11],
    [359, 36.9],
    [-1, -1.1],
    [-50, -6],
  ] as const;

  it.each(values)('an event of %i is stored as %f', (shown, stored) => {
    const steps = { burner: [{ timeSeconds: 0, value: shown }] };
    const written = specialEventsOf(steps, [0]);
    expect(written.specialeventsvalue[0]).toBeCloseTo(stored, 9);
    expect(controlStepsOf(dictionary({ ...written }), [0]).burner).toEqual(steps.burner);
  });

  it.each([-1, -0.5, 0, 0.5, 1])('a stored event of %f means 0', (stored) => {
    const file = dictionary({ specialevents: [0], specialeventstype: [0], specialeventsvalue: [stored] });
    expect(controlStepsOf(file, [0]).air).toEqual([{ timeSeconds: 0, value: 0 }]);
  });

  it('the marks of timeindex are in the order of the CSV export (util.py:1581-1587)', () => {
    expect(timeindexKinds).toEqual([
      'charge',
      'dry_end',
      'first_crack',
      'first_crack_end',
      'second_crack',
      'second_crack_end',
      'drop',
      'cool_end',
    ]);
  });

  /** Names: canvas.py:3006-3011. A curve of rates is converted without 32 (main.py:16625-16631). */
  it('a curve is named by event type and unit, and one of rates holds no temperatures', () => {
    const { channels } = artisanRoastIn(
      dictionary({
        mode: 'F',
        timex: [0, 1],
        temp1: [390, 391],
        temp2: [200, 201],
        etypes: ['Fan', 'Drum', 'Damper', 'Heater', '--'],
        extratimex: [
          [0, 1],
          [0, 1],
        ],
        extraname1: ['Inlet {4}', '{3} {0}'],
        extraname2: ['BT2', 'Slope'],
        extratemp1: [
          [410, 411],
          [50, 50],
        ],
        extratemp2: [
          [205, 206],
          [12, 11],
        ],
        extraNoneTempHint1: [false, true],
        extraNoneTempHint2: [false, false],
        extraDelta1: [false, false, false],
        extraDelta2: [false, true, false],
      }),
    );
    expect(channels.map(({ name, mayBeTemperature, values: [first] }) => [name, mayBeTemperature, first])).toEqual([
      ['Inlet F', true, 410],
      ['BT2', true, 205],
      ['Heater Fan', false, 50],
      ['Slope', false, 12],
    ]);
  });
});
