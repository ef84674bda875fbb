import type { MarkKind } from '@roastery/roasting/marks';
import { parseDuration } from '@roastery/roasting/units';
import { parseCsv } from '../../../sheets/csv.ts';
import { assembleRoast } from '../assemble-roast.ts';
import { headOf, textOf } from '../file-content.ts';
import { maxSamples, refusedFile } from '../imported-roast.ts';
import { momentIn } from '../moments.ts';
import type { RoastFileFormat } from '../roast-file-format.ts';
import { numberIn } from '../table-cells.ts';
import { curvesOf, placeOf, type FixedColumn } from './table-columns.ts';

const columns: readonly FixedColumn[] = [
  { head: 'BT', label: 'BT', unit: '°C', is: 'bean_temp' },
  { head: 'ET', label: 'ET', unit: '°C', is: 'exhaust_temp' },
  { head: 'SV', label: 'SV', unit: '°C' },
  { head: 'HP', label: 'Heat', unit: '%', is: 'heat_power' },
  { head: 'SM', label: 'Air', unit: '%', is: 'fan_speed' },
  { head: 'RL', label: 'Drum', unit: '%', is: 'drum_speed' },
];

/** Sections with `151@05:32`: the temperature and the time of a mark. */
const markSections: Readonly<Record<string, MarkKind>> = {
  StartBeansIn: 'charge',
  TemperBack: 'turning_point',
  TurntoYellow: 'dry_end',
  '1stBoomStart': 'first_crack',
  '1stBoomEnd': 'first_crack_end',
  '2ndBoomStart': 'second_crack',
  '2ndBoomEnd': 'second_crack_end',
  BeansColdDown: 'drop',
};

/** The lines of each section, under its name: `[{DATA}]`. */
const sectionsOf = (text: string): ReadonlyMap<string, readonly string[]> => {
  const sections = new Map<string, string[]>();
  let current: string[] = [];
  for (const line of text.split(/\r\n|\r|\n/)) {
    const name = /^\[\{(\w{1,40})\}\]$/.exec(line.trim())?.[1];
    if (name !== undefined) sections.set(name, (current = []));
    else if (line.trim() !== '') current.push(line.trim());
  }
  return sections;
};

/** Kaleido: the machine's own file in sections, with its marks and one row every one or two seconds. */
export const kaleido: RoastFileFormat = {
  format: 'kaleido',
  recognise: (bytes) => {
    const head = headOf(bytes);
    return head.startsWith('KLDO data file') || head.includes('[{StartBeansIn}]') ? 'certain' : 'no';
  },
  read: (bytes, choices) => {
    const sections = sectionsOf(textOf(bytes) ?? '');
    const [headLine = '', ...lines] = sections.get('DATA') ?? [];
    if (lines.length > maxSamples) throw refusedFile('The file has too many samples. Reduce it to one roast.');
    const [heads = [], ...cut] = parseCsv([headLine, ...lines].join('\n')).records.map(({ cells }) => cells);
    const time = placeOf(heads, 'Time');
    const rows = cut.filter((row) => numberIn(row[time]) !== null);
    const timesSeconds = rows.map((row) => (numberIn(row[time]) ?? 0) / 1000);
    const marks = Object.entries(markSections).flatMap(([section, kind]) => {
      const at = parseDuration(sections.get(section)?.[0]?.split('@')[1] ?? '');
      return at === null ? [] : [{ kind, timeSeconds: at }];
    });
    return assembleRoast(
      {
        timesSeconds,
        curves: curvesOf(heads, rows, columns),
        marks,
        facts: { machine_name: 'Kaleido', coffee_name: sections.get('Comment')?.[0]?.slice(0, 200) ?? null },
        recordedAt: momentIn(sections.get('CookDate')?.[0] ?? '', 'ymd'),
        temperatureUnit: 'C',
      },
      choices,
    );
  },
};
