import { markOf, type Mark, type MarkKind } from '@roastery/roasting/marks';
import { valueAt } from '@roastery/roasting/curves/series';
import { type FileMoment, momentIn } from '../moments.ts';
import { valuesOf, type ImportedRoast } from '../imported-roast.ts';
import type { TableHints } from '../read-table.ts';
import { textIn, timeIn } from '../table-cells.ts';
import type { TableRow } from '../table-layout.ts';

const headNames: Readonly<Record<string, MarkKind>> = {
  charge: 'charge',
  tp: 'turning_point',
  drye: 'dry_end',
  fcs: 'first_crack',
  fce: 'first_crack_end',
  scs: 'second_crack',
  sce: 'second_crack_end',
  drop: 'drop',
  cool: 'cool_end',
};

/** What Artisan writes above a table of readings. */
export interface ArtisanHead extends TableHints {
  /** Since the first sample in its CSV, since the charge in its workbook. */
  readonly marks: readonly Pick<Mark, 'kind' | 'timeSeconds'>[];
  readonly recordedAt: FileMoment | null;
}

export const artisanHead = (fields: ReadonlyMap<string, string>): ArtisanHead | undefined => {
  if (!fields.has('date') || !fields.has('unit')) return undefined;
  const unit = fields.get('unit')?.toUpperCase() === 'F' ? 'F' : 'C';
  const [date = '', time = ''] = [fields.get('date'), fields.get('time')];
  // A day alone does not count as a time here. A date that holds a clock is more exact than the clock beside it.
  const isWhole = /\d:\d/.test(date);
  const recordedAt = isWhole || time !== '' ? momentIn(isWhole ? date : `${date} ${time}`, 'dmy') : null;
  const marks = Object.entries(headNames).flatMap(([name, kind]) => {
    const seconds = timeIn(fields.get(name));
    return seconds?.isClock === true && seconds.value >= 0 ? [{ kind, timeSeconds: seconds.value }] : [];
  });
  return { temperatureUnit: unit, dropout: -1, recordedAt, marks };
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

/**
 * The marks of a CSV file. Artisan itself reads those of the first line; old versions write `00:00` for one that was not set.
 * A row is marked by rounding, up to a second beside the mark.
 */
export const marksOfHead = (
  { marks: ofHead }: ArtisanHead,
  { marks: ofRows, timesSeconds, channels }: Pick<ImportedRoast, 'marks' | 'timesSeconds' | 'channels'>,
): Mark[] => {
  const bean = valuesOf({ channels }, 'bean_temp') ?? [];
  const isAnySet = ofHead.some(({ timeSeconds }) => timeSeconds > 0);
  const set = ofHead
    .filter(({ kind, timeSeconds }) => timeSeconds > 0 || (kind === 'charge' && isAnySet))
    .map(({ kind, timeSeconds }) => ({
      kind,
      timeSeconds,
      tempC: valueAt(timesSeconds, bean, timeSeconds),
      origin: 'person' as const,
      confidence: 1,
      provisional: false,
    }));
  const others = withoutUnsetMarks(ofRows, timesSeconds).filter(({ kind }) => markOf(set, kind) === undefined);
  return [...set, ...others].sort((a, b) => a.timeSeconds - b.timeSeconds);
};
