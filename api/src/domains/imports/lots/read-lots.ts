import type { LotImportChoices } from '@roastery/contract/lot-imports';
import type { ReadLots } from '../file-jobs.ts';
import { planColumns } from './lot-columns.ts';
import { rowReader, type ReadRow } from './lot-rows.ts';
import { readLotTable } from './lot-table.ts';

const rowsInText = 500;

/** Postgres stores neither NUL nor half a surrogate pair. */
const storable = (text: string): string => text.replaceAll('\0', '\uFFFD').replaceAll(/\p{Surrogate}/gu, '\uFFFD');
const asJson = (rows: readonly ReadRow[]): string =>
  JSON.stringify(rows, (_key, value: unknown) => (typeof value === 'string' ? storable(value) : value));

/**
 * Reads a list of lots row by row, each checked against the shape of the lot form.
 * @throws `validation` for a file without a table
 */
export const readLotsFile = async (bytes: Uint8Array, choices: LotImportChoices): Promise<ReadLots> => {
  const table = await readLotTable(bytes, choices);
  const columns = planColumns(table, choices);
  const read = rowReader(columns, choices);
  const rows = table.rows.map(read);
  const texts: string[] = [];
  for (let at = 0; at < rows.length; at += rowsInText) texts.push(asJson(rows.slice(at, at + rowsInText)));
  const shown = columns.map((column) => ({
    ...column,
    head: storable(column.head),
    samples: column.samples.map(storable),
    notes: column.notes.map(storable),
  }));
  const sheets = table.sheets.map(storable);
  const sheet = table.sheet === null ? null : storable(table.sheet);
  return { reading: { sheet, sheets, columns: shown, notes: [...table.notes] }, rows: texts };
};
