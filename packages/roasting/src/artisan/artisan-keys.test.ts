import { describe, expect, it } from 'vitest';
import { parsePythonLiteral, type PythonValue } from './python-literal.ts';
import { recordKey } from './alog.ts';
import { stepsOf } from './alog-controls.ts';
import { writeAlog } from './write-alog.ts';

/** Keys that are written, with the types that Artisan 4 declares for them in its own `ProfileData`. */
const declared: Readonly<Record<string, string>> = {
  version: 'str',
  viewerMode: 'bool',
  mode: 'str',
  title: 'str',
  beans: 'str',
  roastertype: 'str',
  operator: 'str',
  roastingnotes: 'str',
  cuppingnotes: 'str',
  weight: 'list[float|str]',
  ground_color: 'float',
  whole_color: 'float',
  roastisodate: 'str',
  roasttime: 'str',
  roastepoch: 'int',
  roasttzoffset: 'int',
  roastUUID: 'str',
  roastbatchnr: 'int',
  roastbatchprefix: 'str',
  timeindex: 'list[int]',
  timex: 'list[float]',
  temp1: 'list[float]',
  temp2: 'list[float]',
  samplinginterval: 'float',
  flavors: 'list[float]',
  flavorlabels: 'list[str]',
  etypes: 'list[str]',
  specialevents: 'list[int]',
  specialeventstype: 'list[int]',
  specialeventsvalue: 'list[float]',
  specialeventsStrings: 'list[str]',
  extradevices: 'list[int]',
  extratimex: 'list[list[float]]',
  xmin: 'float',
  xmax: 'float',
  ymin: 'int',
  ymax: 'int',
  zmin: 'int',
  zmax: 'int',
  ...Object.fromEntries(
    Object.entries({
      extraname: 'list[str]',
      extratemp: 'list[list[float]]',
      extramathexpression: 'list[str]',
      extradevicecolor: 'list[str]',
      extraLCDvisibility: 'list[bool]',
      extraCurveVisibility: 'list[bool]',
      extraDelta: 'list[bool]',
      extraFill: 'list[int]',
      extramarkersizes: 'list[float]',
      extramarkers: 'list[str]',
      extralinewidths: 'list[float]',
      extralinestyles: 'list[str]',
      extradrawstyles: 'list[str]',
      extraNoneTempHint: 'list[bool]',
    }).flatMap(([key, type]) => [
      [`${key}1`, type],
      [`${key}2`, type],
    ]),
  ),
};

/** Keys that Artisan reads without a check: by its window (first row), and for a background roast. */
const needed =
  'mode timex temp1 temp2 timeindex title etypes extradevices extratimex extraname1 extraname2 extratemp1 extratemp2 '
    .concat('samplinginterval flavors specialevents specialeventstype specialeventsvalue specialeventsStrings')
    .split(' ');

const fits = (value: PythonValue | undefined, type: string): boolean => {
  const inner = /^list\[(.*)\]$/.exec(type)?.[1];
  if (inner !== undefined) return Array.isArray(value) && value.every((one) => fits(one, inner));
  return type.split('|').some((one) => {
    if (one === 'str') return typeof value === 'string';
    if (one === 'bool') return typeof value === 'boolean';
    return typeof value === 'number' && (one === 'float' || Number.isInteger(value));
  });
};

const times = Array.from({ length: 600 }, (_, second) => second * 1.5);
const burner = times.map((time) => (time < 300 ? 100 : time < 600 ? 62.5 : 0));
const file = (channels: number): Map<string, PythonValue> => {
  const read = parsePythonLiteral(
    writeAlog({
      timesSeconds: times,
      beanTempC: times.map((time) => 90 + time / 8),
      exhaustTempC: times.map(() => null),
      channels: Array.from({ length: channels }, (_, n) => ({
        name: `Extra ${n}`,
        isTemperature: n % 2 === 0,
        values: times.map((time) => (time < 10 ? null : n + time)),
      })),
      controls: { burner: stepsOf(times, burner), air: [{ timeSeconds: 301, value: 45 }] },
      marks: [
        { kind: 'charge', timeSeconds: 30 },
        { kind: 'first_crack', timeSeconds: 700.4 },
        { kind: 'drop', timeSeconds: 820 },
      ],
      title: 'Guji',
      beans: 'Guji, Ethiopia',
      machine: 'RM15',
      operator: 'Ada',
      roastingNotes: '',
      color: null,
      greenKg: 12,
      roastedKg: null,
      startedAtMs: Date.UTC(2026, 10, 21, 7, 40),
      uuid: '01890000-0000-7000-8000-000000000001',
      record: { v: 1 },
    }),
    {},
  );
  if (!(read instanceof Map)) throw new Error('no dictionary');
  return read;
};

describe.each([0, 1, 4])('a written Artisan file with %i extra curves', (channels) => {
  const written = file(channels);
  it('has the keys that Artisan reads, each of the expected type, and one key that it ignores', () => {
    expect(needed.filter((key) => !written.has(key))).toEqual([]);
    expect([...written.keys()].filter((key) => !(key in declared))).toEqual([recordKey]);
    const wrong = Object.entries(declared).filter(([key, type]) => !fits(written.get(key), type));
    expect(wrong).toEqual([]);
  });

  it('has lists of matching lengths', () => {
    const lengths = (keys: readonly string[]) => new Set(keys.map((key) => (written.get(key) as PythonValue[]).length));
    expect(lengths(['timex', 'temp1', 'temp2'])).toEqual(new Set([600]));
    const devices = Math.ceil(channels / 2);
    const display = /^extra(?:LCDvisibility|CurveVisibility|Delta|Fill)[12]$/;
    const extras = Object.keys(declared).filter((key) => key.startsWith('extra'));
    expect(lengths(extras.filter((key) => !display.test(key)))).toEqual(new Set([devices]));
    // As in every real file, with or without devices.
    expect(lengths(extras.filter((key) => display.test(key)))).toEqual(new Set([10]));
    for (const key of ['extratimex', 'extratemp1', 'extratemp2']) {
      for (const list of written.get(key) as PythonValue[][]) expect(list).toHaveLength(600);
    }
    expect(lengths(['flavors', 'flavorlabels'])).toEqual(new Set([9]));
    expect(written.get('timeindex')).toEqual([20, 0, 467, 0, 0, 0, 547, 0]);
    expect(written.get('samplinginterval')).toBe(1.5);
  });

  it('contains the settings of burner and air as steps', () => {
    expect(written.get('specialevents')).toEqual([0, 200, 201, 400]);
    expect(written.get('specialeventstype')).toEqual([3, 3, 0, 3]);
    expect(written.get('specialeventsvalue')).toEqual([11, 7.3, 5.5, 0]);
    expect(written.get('specialeventsStrings')).toEqual(['100%', '63%', '45%', '0%']);
  });
});

it('reads set points of an operator as steps, and a controller output as a curve', () => {
  expect(stepsOf(times, burner)).toHaveLength(3);
  expect(
    stepsOf(
      times,
      times.map((time) => 50 + Math.sin(time) * 10),
    ),
  ).toEqual([]);
  expect(
    stepsOf(
      times,
      times.map(() => null),
    ),
  ).toEqual([]);
});
