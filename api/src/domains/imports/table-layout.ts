import type { MarkKind } from '@roastery/roasting/marks';
import type { TemperatureUnit } from '@roastery/roasting/units';
import type { TimeUnit } from '@roastery/roasting/time-unit';
import type { SheetCell } from '../../sheets/read-workbook.ts';
import { cutName, isDerived, knownChannel } from './channel-names.ts';
import { maxColumns, refusedFile } from './imported-roast.ts';
import { textIn } from './table-cells.ts';

export type TableRow = readonly SheetCell[];

/** The meaning of a column in a table of readings. */
export interface TableColumn {
  readonly place: number;
  readonly head: string;
  readonly use: 'time' | 'event' | 'channel';
  /** Of a column of time, as its head states it. */
  readonly timeUnit?: TimeUnit | undefined;
}

export interface TableLayout {
  readonly headRow: number;
  readonly columns: readonly TableColumn[];
  /** As in the head of a temperature column. */
  readonly temperatureUnit: TemperatureUnit | undefined;
}

/** Rows above the head of a table that may hold something else. */
const maxRowsAbove = 60;

const plainWords = (head: string): string =>
  cutName(head)
    .replaceAll(/[([].*?[)\]]/g, ' ')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

const timeNames = new Set([
  'time',
  'timestamp',
  'time stamp',
  'unix time',
  'epoch',
  'date',
  'datetime',
  'date time',
  'clock',
  'wall clock',
  'time of day',
  'm s',
  'mm ss',
  'h m s',
  'hh mm ss',
  'min',
  'minutes',
  'time min',
  'time minutes',
  'elapsed min',
  'elapsed minutes',
  'hours',
  'time hours',
  'elapsed hours',
  'uhrzeit',
  'zeitstempel',
  'datum',
  'fecha',
  'hora',
  'heure',
  'time1',
  'times',
  'time seconds',
  'time s',
  'time ms',
  'seconds',
  'sec',
  's',
  't',
  'elapsed',
  'elapsed time',
  'elapsed seconds',
  'roast time',
  'zeit',
  'röstzeit',
  'temps',
  'tiempo',
  'tempo',
  'tijd',
  'время',
  '時間',
  '时间',
  '시간',
]);
const eventNames = new Set(['event', 'events', 'mark', 'marks', 'marker', 'comment']);
/** Columns that only repeat another one. */
const passedOver = new Set(['time2', 'since charge', 'roast clock', 'sample', 'index', 'no']);

const timeUnitOf = (head: string): TimeUnit | undefined => {
  if (/\bms\b|millisec/i.test(head)) return 'ms';
  if (/\bcs\b|centisec/i.test(head)) return 'cs';
  if (/(?:\b|_)min(?:ute)?s?(?![a-z])/i.test(head)) return 'min';
  if (/\(h\)|\[h\]|(?:\b|_)hours?(?![a-z])/i.test(head)) return 'h';
  return /\(s\)|\[s\]|\bsec(?:onds?|s)?\b|_s(?:econds)?$/i.test(head) ? 's' : undefined;
};

export const temperatureUnitOf = (head: string): TemperatureUnit | undefined => {
  if (/°\s*F|\(F\)|\[F\]|_f$|fahrenheit/i.test(head)) return 'F';
  return /°\s*C|\(C\)|\[C\]|_c$|celsius/i.test(head) ? 'C' : undefined;
};

const columnOf = (head: string, place: number): TableColumn | undefined => {
  const name = plainWords(head);
  if (name === '' || passedOver.has(name) || isDerived(head)) return undefined;
  // `Date America/Los_Angeles`
  if (timeNames.has(name) || /^date .*\//i.test(head)) return { place, head, use: 'time', timeUnit: timeUnitOf(head) };
  if (eventNames.has(name)) return { place, head, use: 'event' };
  return { place, head, use: 'channel' };
};

/** The head of a table of readings: the first row that names a time and a bean temperature. Undefined without one. */
export const findTable = (rows: readonly TableRow[]): TableLayout | undefined => {
  for (const [headRow, row] of rows.slice(0, maxRowsAbove).entries()) {
    if (row.length > maxColumns)
      throw refusedFile(`The table has more than ${maxColumns} columns, too many for a roast.`);
    const heads = row.map((cell) => cutName(textIn(cell)));
    const columns = heads.flatMap((head, place) => columnOf(head, place) ?? []);
    const time = columns.find(({ use }) => use === 'time');
    const bean = columns.find(({ head, use }) => use === 'channel' && knownChannel(head)?.channel === 'bean_temp');
    if (time === undefined || bean === undefined) continue;
    const temperatureUnit = columns
      .filter(({ head, use }) => use === 'channel' && knownChannel(head)?.unit === '°C')
      .map(({ head }) => temperatureUnitOf(head))
      .find((unit) => unit !== undefined);
    const only = columns.filter(
      (column) => column.use !== 'event' || column === columns.find(({ use }) => use === 'event'),
    );
    return { headRow, columns: only, temperatureUnit };
  }
  return undefined;
};

const markNames: Record<MarkKind, readonly string[]> = {
  charge: ['charge', 'start', 'beans in'],
  turning_point: ['tp', 'turning point', 'turn'],
  dry_end: ['dry end', 'drye', 'dry', 'yellow', 'yellowing', 'color change', 'colour change'],
  first_crack: ['fcs', 'fc', 'first crack', 'firstcrack', '1st crack', 'first crack start', '1c', 'fc start'],
  first_crack_end: ['fce', 'first crack end', '1st crack end', 'fc end'],
  second_crack: ['scs', 'sc', 'second crack', 'secondcrack', '2nd crack', 'second crack start', '2c', 'sc start'],
  second_crack_end: ['sce', 'second crack end', '2nd crack end', 'sc end'],
  drop: ['drop', 'end', 'beans out', 'dump'],
  cool_end: ['cool', 'cool end', 'coole', 'cool down end'],
};

/** The mark for a word, as written by Artisan, other programs and our own files. */
export const markNamed = (text: string): MarkKind | undefined => {
  const name = plainWords(text);
  const found = Object.entries(markNames).find(([, names]) => names.includes(name));
  return found?.[0] as MarkKind | undefined;
};
