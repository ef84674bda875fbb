import type { RoastRow } from '@roastery/contract/roasts';
import type { UserContext } from '../../context.ts';
import { readTimeZone } from '../../db/roastery-time-zone.ts';
import type { ReaderFormats } from '../../format/reader-formats.ts';
import { formatsOf } from '../../identity/preferences.ts';
import { csvStart, writeCsvRow } from '../../sheets/csv.ts';
import type { RoastListTable } from './export-jobs.ts';
import { createRowLines } from './row-lines.ts';
import { matchingRoastIds, type RoastListQuery, roastsByIds } from '../roasts/list-roasts.ts';

export type RoastExportQuery = Omit<RoastListQuery, 'limit' | 'offset'>;

interface ListColumn {
  readonly head: string;
  readonly width: number;
  readonly cell: (roast: RoastRow) => string | number | boolean | null;
}

const columnsFor = ({ weightUnit, weightNumber }: ReaderFormats): readonly [ListColumn, ...ListColumn[]] => [
  { head: 'Batch number', width: 14, cell: (roast) => roast.batch_number ?? roast.source_batch },
  { head: 'Roast', width: 14, cell: (roast) => roast.roast_number },
  { head: 'Status', width: 12, cell: (roast) => roast.status },
  { head: 'Coffee', width: 28, cell: (roast) => roast.coffee_name },
  { head: 'Origin', width: 16, cell: (roast) => roast.coffee_origin },
  { head: 'Process', width: 14, cell: (roast) => roast.coffee_process },
  { head: 'Profile', width: 20, cell: (roast) => roast.profile_name },
  { head: 'Machine', width: 18, cell: (roast) => roast.machine_name },
  { head: 'Roasted by', width: 18, cell: (roast) => roast.roasted_by },
  { head: `Batch (${weightUnit})`, width: 11, cell: (roast) => weightNumber(roast.batch_size_kg) },
  { head: `Roasted weight (${weightUnit})`, width: 19, cell: (roast) => weightNumber(roast.end_weight_kg) },
  { head: 'Duration (s)', width: 12, cell: (roast) => roast.duration_seconds },
  { head: 'Charge temp (°C)', width: 16, cell: (roast) => roast.charge_temp },
  { head: 'First crack (s)', width: 14, cell: (roast) => roast.first_crack_time },
  { head: 'First crack temp (°C)', width: 20, cell: (roast) => roast.first_crack_temp },
  { head: 'Drop temp (°C)', width: 15, cell: (roast) => roast.drop_temp },
  { head: 'Development (s)', width: 15, cell: (roast) => roast.development_time_seconds },
  { head: 'Development ratio', width: 17, cell: (roast) => roast.development_time_ratio },
  { head: 'Roast level', width: 14, cell: (roast) => roast.roast_level ?? roast.roast_level_target },
  { head: 'Favorite', width: 10, cell: (roast) => roast.is_favorite },
  { head: 'Id', width: 38, cell: (roast) => roast.id },
  { head: 'Imported as batch', width: 16, cell: (roast) => roast.source_batch },
];

/** Read by one statement: rows of it arrive in a millisecond or two. */
const roastsAtOnce = 150;
/** Written at once; the first part is as small, so that the download starts at once. */
const rowsAtOnce = 50;

/**
 * All roasts that match, in the list's order and in parts. The list of ids is read at the start, so a roast that ends
 * during the download does not move the others; no connection is held while a slow client reads.
 */
async function* matchingRoasts({ sql, user }: UserContext, query: RoastExportQuery): AsyncGenerator<RoastRow> {
  const ids = await matchingRoastIds(sql, user, query);
  for (let from = 0, to = rowsAtOnce; from < ids.length; from = to, to += roastsAtOnce) {
    yield* await roastsByIds(sql, user, ids.slice(from, to));
  }
}

/** Every roast that matches, for the process that makes the workbook of it. */
export const gatherRoastList = async (
  context: UserContext,
  query: RoastExportQuery,
): Promise<{ rows: Uint8Array; table: RoastListTable }> => {
  const timeZone = await readTimeZone(context.sql);
  const [first, ...rest] = columnsFor(formatsOf(context.user));
  const lines = createRowLines();
  for await (const roast of matchingRoasts(context, query)) {
    lines.add([first.cell(roast), roast.start_time, ...rest.map(({ cell }) => cell(roast))]);
  }
  const columns = [first, { head: `Roasted at (${timeZone})`, width: 20 }, ...rest];
  return {
    rows: lines.bytes(),
    table: { timeZone, heads: columns.map(({ head }) => head), widths: columns.map(({ width }) => width) },
  };
};

/** Every roast that matches as CSV, piece by piece; moments in UTC. */
export async function* roastListCsv(context: UserContext, query: RoastExportQuery): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  const columns = columnsFor(formatsOf(context.user));
  let text = csvStart + writeCsvRow(['Roasted at (UTC)', ...columns.map(({ head }) => head)]);
  let rows = 0;
  for await (const roast of matchingRoasts(context, query)) {
    text += writeCsvRow([roast.start_time, ...columns.map(({ cell }) => cell(roast))]);
    rows += 1;
    if (rows % rowsAtOnce !== 0) continue;
    yield encoder.encode(text);
    text = '';
  }
  yield encoder.encode(text);
}
