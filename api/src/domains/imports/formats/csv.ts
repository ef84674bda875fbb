import { cutName, labelWithoutUnit } from '../channel-names.ts';
import { tableOf, textOf } from '../file-content.ts';
import { noFacts } from '../imported-roast.ts';
import { momentIn } from '../moments.ts';
import { readTable, type TableHints } from '../read-table.ts';
import type { RoastFileFormat } from '../roast-file-format.ts';
import type { TableRow } from '../table-layout.ts';

interface ArtisanHead extends TableHints {
  readonly recordedAtMs: number | null;
}

/** The first line of Artisan's CSV: `Date:30.05.2025`, `Unit:C`, `CHARGE:13:54` … in cells of their own. */
const artisanHead = (first: TableRow | undefined): ArtisanHead | undefined => {
  const fields = new Map(
    (first ?? []).flatMap((cell) => {
      const field = typeof cell === 'string' ? /^\s*([A-Za-z]+)\s*:\s*(.*?)\s*$/.exec(cutName(cell)) : null;
      return field ? [[field[1]?.toLowerCase() ?? '', field[2] ?? ''] as const] : [];
    }),
  );
  if (!fields.has('date') || !fields.has('unit')) return undefined;
  const unit = fields.get('unit')?.toUpperCase() === 'F' ? 'F' : 'C';
  const time = fields.get('time') ?? '';
  // A day alone does not count as a time here.
  const recordedAtMs = time === '' ? null : momentIn(`${fields.get('date')} ${time}`, 'dmy');
  return { temperatureUnit: unit, dropout: -1, recordedAtMs };
};

/** A CSV file of one roast: Artisan's, our own, or any other with a row of column names. */
export const csv: RoastFileFormat = {
  format: 'csv',
  recognise: (bytes) => (textOf(bytes) === undefined ? 'no' : 'possible'),
  read: (bytes, choices) => {
    const rows = tableOf(bytes).records.map(({ cells }) => cells);
    const head = artisanHead(rows[0]);
    const curve = readTable(rows, choices, head);
    const channels = curve.channels.map((channel) => ({ ...channel, label: labelWithoutUnit(channel.label) }));
    return { ...curve, channels, facts: noFacts, batch: null, recordedAtMs: head?.recordedAtMs ?? null };
  },
};
