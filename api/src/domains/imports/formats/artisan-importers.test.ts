import { utils, write } from '@e965/xlsx';
import type { MarkKind } from '@roastery/roasting/marks';
import { describe, expect, it } from 'vitest';
import { valuesOf, type ImportedRoast } from '../imported-roast.ts';
import { readRoastFile } from '../read-roast-file.ts';
import { curveKindOf, exhaustSheet, generalNames, markWords } from './cropster-words.ts';

/**
 * The roles of other programs' columns, held against Artisan's importers of the same files: another witness than the
 * files that our own tests generate. Lines are those of neuralldev/tilauscope_fork@30fc858, src/artisanlib. BT is
 * Artisan's `temp2`, ET its `temp1`; events of type 0, 1 and 3 are fan, drum and burner.
 */
type Role = 'bean_temp' | 'exhaust_temp' | 'heat_power' | 'fan_speed' | 'drum_speed';
/** The column of each role, and how many of its numbers make one unit. */
type Roles = Readonly<Partial<Record<Role, string | readonly [column: string, divisor: number]>>>;

const seconds = Array.from({ length: 200 }, (_, second) => second);
/** Every column has numbers of its own. */
const valueAt = (place: number, second: number): number => 20 + 3 * place + second / 10;

const curveAt = (place: number): number[] => seconds.map((second) => valueAt(place, second));

interface Columns {
  readonly heads: readonly string[];
  readonly roles: Roles;
  /** Cells that are no readings: times, states. */
  readonly fixed?: Readonly<Record<string, (second: number) => string | number>>;
  /** Text before and after the rows. */
  readonly around?: readonly [before: string, after: string];
  readonly separator?: string;
}

const rowsOf = ({ heads, roles, fixed = {} }: Columns) => {
  const divisors = new Map(Object.values(roles).flatMap((role) => (typeof role === 'string' ? [] : [role])));
  return seconds.map((second) =>
    heads.map((head, place) => fixed[head]?.(second) ?? valueAt(place, second) * (divisors.get(head) ?? 1)),
  );
};
const textFile = (columns: Columns): Uint8Array => {
  const { heads, around: [before, after] = [heads.join(columns.separator ?? ','), ''], separator = ',' } = columns;
  const lines = rowsOf(columns).map((row) => row.join(separator));
  return new TextEncoder().encode([before, ...lines, after].join('\n'));
};
const workbookFile = (columns: Columns): Uint8Array => {
  const book = utils.book_new();
  utils.book_append_sheet(book, utils.aoa_to_sheet([[...columns.heads], ...rowsOf(columns)]), 'Sheet1');
  return new Uint8Array(write(book, { type: 'array', bookType: 'xlsx' }) as ArrayBuffer);
};
const clock = (second: number): string =>
  `${String(Math.floor(second / 60)).padStart(2, '0')}:${String(second % 60).padStart(2, '0')}`;

/** The column of a channel, by its last reading. */
const columnOf = (roast: ImportedRoast, { heads }: Columns, channel: string): string | undefined => {
  const last = valuesOf(roast, channel)?.at(-1);
  return heads.find((_, place) => Math.abs(valueAt(place, seconds.length - 1) - (last ?? Number.NaN)) < 0.01);
};

const roestHeads = 'Time,Event,Fan (%),RPM (RPM),Power (%),Bean temp (°C),Air temp (°C),Drum temp (°C),Inlet temp (°C)';
const roest = {
  fixed: { Time: (second: number) => second * 1000, Event: () => 'N/A' },
  roles: {
    bean_temp: 'Bean temp (°C)',
    exhaust_temp: 'Air temp (°C)',
    heat_power: 'Power (%)',
    fan_speed: 'Fan (%)',
  },
} as const;
const ikawaState = (second: number): string => (second < 10 ? 'doser open' : second < 190 ? 'roasting' : 'cooling');
const strongholdHeads = (words: string) => words.split(',');
/** stronghold.py:151-157: in steps of 0 to 10. */
const strongholdOutputs = { heat_power: ['Hot Air', 0.1], drum_speed: ['Bean Agitation', 0.1] } as const;
const strongholdClock = { fixed: { Time: clock, Note: () => '', RoR: () => '', 'B.S RoR': () => '' } };

const tables: Readonly<Record<string, Columns>> = {
  'Giesen (giesen.py:79-153)': {
    heads: ['seconds', 'time', 'air', 'beans', 'ror', 'power', 'speed', 'pressure'],
    fixed: { seconds: (second) => second, time: clock },
    roles: { bean_temp: 'beans', exhaust_temp: 'air', heat_power: 'power', drum_speed: 'speed' },
  },
  'Petroncini (petroncini.py:122-165)': {
    heads: [
      'Year',
      'Month',
      'Day',
      'Hour',
      'Minute',
      'Second',
      'Beans Temperature',
      'Inlet Temperature',
      'Outlet Temperature',
      'Burner Percentage',
    ],
    fixed: {
      Year: () => 2021,
      Month: () => 4,
      Day: () => 30,
      Hour: () => 17,
      Minute: (second) => Math.floor(second / 60),
      Second: (second) => second % 60,
    },
    separator: ';',
    roles: {
      bean_temp: 'Beans Temperature',
      exhaust_temp: 'Outlet Temperature',
      heat_power: 'Burner Percentage',
    },
  },
  'Loring (loring.py:175-212)': {
    heads: [
      'RoastTimeSeconds',
      'Time',
      'RoastingOnOff',
      'DegreesCelciusOnOff',
      'BeanTemperature',
      'StackTemperature',
      'InletAirTemperature',
      'ReturnAirTemperature',
      'BurnerPercentage',
    ],
    fixed: {
      RoastTimeSeconds: (second) => second,
      Time: (second) => `6/14/2022 1:${clock(second)} PM`,
      RoastingOnOff: () => 1,
      DegreesCelciusOnOff: () => 1,
    },
    roles: {
      bean_temp: ['BeanTemperature', 10],
      exhaust_temp: ['ReturnAirTemperature', 10],
      heat_power: ['BurnerPercentage', 100],
    },
  },
  'IKAWA, first app (ikawa.py:237-331)': {
    heads: ['time', 'fan set (%)', 'temp set', 'inlet temp', 'exaust temp', 'heater power (%)', 'state'],
    fixed: { time: (second) => second, state: ikawaState },
    roles: {
      bean_temp: 'exaust temp',
      exhaust_temp: 'inlet temp',
      heat_power: 'heater power (%)',
      fan_speed: 'fan set (%)',
    },
  },
  'IKAWA, second app (ikawa.py:239-331)': {
    heads: ['time', 'fan set', 'setpoint', 'temp below', 'temp above', 'heater', 'state'],
    fixed: { time: (second) => second, state: ikawaState },
    roles: { bean_temp: 'temp above', exhaust_temp: 'temp below', heat_power: 'heater', fan_speed: 'fan set' },
  },
  'Roest (roest.py:243-393)': { heads: roestHeads.split(','), ...roest },
  'Kaleido (kaleido.py:762-824)': {
    heads: ['Index', 'Time', 'BT', 'ET', 'RoR', 'SV', 'HPM', 'HP', 'SM', 'RL', 'PS'],
    fixed: { Index: (second) => second, Time: (second) => second * 1000, HPM: () => 'M', PS: () => 'O' },
    around: [
      'KLDO data file\n[{CookDate}]\n25-05-18 19:32:48\n[{DATA}]\nIndex,Time,BT,ET,RoR,SV,HPM,HP,SM,RL,PS',
      '[{StartBeansIn}]\n170@00:00',
    ],
    roles: { bean_temp: 'BT', exhaust_temp: 'ET', heat_power: 'HP', fan_speed: 'SM', drum_speed: 'RL' },
  },
  'Rubasse (rubasse.py:57)': {
    heads: ['time', 'BT', 'Fan', 'Heater', 'RoR', 'Drum', 'Humidity', 'ET', 'Pressure'],
    fixed: { time: (second) => second },
    around: [Array.from({ length: 24 }, () => 0).join(','), ''],
    roles: { bean_temp: 'BT', exhaust_temp: 'ET', heat_power: 'Heater', fan_speed: 'Fan' },
  },
};

const workbooks: Readonly<Record<string, Columns>> = {
  'Stronghold S7 Pro (stronghold.py:60)': {
    heads: strongholdHeads('Time,Internal,Tower Drum,Hot Air Temp,RoR,Hot Air,Halogen,Bean Agitation,Note'),
    ...strongholdClock,
    roles: { bean_temp: 'Tower Drum', exhaust_temp: 'Internal', ...strongholdOutputs },
  },
  'Stronghold S2 (stronghold.py:66)': {
    heads: strongholdHeads('Time,Internal,Bean Surface,Hot Air Temp,RoR,B.S RoR,Hot Air,Halogen,Bean Agitation,Note'),
    ...strongholdClock,
    roles: { bean_temp: 'Bean Surface', exhaust_temp: 'Internal', ...strongholdOutputs },
  },
  'Stronghold S7X (stronghold.py:72)': {
    heads: strongholdHeads(
      'Time,Internal,Bean Surface,Drum Surface,Hot Air Temp,RoR,B.S RoR,Hot Air,Halogen,Drum Heater,Bean Agitation,Note',
    ),
    ...strongholdClock,
    roles: { bean_temp: 'Bean Surface', exhaust_temp: 'Internal', ...strongholdOutputs },
  },
  'Stronghold S8X, S9X (stronghold.py:78)': {
    heads: strongholdHeads(
      'Time,Internal,Bean Surface,Drum Surface,Hot Air Temp,RoR,B.S RoR,Hot Air,Halogen,Drum Heater,Bean Agitation,Blower,Note',
    ),
    ...strongholdClock,
    roles: { bean_temp: 'Bean Surface', exhaust_temp: 'Internal', ...strongholdOutputs },
  },
};

describe('roles of columns are those of Artisan’s importers', () => {
  const files = [
    ...Object.entries(tables).map(([program, columns]) => ({ program, columns, bytes: textFile(columns) })),
    ...Object.entries(workbooks).map(([program, columns]) => ({ program, columns, bytes: workbookFile(columns) })),
  ];

  it.each(files)('$program', async ({ columns, bytes }) => {
    const { roast } = await readRoastFile(bytes, {});
    const wanted = Object.entries(columns.roles).map(
      ([role, column]) => [role, typeof column === 'string' ? column : column[0]] as const,
    );
    expect(wanted.map(([role]) => [role, columnOf(roast, columns, role)])).toEqual(wanted);
  });

  it('Roest with a probe in the exhaust has that as exhaust temperature, the air as a curve of its own', async () => {
    const columns = { heads: [...roestHeads.split(','), 'Exhaust Temp (°C)'], ...roest };
    const { roast } = await readRoastFile(textFile(columns), {});
    expect(columnOf(roast, columns, 'exhaust_temp')).toBe('Exhaust Temp (°C)');
    expect(columnOf(roast, columns, 'air_temp')).toBe('Air temp (°C)');
  });

  /** ikawa.py:337-345: the last row, in seconds since the doser opened. */
  it('IKAWA: the roaster’s detection is the first crack', async () => {
    const columns = tables['IKAWA, second app (ikawa.py:239-331)'];
    const ofRoaster = { ...columns, heads: [...(columns?.heads ?? []), 'adfc_timestamp'], roles: columns?.roles ?? {} };
    const file = {
      ...ofRoaster,
      fixed: { ...columns?.fixed, adfc_timestamp: (second: number) => (second < 150 ? 0 : 140) },
    };
    const { roast } = await readRoastFile(
      textFile({ ...file, fixed: { ...file.fixed, state: (second) => ikawaState(Math.max(0, second - 5)) } }),
      {},
    );
    expect(roast.marks.find(({ kind }) => kind === 'first_crack')?.timeSeconds).toBe(140);
  });
});

describe('HiBean', () => {
  /** hibean.py:100, 120-171. */
  const events: readonly (readonly [number, MarkKind])[] = [
    [1, 'charge'],
    [3, 'dry_end'],
    [4, 'first_crack'],
    [5, 'first_crack_end'],
    [6, 'second_crack'],
    [7, 'second_crack_end'],
    [8, 'drop'],
  ];
  it('has the roles and events of Artisan’s importer', async () => {
    const keys = ['bt', 'et', 'HP', 'FC', 'RC', 'TS'];
    const dataList = seconds.map((second) => ({
      duration: second,
      bt: valueAt(0, second),
      et: valueAt(1, second),
      roasterParams: keys.slice(2).map((key, place) => ({ key, value: String(valueAt(place + 2, second)) })),
      ...(second % 20 === 0 && second < 180 ? { event: second / 20 } : {}),
    }));
    const bytes = new TextEncoder().encode(JSON.stringify({ roastContext: {}, dataList }));
    const { roast } = await readRoastFile(bytes, {});
    const channels: readonly Role[] = ['bean_temp', 'exhaust_temp', 'heat_power', 'fan_speed', 'drum_speed'];
    const columns = { heads: keys, roles: {} };
    expect(channels.map((name) => columnOf(roast, columns, name))).toEqual(keys.slice(0, 5));
    expect(roast.marks.map(({ kind, timeSeconds }) => [timeSeconds / 20, kind])).toEqual(events);
  });
});

describe('RoasTime', () => {
  /** aillio_r1.py:531-613: indices of marks count from 1, those of start and end from 0. */
  it('has the roles, marks and controls of Artisan’s importer', async () => {
    const keys = ['beanTemperature', 'exitTemperature', 'drumTemperature'];
    const file = {
      sampleRate: 1,
      celsius: true,
      ...Object.fromEntries(keys.map((key, place) => [key, curveAt(place)])),
      roastStartIndex: 5,
      indexYellowingStart: 61,
      indexFirstCrackStart: 121,
      indexFirstCrackEnd: 0,
      roastEndIndex: 180,
      actions: {
        actionTimeList: [
          { ctrlType: 0, index: 11, value: 8 },
          { ctrlType: 1, index: 11, value: 2 },
          { ctrlType: 2, index: 11, value: 9 },
        ],
      },
    };
    const { roast } = await readRoastFile(new TextEncoder().encode(JSON.stringify(file)), {});
    const columns = { heads: keys, roles: {} };
    expect(columnOf(roast, columns, 'bean_temp')).toBe('beanTemperature');
    expect(columnOf(roast, columns, 'exhaust_temp')).toBe('exitTemperature');
    expect(
      roast.marks.filter(({ kind }) => kind !== 'turning_point').map((mark) => [mark.kind, mark.timeSeconds]),
    ).toEqual([
      ['charge', 5],
      ['dry_end', 60],
      ['first_crack', 120],
      ['drop', 180],
    ]);
    const controls = ['Power', 'Fan', 'Drum'].map((label) => roast.channels.find((one) => one.label === label)?.values);
    expect(controls.map((values) => [values?.[9], values?.[10]])).toEqual([
      [null, 8],
      [null, 2],
      [null, 9],
    ]);
  });
});

describe('Cropster', () => {
  /** cropster.py:351-553, a curve of each language, and names that look alike. */
  it.each([
    ['bean_temp', 'Curve - Bean temp.', 'Kurve - Bohnentemperatur', 'Curva  Temperatura del grano'],
    ['bean_temp', 'Courbe Température des grains', 'Curva - Temp. chicco', 'Curva - Temp. do grão', '커브 - 빈 온도'],
    ['bean_temp', 'Кривая - Темп. зерен', 'カーブ - 豆の温度', '曲线 - 豆温', '曲線 - 豆溫'],
    ['exhaust_temp', 'Curve - Exhaust temperature', 'Kurve - Ablufttemp.', 'Curva - Temp. de salida'],
    ['exhaust_temp', 'Courbe Temp. échappement', 'Curva - Temperatura dei fumi', 'Curva - Temp. de exaustão'],
    ['exhaust_temp', 'Кривая - Темп. на выходе', '커브 - 배기 온도', 'カーブ - 排気温度。', '曲线 - 排风温'],
    ['temperature', 'Curva - Temp. bruciafumi', 'Curva - Temperatura bruciafumi', 'Curve - Afterburner temp.'],
    [
      'temperature',
      'Curve - Inlet temp.',
      'Kurve - Trommeltemp.',
      'Courbe Temp. brûleur',
      'Curva - Temp. del quemador',
    ],
    ['temperature', '曲线 - 锅炉温度', 'Curve - Stack temp.', 'Kurve - Andere Temp.', '曲线 - 进风温'],
    ['heat_power', 'Curve - Gas', 'Courbe Gaz', 'カーブ - ガス', '曲线 - 火力'],
    ['other', 'Curve - Gas control', '曲线 - 火力控制', 'Curve - Drum pressure', 'Curve - custom'],
  ])('%s: %s, %s and others', (role, ...sheets) => {
    expect(sheets.map((sheet) => [sheet, curveKindOf(sheet)])).toEqual(sheets.map((sheet) => [sheet, role]));
  });

  /** cropster.py:1090: without a curve of the exhaust, Artisan's ET is the air beside the beans, or the returning air. */
  it.each([
    [['Curve - Bean temp.', 'Curve - Env. temp.', 'Curve - Exhaust temp.'], 'Curve - Exhaust temp.'],
    [['Curve - Return temp.', 'Curve - Env. temp.', 'Curve - Bean temp.'], 'Curve - Env. temp.'],
    [['Kurve - Umgebungstemp.', 'Kurve - Bohnentemp.'], 'Kurve - Umgebungstemp.'],
    [['曲线 - 炉温', '曲线 - 锅炉温度', '曲线 - 豆温'], '曲线 - 炉温'],
    [['曲线 - 锅炉温度', '曲线 - 空气回炉温度', '曲线 - 豆温'], '曲线 - 空气回炉温度'],
    [['Curve - Inlet temp.', 'Curve - Burner temp.', 'Curve - Bean temp.'], undefined],
  ])('the exhaust temperature among %j is %s', (names, exhaust) => {
    expect(exhaustSheet(names)).toBe(exhaust);
  });

  /** cropster.py:71-330, words of the first sheet and of comments. */
  it('knows notes and turning point by the words that Artisan knows', () => {
    expect(generalNames.roastingNotes).toContain('ロースティングノート');
    expect(generalNames.cuppingNotes).toContain('примечания к анализу вкусовых характеристик');
    expect(markWords.turning_point).toContain('回温點');
  });
});
