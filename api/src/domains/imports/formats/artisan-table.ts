import type { Mark } from '@roastery/roasting/marks';
import { type FileMoment, momentIn } from '../moments.ts';
import type { TableHints } from '../read-table.ts';
import { textIn } from '../table-cells.ts';
import type { TableRow } from '../table-layout.ts';

/** What Artisan writes above a table of readings. */
export interface ArtisanHead extends TableHints {
  readonly recordedAt: FileMoment | null;
}

export const artisanHead = (fields: ReadonlyMap<string, string>): ArtisanHead | undefined => {
  if (!fields.has('date') || !fields.has('unit')) return undefined;
  const unit = fields.get('unit')?.toUpperCase() === 'F' ? 'F' : 'C';
  const time = fields.get('time') ?? '';
  // A day alone does not count as a time here.
  const recordedAt = time === '' ? null : momentIn(`${fields.get('date')} ${time}`, 'dmy');
  return { temperatureUnit: unit, dropout: -1, recordedAt };
};

/** The first two rows of Artisan's workbook: names, and their values. */
export const headInRows = ([names = [], values = []]: readonly TableRow[]): ArtisanHead | undefined =>
  textIn(names[0]) === 'Date' && textIn(names[1]) === 'Unit'
    ? artisanHead(new Map(names.map((name, place) => [textIn(name).toLowerCase(), textIn(values[place])])))
    : undefined;

/**
 * Artisan's workbook names a mark that was not set on the first row, since its time is 0 there, and a charge that was not
 * set on the last row. Its CSV has had a guard against that since.
 */
export const withoutUnsetMarks = (marks: readonly Mark[], timesSeconds: readonly number[]): Mark[] =>
  marks.filter(({ kind, timeSeconds }) => timeSeconds !== (kind === 'charge' ? timesSeconds.at(-1) : timesSeconds[0]));
