/**
 * Tables of readings as people and small programs write them: the same roast under other heads, separators and units. Generated; the
 * styles of `publicStyles` are the heads of public programs, which were not in view when the vocabulary of heads was written.
 */

export const tableStepSeconds = 4;
const lastSecond = 660;
const seconds = Array.from({ length: lastSecond / tableStepSeconds + 1 }, (_, row) => row * tableStepSeconds);
/** Charge at 0:32, turning at 1:32, drop at 10:32. */
export const tableMarks = { charge: 32, drop: 632 };
export const tableBeanC = (second: number): number => {
  if (second <= 32) return 200;
  if (second <= 92) return 200 - ((second - 32) * 110) / 60;
  return second <= 632 ? 90 + ((second - 92) * 122) / 540 : 212 - (second - 632) * 3;
};
export const tableAirC = (second: number): number => 205 + second / 18 - Math.max(0, 20 - Math.abs(second - 92) / 3);

const two = (value: number): string => String(Math.floor(value)).padStart(2, '0');
const clock = (second: number): string => `${two(second / 60)}:${two(second % 60)}`;

/** What a column of a style holds at a second. `unit`: `F` where the style has the variant in °F. */
type Cell = (second: number, inF: boolean) => string | number;
const temperature =
  (of: (second: number) => number): Cell =>
  (second, inF) =>
    Math.round((inF ? of(second) * 1.8 + 32 : of(second)) * 10) / 10;
const inSeconds: Cell = (second) => second;
const cells = {
  s: inSeconds,
  ms: (second) => second * 1000,
  min: (second) => (second / 60).toFixed(4),
  clock: (second) => clock(second),
  iso: (second) => new Date(Date.UTC(2026, 5, 7, 12, 9, 10) + second * 1000).toISOString(),
  unix: (second) => 1_780_834_150 + second,
  bean: temperature(tableBeanC),
  air: temperature(tableAirC),
  inlet: temperature((second) => 300 + second / 20),
  rate: () => 9.5,
  burner: (second) => (second < 300 ? 80 : 60),
  fan: () => 45,
  event: (second) => (second === tableMarks.charge ? 'Charge' : second === tableMarks.drop ? 'Drop' : ''),
  word: () => 'roasting',
  row: (second) => second / tableStepSeconds,
  missing: () => 'false',
  target: temperature((second) => 190 + second / 40),
} satisfies Record<string, Cell>;

export interface TableStyle {
  readonly name: string;
  /** `head|cell`, a `%U` in the head is the unit C or F, a `%u` the same in small letters. */
  readonly columns: readonly `${string}|${keyof typeof cells}`[];
  /** Which column becomes the exhaust temperature; absent: none has its name. */
  readonly exhaust?: boolean;
}

export const ownStyles: readonly TableStyle[] = [
  {
    name: 'snake',
    columns: ['elapsed_seconds|s', 'bean_temp_%u|bean', 'env_temp_%u|air', 'event|event'],
    exhaust: true,
  },
  { name: 'short snake', columns: ['t_sec|s', 'BT_%U|bean', 'ET_%U|air', 'RoR_%U_min|rate'], exhaust: true },
  { name: 'temp1 and temp2', columns: ['time|s', 'temp1|air', 'temp2|bean'], exhaust: true },
  { name: 'one temperature', columns: ['Time|clock', 'Temperature (°%U)|bean'] },
  { name: 'camel', columns: ['TimeMs|ms', 'BeanTemp|bean', 'ExhaustTemp|air', 'HeaterPct|burner'], exhaust: true },
  {
    name: 'words',
    columns: ['Elapsed time (min)|min', 'Bean temperature °%U|bean', 'Environment temperature °%U|air'],
    exhaust: true,
  },
  { name: 'units below', columns: ['Time|s', 'BT|bean', 'ET|air'], exhaust: true },
  {
    name: 'German',
    columns: ['Röstzeit (mm:ss)|clock', 'Bohnentemperatur [°%U]|bean', 'Abluft [°%U]|air'],
    exhaust: true,
  },
  { name: 'with the index of a data frame', columns: ['|row', 'time_s|s', 'bt|bean', 'et|air'], exhaust: true },
];

export const publicStyles: readonly TableStyle[] = [
  { name: 'three columns', columns: ['time_sec|s', 'bean_temp_%u|bean', 'env_temp_%u|air'], exhaust: true },
  {
    name: 'samples of a database',
    columns: ['t_s|s', 'bean_temp_%u|bean', 'env_temp_%u|air', 'is_missing|missing'],
    exhaust: true,
  },
  {
    name: 'controller',
    columns: ['elapsed_ms|ms', 'bean_temp_%u|bean', 'ror_%u_per_min|rate', 'fan_pct|fan', 'heater_pct|burner'],
  },
  {
    name: 'air popper',
    columns: [
      'Time (sec)|s',
      'BT (bean temperature º%U)|bean',
      'PID|burner',
      'HeaterPower (%)|burner',
      'RoR (Rate of rise)|rate',
    ],
  },
  {
    name: 'profile logger',
    columns: [
      'timestamp_sec|unix',
      'elapsed_sec|s',
      'elapsed_mmss|clock',
      'stage|word',
      'target_temp_%U|target',
      'actual_temp_%U|bean',
    ],
  },
  { name: 'analysis', columns: ['seconds|s', 'beans|bean', 'air|air', 'ror_f|rate'] },
  { name: 'time of the computer', columns: ['timestamp|iso', 'bt|bean', 'et|air', 'heater|burner'], exhaust: true },
];

export interface Notation {
  readonly separator: ',' | ';' | '\t' | '|';
  readonly decimal: '.' | ',';
  readonly inF: boolean;
  readonly isReversed: boolean;
}
/** Every separator, decimal sign, unit and order, each with each other at least once. */
export const notations: readonly Notation[] = [
  { separator: ',', decimal: '.', inF: false, isReversed: false },
  { separator: ';', decimal: ',', inF: true, isReversed: true },
  { separator: '\t', decimal: ',', inF: false, isReversed: true },
  { separator: '\t', decimal: '.', inF: true, isReversed: false },
  { separator: ';', decimal: ',', inF: false, isReversed: false },
  { separator: '|', decimal: ',', inF: true, isReversed: false },
];

/** The roast in a style and a notation. */
export const tableIn = (
  { columns, name }: TableStyle,
  { separator, decimal, inF, isReversed }: Notation,
): Uint8Array => {
  const read = columns.map((column) => {
    const [head = '', cell = ''] = column.split('|');
    const unit = inF ? 'F' : 'C';
    const write: Cell = cells[cell as keyof typeof cells];
    return { head: head.replaceAll('%U', unit).replaceAll('%u', unit.toLowerCase()), write, cell };
  });
  const ordered = isReversed ? read.toReversed() : read;
  const shown = (value: string | number): string =>
    decimal === ',' && /^-?\d+\.\d+$/.test(String(value)) ? String(value).replace('.', ',') : String(value);
  const units = ordered.map(({ cell }) => (cell === 's' ? '(s)' : `(°${inF ? 'F' : 'C'})`));
  const rows = [
    ordered.map(({ head }) => head),
    ...(name === 'units below' ? [units] : []),
    ...seconds.map((second) => ordered.map(({ write }) => shown(write(second, inF)))),
  ];
  return new TextEncoder().encode(rows.map((row) => row.join(separator)).join('\r\n'));
};
