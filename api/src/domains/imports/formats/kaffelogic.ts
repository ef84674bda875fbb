import type { MarkKind } from '@roastery/roasting/marks';
import { assembleRoast } from '../assemble-roast.ts';
import { headOf, textOf } from '../file-content.ts';
import { maxSamples, refusedFile } from '../imported-roast.ts';
import { momentIn } from '../moments.ts';
import type { RoastFileFormat } from '../roast-file-format.ts';
import { numberIn } from '../table-cells.ts';
import { curvesOf, type FixedColumn } from './table-columns.ts';

const columns: readonly FixedColumn[] = [
  { head: 'temp', label: 'Bean temp', unit: '°C', is: 'bean_temp' },
  { head: 'mean_temp', label: 'Mean temp', unit: '°C' },
  { head: 'profile', label: 'Profile', unit: '°C' },
  { head: 'power_kW', label: 'Power kW', unit: '' },
  { head: 'actual_fan_RPM', label: 'Fan rpm', unit: '' },
];

/** Lines between the samples: `!first_crack:386.527`, seconds since the charge. */
const markLines: Readonly<Record<string, MarkKind>> = {
  colour_change: 'dry_end',
  color_change: 'dry_end',
  first_crack: 'first_crack',
  first_crack_end: 'first_crack_end',
  second_crack: 'second_crack',
  second_crack_end: 'second_crack_end',
  roast_end: 'drop',
};

interface Log {
  readonly settings: ReadonlyMap<string, string>;
  readonly heads: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly marks: readonly { readonly kind: MarkKind; readonly timeSeconds: number }[];
}

interface End {
  readonly timeSeconds: number;
  /** 0: the roast was finished. Others: it was aborted, and the log may go on. */
  reason: number | null;
}

/** The last end of a finished roast, else the last one. */
const dropOfEnds = (ends: readonly End[]): Log['marks'] => {
  const end = ends.findLast(({ reason }) => reason === 0) ?? ends.at(-1);
  return end === undefined ? [] : [{ kind: 'drop', timeSeconds: end.timeSeconds }];
};

const parseLog = (text: string): Log => {
  const settings = new Map<string, string>();
  const rows: string[][] = [];
  const marks: { kind: MarkKind; timeSeconds: number }[] = [];
  const ends: End[] = [];
  let heads: string[] | undefined;
  for (const line of text.split(/\r\n|\r|\n/)) {
    const colon = line.indexOf(':');
    if (line.startsWith('!')) {
      const name = line.slice(1, colon).trim().replaceAll(' ', '_');
      const value = numberIn(line.slice(colon + 1));
      const kind = markLines[name];
      const end = ends.at(-1);
      // 0 is a mark that was not set.
      if (value === null || (kind !== undefined && value <= 0)) continue;
      if (kind === 'drop') ends.push({ timeSeconds: value, reason: null });
      else if (kind !== undefined) marks.push({ kind, timeSeconds: value });
      else if (name === 'roast_end_reason' && end !== undefined) end.reason = value;
    } else if (line.startsWith('time\t')) {
      heads = line.split('\t').map((head) => head.replaceAll(/[#=^]/g, '').trim());
    } else if (heads !== undefined && /^\d/.test(line)) {
      rows.push(line.split('\t'));
    } else if (heads === undefined && colon > 0) {
      settings.set(line.slice(0, colon).trim(), line.slice(colon + 1).trim());
    }
  }
  return { settings, heads: heads ?? [], rows, marks: [...marks, ...dropOfEnds(ends)] };
};

/** Kaffelogic: the roaster's log, settings first, then one row per second from the charge on. */
export const kaffelogic: RoastFileFormat = {
  format: 'kaffelogic',
  recognise: (bytes) =>
    /^(?:log_file_name|profile_(?:file|short)_name|profile_schema_version):/m.test(headOf(bytes)) ? 'certain' : 'no',
  read: (bytes, choices) => {
    const { settings, heads, rows, marks } = parseLog(textOf(bytes) ?? '');
    if (rows.length > maxSamples) throw refusedFile('The file has too many samples. Reduce it to one roast.');
    const times = rows.map((row) => numberIn(row[0]) ?? Number.NaN);
    // The first seconds after the charge are not logged: a sample without readings represents the charge.
    const isLate = (times[0] ?? 0) > 0;
    const level = numberIn(settings.get('roasting_level'));
    const grams = numberIn(settings.get('boost_load_size')) ?? 0;
    return assembleRoast(
      {
        timesSeconds: isLate ? [0, ...times] : times,
        curves: curvesOf(heads, isLate ? [[], ...rows] : rows, columns),
        marks: [{ kind: 'charge', timeSeconds: 0 }, ...marks],
        facts: {
          machine_name: ['Kaffelogic', settings.get('model')].filter((word) => word !== undefined).join(' '),
          profile_name: settings.get('profile_short_name') || settings.get('profile_file_name') || null,
          batch_size_kg: grams > 0 ? grams / 1000 : null,
          notes:
            [level === null ? '' : `Level ${level}`, settings.get('tasting_notes') ?? ''].filter(Boolean).join('\n') ||
            null,
        },
        recordedAt: momentIn(settings.get('roast_date') ?? '', 'dmy'),
        temperatureUnit: 'C',
      },
      choices,
    );
  },
};
