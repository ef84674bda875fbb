import { labelWithoutUnit } from '../channel-names.ts';
import { cutName } from '../head-vocabulary.ts';
import { tableOf, textOf } from '../file-content.ts';
import { noFacts, timeOfRecording } from '../imported-roast.ts';
import { readTable } from '../read-table.ts';
import type { RoastFileFormat } from '../roast-file-format.ts';
import type { TableRow } from '../table-layout.ts';
import { artisanHead, type ArtisanHead, marksOfHead } from './artisan-table.ts';

/** The first line of Artisan's CSV: `Date:30.05.2025`, `Unit:C`, `CHARGE:13:54` … in cells of their own. */
const headInLine = (first: TableRow | undefined): ArtisanHead | undefined =>
  artisanHead(
    new Map(
      (first ?? []).flatMap((cell) => {
        const field = typeof cell === 'string' ? /^\s*([A-Za-z]+)\s*:\s*(.*?)\s*$/.exec(cutName(cell)) : null;
        return field ? [[field[1]?.toLowerCase() ?? '', field[2] ?? ''] as const] : [];
      }),
    ),
  );

/** A CSV file of one roast: Artisan's, our own, or any other with a row of column names. */
export const csv: RoastFileFormat = {
  format: 'csv',
  recognise: (bytes) => (textOf(bytes) === undefined ? 'no' : 'possible'),
  read: (bytes, choices) => {
    const rows = tableOf(bytes).records.map(({ cells }) => cells);
    const head = headInLine(rows[0]);
    const { recordedAt, ...curve } = readTable(rows, choices, head);
    const channels = curve.channels.map((channel) => ({ ...channel, label: labelWithoutUnit(channel.label) }));
    const marks = head === undefined ? curve.marks : marksOfHead(head, curve);
    return {
      ...curve,
      channels,
      marks,
      facts: noFacts,
      batch: null,
      ...timeOfRecording(head?.recordedAt ?? recordedAt, choices),
    };
  },
};
