import type { MarkKind } from '@roastery/roasting/marks';
import { assembleRoast } from '../assemble-roast.ts';
import { maxFirstRows } from '../file-content.ts';
import { type FileMoment, momentIn } from '../moments.ts';
import type { RoastFileFormat } from '../roast-file-format.ts';
import { textIn, timeIn } from '../table-cells.ts';
import type { TableRow } from '../table-layout.ts';
import { curvesOf, hasHeads, placeOf, tableBelow, type FixedColumn } from './table-columns.ts';

/** Without a bean probe, the infrared sensor measures the bean temperature. */
const columns: readonly FixedColumn[] = [
  { head: 'Bean Probe Temp', label: 'Bean probe', unit: '°C', is: 'bean_temp' },
  { head: 'IBTS Temp', label: 'IBTS', unit: '°C', is: 'bean_temp' },
  ...['Power', 'Fan', 'Drum'].flatMap((label) =>
    [`${label} Setting`, label].map((head): FixedColumn => ({ head, label, unit: '' })),
  ),
];

/** Blocks above the samples, with the times of start and end under their heads. */
const blocks: readonly { readonly begins: RegExp; readonly kinds: readonly MarkKind[] }[] = [
  { begins: /^yellowing/i, kinds: ['dry_end'] },
  { begins: /^1st crack/i, kinds: ['first_crack', 'first_crack_end'] },
  { begins: /^2nd crack/i, kinds: ['second_crack', 'second_crack_end'] },
];

const secondsIn = (cell: string | undefined): number | null => {
  const time = timeIn(cell);
  return time?.isClock === true ? time.value : null;
};

const marksAbove = (rows: readonly TableRow[]) =>
  blocks.flatMap(({ begins, kinds }) => {
    const block = rows.findIndex((row) => begins.test(textIn(row[0])));
    if (block < 0) return [];
    // The row of values is the first one below that contains a time.
    const values =
      rows.slice(block, block + 4).find((row) => row.some((cell) => secondsIn(textIn(cell)) !== null)) ?? [];
    const times = values.flatMap((cell) => secondsIn(textIn(cell)) ?? []);
    return kinds.flatMap((kind, place) => {
      const timeSeconds = times[place];
      return timeSeconds === undefined ? [] : [{ kind, timeSeconds }];
    });
  });

/** `22/08/2026`, without a time: midnight. */
const dayIn = (rows: readonly TableRow[]): FileMoment | null =>
  rows.map(([cell]) => momentIn(textIn(cell), 'dmy')).find((at) => at !== null) ?? null;

const itsHeads = ['Time', 'IBTS Temp'] as const;

/** RoasTime's CSV report of one roast: names, milestones, then the timeline. */
export const roastimeTable: RoastFileFormat = {
  format: 'roastime',
  recognise: (bytes) => (hasHeads(bytes, maxFirstRows, ...itsHeads) ? 'certain' : 'no'),
  read: (bytes, choices) => {
    const { above, heads, rows: all } = tableBelow(bytes, ...itsHeads);
    const time = placeOf(heads, 'Time');
    const rows = all.filter((row) => timeIn(row[time]) !== null);
    const timesSeconds = rows.map((row) => timeIn(row[time])?.value ?? 0);
    const names = above
      .filter((row) => row.filter((cell) => cell.trim() !== '').length === 1)
      .map(([cell]) => textIn(cell));
    return assembleRoast(
      {
        timesSeconds,
        curves: curvesOf(heads, rows, columns),
        marks: [
          { kind: 'charge', timeSeconds: timesSeconds[0] ?? 0 },
          ...marksAbove(above),
          { kind: 'drop', timeSeconds: timesSeconds.at(-1) ?? 0 },
        ],
        facts: {
          coffee_name: names.find((name, place) => place > 0 && /[a-z]/i.test(name) && name !== 'Milestones') ?? null,
          machine_name: 'Aillio Bullet R1',
        },
        recordedAt: dayIn(above),
        temperatureUnit: 'C',
      },
      choices,
    );
  },
};
