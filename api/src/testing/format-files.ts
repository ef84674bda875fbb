import type { UploadFormat } from '@roastery/contract/imports';
import { pythonRepr, type WritableValue } from '@roastery/roasting/artisan/python-repr';
import { utils, write } from '@e965/xlsx';

/** A generated file of each program, after its public importers. One roast: 500 s, first crack at 380 s. */
export interface FormatFile {
  readonly format: UploadFormat;
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** The differences between two files of one program. */
export interface MadeRoast {
  /** Time of the charge, if the program writes it; else each has a different day. */
  readonly chargedAt?: Date;
  /** Bean temperature, °C: a separate curve. */
  readonly warmerC?: number;
  readonly coffee?: string;
  /** If the program writes weights; the loss is 14 %. */
  readonly greenKg?: number;
}

interface Made {
  readonly beanAt: (second: number) => number;
  readonly coffee: string;
  /** The charge; the given one is of the usual roast. */
  readonly at: (usual: string) => Date;
  /** Green and roasted, kg; this much of the usual roast. */
  readonly weights: (usualKg: number) => readonly [green: number, roasted: number];
}
interface Maker extends Omit<FormatFile, 'bytes'> {
  readonly make: (roast: Made) => Uint8Array<ArrayBuffer>;
}

export const roastSeconds = 500;
export const crackSeconds = 380;
const seconds = Array.from({ length: roastSeconds + 1 }, (_, second) => second);

/** Bean temperature in tenths of a degree: 200 °C at the charge, 90 °C a minute later, 212 °C at the drop. */
const warmerBeans =
  (warmerC: number) =>
  (second: number): number =>
    Math.round((warmerC + (second < 60 ? 200 - (110 * second) / 60 : 90 + (122 * (second - 60)) / 440)) * 10) / 10;
export const beanAt = warmerBeans(0);
export const airAt = (second: number): number => Math.round((180 + second / 8) * 10) / 10;
const clock = (second: number): string =>
  `${String(Math.floor(second / 60)).padStart(2, '0')}:${String(second % 60).padStart(2, '0')}`;

const encode = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
const csv = (head: string, row: (second: number) => readonly (string | number)[], more = ''): Uint8Array<ArrayBuffer> =>
  encode(`${head}\n${seconds.map((second) => row(second).join(',')).join('\n')}\n${more}`);

const artisanKeys = ({ beanAt: bean, coffee, at, weights }: Made) =>
  ({
    mode: 'C',
    title: coffee,
    timex: seconds,
    temp1: seconds.map(airAt),
    temp2: seconds.map(bean),
    timeindex: [0, 0, crackSeconds, 0, 0, 0, roastSeconds, 0],
    weight: [...weights(5), 'Kg'],
    roastbatchnr: 42,
    roastbatchprefix: 'P5-',
    roastepoch: at('2025-03-10T09:03:25Z').getTime() / 1000,
    extradevices: [25],
    extratimex: [seconds],
    extraname1: ['BT RoR'],
    extraname2: ['Inlet'],
    extratemp1: [seconds.map(() => 8.5)],
    extratemp2: [seconds.map((second) => airAt(second) + 50)],
    viewerMode: false,
  }) satisfies Record<string, WritableValue>;

type Cells = (string | number | Date | null)[][];

const workbook = (
  sheets: readonly { readonly name: string; readonly rows: Cells }[],
  bookType: 'xlsx' | 'biff8',
): Uint8Array<ArrayBuffer> => {
  const book = utils.book_new();
  for (const { name, rows } of sheets) utils.book_append_sheet(book, utils.aoa_to_sheet(rows, { UTC: true }), name);
  return new Uint8Array(write(book, { type: 'array', bookType }) as ArrayBuffer);
};

interface CropsterWords {
  readonly general: readonly string[];
  readonly comments: readonly string[];
  readonly bean: string;
  readonly exhaust: string;
  readonly gas: string;
  readonly crack: string;
}
const english: CropsterWords = {
  general: [
    'Id-Tag',
    'Lot name',
    'Profile',
    'Machine',
    'Roast technician',
    '',
    '',
    'Date',
    '',
    'Start weight',
    'Start weight unit',
    'End weight',
    'End weight unit',
    'Roasting notes',
  ],
  comments: ['Time', 'Temperature', 'Comment type', 'Value'],
  bean: 'Curve - Bean temperature',
  exhaust: 'Curve - Exhaust temperature',
  gas: 'Curve - Gas',
  crack: 'First crack',
};
const german: CropsterWords = {
  general: [
    'ID-Tag',
    'Chargenname',
    'Profil',
    'Maschine',
    'Rösttechniker',
    '',
    '',
    'Datum',
    '',
    'Startgewicht',
    'Einheit Startgewicht',
    'Endgewicht',
    'Einheit Endgewicht',
    'Röst-Notizen',
  ],
  comments: ['Zeit', 'Temperatur', 'Typ', 'Wert'],
  bean: 'Kurve - Bohnentemperatur',
  exhaust: 'Kurve - Ablufttemperatur',
  gas: 'Kurve - Gas',
  crack: '1. Crack',
};

const cropsterCurve = (value: (second: number) => number): Cells => [
  ['Time', 'Temperature in CELSIUS'],
  ...seconds.map((second) => [second, value(second)]),
];

const cropsterSheets = (words: CropsterWords, { beanAt: beans, coffee, at, weights }: Made) => {
  const { general, comments, bean, exhaust, gas, crack } = words;
  const [green, roasted] = weights(5);
  return [
    {
      name: 'General',
      rows: [
        [...general],
        [
          'PR-0007',
          coffee,
          'Espresso',
          'Probat L-5',
          'Ada',
          '',
          '',
          at('2025-10-16T19:33:48Z'),
          '',
          green,
          'KG',
          roasted,
          'KG',
          'Sweet',
        ],
      ],
    },
    { name: 'Comments', rows: [[...comments], [crackSeconds, 180, crack, ''], [200, 120, 'Gas', 40]] },
    { name: bean, rows: cropsterCurve(beans) },
    { name: exhaust, rows: cropsterCurve(airAt) },
    { name: gas, rows: cropsterCurve(() => 60) },
  ];
};

const strongholdHeads = [
  'Time',
  'Internal',
  'Bean Surface',
  'Drum Surface',
  'Hot Air Temp',
  'RoR',
  'B.S RoR',
  'Hot Air',
  'Halogen',
  'Drum Heater',
  'Bean Agitation',
  'Note',
];
const stronghold = ({ beanAt: bean }: Made) =>
  workbook(
    [
      {
        name: 'Sheet1',
        rows: [
          strongholdHeads,
          ...seconds.map((second) => [
            clock(second),
            airAt(second),
            bean(second),
            190,
            240,
            8.1,
            9.2,
            7,
            5,
            6,
            8,
            second === crackSeconds ? '1st' : '',
          ]),
        ],
      },
    ],
    'xlsx',
  );

const tenths = (value: number): number => Math.round(value * 10);

const loringRow = (second: number, { beanAt: bean, at: chargedAt }: Made): string => {
  const at = new Date(chargedAt('2022-06-14T13:10:29Z').getTime() + second * 1000);
  const hour = at.getUTCHours();
  const day = `${at.getUTCMonth() + 1}/${at.getUTCDate()}/${at.getUTCFullYear()}`;
  const time = `${day} ${hour % 12 || 12}:${String(at.getUTCMinutes()).padStart(2, '0')}:${String(at.getUTCSeconds()).padStart(2, '0')} ${hour < 12 ? 'AM' : 'PM'}`;
  const isRoasting = second < roastSeconds ? 1 : 0;
  return [
    second,
    time,
    isRoasting,
    second,
    2156,
    9493,
    tenths(bean(second)),
    341,
    tenths(airAt(second)),
    tenths(airAt(second)),
    5586,
    1594,
    0,
    1,
    1,
    second >= 200 ? 1 : 0,
    second >= crackSeconds ? 1 : 0,
    0,
  ].join(',');
};
const loringHeads =
  'Id,Time,RoastingOnOff,RoastTimeSeconds,EndPointTemperature,BurnerPercentage,BeanTemperature,BeanTemperatureRateOfRise,InletAirTemperature,ReturnAirTemperature,StackTemperature,CurveTemperatureBaselineOrProfile,Reserved,RoastMode_1_2_3,DegreesCelciusOnOff,ColorChangeOnOff,FirstCrackOnOff,SecondCrackOnOff';

const ikawaRow = (second: number, { beanAt: bean }: Made): string => {
  const state = second < 30 ? 'pre-heating' : second < 35 ? 'doser open' : second < 480 ? 'roasting' : 'cooling';
  return `${Math.max(0, second - 35)}.0,80.0,155.1,12000,${bean(second)},${state},64,1,1,0,${airAt(second)}, 29.2, 40, 12`;
};

const roastime = ({ beanAt: bean, coffee, at, weights }: Made) => {
  const [green, roasted] = weights(0.5);
  return {
    beanTemperature: seconds.map(bean),
    drumTemperature: seconds.map((second) => bean(second) + 12),
    exitTemperature: seconds.map(airAt),
    beanDerivative: seconds.map(() => 9),
    sampleRate: 1,
    roastStartIndex: 0,
    roastEndIndex: roastSeconds,
    indexYellowingStart: 0,
    indexFirstCrackStart: crackSeconds + 1,
    weightGreen: green * 1000,
    weightRoasted: roasted * 1000,
    dateTime: at('2025-03-10T09:03:25Z').getTime(),
    roastName: coffee,
    roastNumber: 42,
    actions: {
      actionTimeList: [
        { ctrlType: 0, index: 1, value: 9 },
        { ctrlType: 1, index: 100, value: 3 },
      ],
    },
  };
};

const hibean = ({ beanAt: bean, coffee, at, weights }: Made) => {
  const [green, roasted] = weights(0.5);
  return {
    dateTime: at('2025-03-29T09:09:29Z').toISOString().slice(0, -1),
    temperatureUnit: 'C',
    deviceInfo: { name: 'HiBean M1' },
    roastContext: {
      name: coffee,
      greenBeanWeight: { value: green * 1000, unit: 'g' },
      roastedBeanWeight: { value: roasted * 1000, unit: 'g' },
    },
    dataList: seconds.map((second) => ({
      duration: second,
      bt: bean(second),
      et: airAt(second),
      roasterParams: [
        { key: 'HP', value: '60' },
        { key: 'FC', value: '45' },
      ],
      ...(second === 0
        ? { event: 1 }
        : second === crackSeconds
          ? { event: 4 }
          : second === roastSeconds
            ? { event: 8 }
            : {}),
    })),
  };
};

/** `2025-05-15 20:31:48` */
const dayAndTime = (at: Date): string => at.toISOString().slice(0, 19).replace('T', ' ');
/** `20/12/2022` */
const dayFirst = (at: Date): string => dayAndTime(at).slice(0, 10).split('-').toReversed().join('/');

const kaffelogic = ({ beanAt: bean, at }: Made) => {
  const charged = at('2022-12-20T16:08:39Z');
  return [
    'log_file_name:kaffelogic/roast-logs/log0018.klog',
    'profile_short_name:Espresso',
    'roasting_level:3.70000',
    `roast_date:${dayFirst(charged)} ${dayAndTime(charged).slice(11)} UTC`,
    'model:KN1007B',
    'offsets\t-8.5\t-8.75\t0\t0',
    'time\t#spot_temp\t#=temp\t=mean_temp\t=actual_ROR',
    ...seconds
      .slice(6)
      .flatMap((second) => [
        `${second - 0.002}\t${bean(second)}\t${bean(second)}\t${bean(second)}\t9.2`,
        ...(second === 390 ? [`!first_crack:${crackSeconds}`] : []),
      ]),
    `!roast_end:${roastSeconds}`,
  ].join('\n');
};

const kaleido = ({ beanAt: bean, coffee, at }: Made) =>
  [
    `KLDO data file V101\n[{PARAMETERS}]\n[{TotalTime}]\n08:20\n[{CookDate}]\n${dayAndTime(at('2025-05-15T20:31:48Z')).slice(2)}\n[{Comment}]\n${coffee}   \n[{EVENT}]`,
    `[{StartBeansIn}]\n200@00:00\n[{TemperBack}]\n90@01:00\n[{TurntoYellow}]\n150@04:10\n[{1stBoomStart}]\n189@${clock(crackSeconds)}`,
    `[{1stBoomEnd}]\n          \n[{BeansColdDown}]\n212@${clock(roastSeconds)}\n[{DATA}]\nIndex,Time,BT,ET,RoR,SV,HPM,HP,SM,RL,PS`,
    ...seconds.map(
      (second) => `${second + 1},${second * 1000 + 495},${bean(second)},${airAt(second)},5.0,210,M,75,30,100,O`,
    ),
  ].join('\n');

const petroncini = ({ beanAt: bean, at: chargedAt }: Made) => {
  const start = chargedAt('2021-04-30T17:56:50Z').getTime();
  return [
    'Export path\n\\Storage Card USB\\2021_4_30_17_56_49.csv',
    'Year;Month;Day;Hour;Minute;Second;Id Recipe;Beans Temperature;Inlet Temperature;Outlet Temperature; Burner Percentage\n',
    ...seconds.map((second) => {
      const at = new Date(start + second * 1000);
      const day = [at.getUTCFullYear(), at.getUTCMonth() + 1, at.getUTCDate()].join(';');
      const time = [at.getUTCHours(), at.getUTCMinutes(), at.getUTCSeconds()].join(';');
      return `${day};${time};3;${String(bean(second)).replace('.', ',')};438;${Math.round(airAt(second))};75`;
    }),
  ].join('\n');
};

const roastimeReport = ({ beanAt: bean, coffee, at }: Made) =>
  [
    `CRT Aug 22 2026\n${dayFirst(at('2026-08-22T00:00:00Z'))}\n${coffee}\n\nMilestones\n1st Crack,Start,,,End\n,Index,Time,,Index,Time`,
    `,1012,${clock(crackSeconds)},,-,-\n\nYellowing,Start index,Start time\n,526,4:23\n`,
    'Timeline,Index,Time,IBTS Temp,Bean Probe Temp,IBTS ROR,Bean Probe ROR,Power Setting,Drum Setting,Fan Setting',
    ...seconds.map((second) => `,${second},${clock(second)},${airAt(second)},${bean(second)},66.1,-10.0,6,9,2`),
  ].join('\n');

const rubasseSettings = `150,10,40,60,30,15,200,217.6,35,2.5,0.07,60.0,2.0,0.02,60.0,60.0,160.0,60,90.0,${crackSeconds},179.0,0,0.0,${roastSeconds},212.0`;
const roestHeads =
  'Time,Event,Fan (%),RPM (RPM),Power (%),Bean temp (°C),Air temp (°C),Bean RoR (°C/min),Cracks (),Total cracks (13) (),Target (°C),Drum temp (°C),Inlet temp (°C),Exhaust Temp (°C)';
const ikawaHeads = 'time,fan set,setpoint,fan speed,temp above,state,heater,p,i,d,temp below, temp board, j, ror_above';

const makers: readonly Maker[] = [
  { format: 'alog', name: 'artisan.alog', make: (roast) => encode(pythonRepr(artisanKeys(roast))) },
  { format: 'artisan_json', name: 'artisan.json', make: (roast) => encode(JSON.stringify(artisanKeys(roast))) },
  { format: 'cropster', name: 'cropster.xls', make: (roast) => workbook(cropsterSheets(english, roast), 'biff8') },
  { format: 'cropster', name: 'cropster-de.xls', make: (roast) => workbook(cropsterSheets(german, roast), 'biff8') },
  { format: 'cropster', name: 'cropster.xlsx', make: (roast) => workbook(cropsterSheets(english, roast), 'xlsx') },
  { format: 'roastime', name: 'roastime.json', make: (roast) => encode(JSON.stringify(roastime(roast))) },
  { format: 'roastime', name: 'roastime.csv', make: (roast) => encode(roastimeReport(roast)) },
  { format: 'kaleido', name: 'kaleido.csv', make: (roast) => encode(kaleido(roast)) },
  { format: 'stronghold', name: 'stronghold.xlsx', make: stronghold },
  {
    format: 'loring',
    name: 'loring.csv',
    make: (roast) =>
      encode(
        `${loringHeads}\n${seconds.map((second) => loringRow(second, roast)).join('\n')}\n501,6/14/2022 1:23:12 PM,,,,,,,,,,,,,,,,\n`,
      ),
  },
  {
    format: 'giesen',
    name: 'giesen.csv',
    make: ({ beanAt: bean }) =>
      csv('seconds,time,air,beans,ror,power,speed,pressure', (second) => [
        second,
        clock(second),
        airAt(second),
        bean(second),
        8.1,
        60,
        54,
        120,
      ]),
  },
  {
    format: 'ikawa',
    name: 'ikawa.csv',
    make: (roast) => encode(`${ikawaHeads}\n${seconds.map((second) => ikawaRow(second, roast)).join('\n')}\n`),
  },
  {
    format: 'roest',
    name: 'Guji - Batch 995.csv',
    make: ({ beanAt: bean }) =>
      csv(roestHeads, (second) => [
        second * 1000,
        second === 0 ? 'Charge' : second === crackSeconds ? 'Firstcrack' : second === roastSeconds ? 'Drop' : 'N/A',
        45,
        55,
        60,
        bean(second),
        airAt(second) + 20,
        9.1,
        0,
        0,
        250,
        140,
        210,
        airAt(second),
      ]),
  },
  {
    format: 'rubasse',
    name: 'rubasse.csv',
    make: ({ beanAt: bean }) =>
      csv(rubasseSettings, (second) => [second, bean(second), 60, 40, 9, 30, -0.2, airAt(second), 12.5]),
  },
  { format: 'petroncini', name: '2021_4_30_17_56_49.csv', make: (roast) => encode(petroncini(roast)) },
  { format: 'kaffelogic', name: 'log0018.klog', make: (roast) => encode(kaffelogic(roast)) },
  { format: 'hibean', name: 'hibean.json', make: (roast) => encode(JSON.stringify(hibean(roast))) },
];

/** A file of the maker at this position of `formatFiles`. */
export const makeFormatFile = (
  place: number,
  { chargedAt, warmerC = 0, coffee = 'Guji', greenKg }: MadeRoast = {},
): FormatFile => {
  const maker = makers[place % makers.length];
  if (maker === undefined) throw new RangeError(`no format at ${place}`);
  const roast: Made = {
    beanAt: warmerBeans(warmerC),
    coffee,
    at: (usual) => chargedAt ?? new Date(usual),
    weights: (usualKg) => {
      const green = greenKg ?? usualKg;
      return [green, Math.round(green * 860) / 1000];
    },
  };
  return { format: maker.format, name: maker.name, bytes: maker.make(roast) };
};

export const formatFiles: readonly FormatFile[] = makers.map((_maker, place) => makeFormatFile(place));
