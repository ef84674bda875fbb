import type { ResponseOf } from '@roastery/contract/endpoint';
import { lotBodyShape, type importLots as importLotsEndpoint, type LotImportRow } from '@roastery/contract/inventory';
import { parseOrThrow } from '@roastery/contract/parse-shape';
import type { UserContext } from '../../../context.ts';
import { isTaken } from '../../../db/postgres-errors.ts';
import type { Sql } from '../../../db/sql.ts';
import { AppError, invalid } from '../../../http/app-error.ts';
import { insertLots } from '../../inventory/create-lot.ts';
import { fieldOfHead } from './head-words.ts';
import type { ReadRow } from './lot-rows.ts';
import { readLots, rowsOf, type LotReading } from '../file-jobs.ts';

/** A statement holds 65,534 values at most, and a lot has two dozen. */
const lotsAtOnce = 1000;
const requiredFields = ['lot_number', 'coffee_name', 'origin', 'initial_weight'] as const;

const numberOf = ({ values }: ReadRow): string => String(values.lot_number ?? '');

/** Numbers that are in the inventory already; archived lots keep theirs. */
const findTaken = async (sql: Sql, numbers: readonly string[]): Promise<ReadonlySet<string>> => {
  const rows = await sql<{ lot_number: string }[]>`
    SELECT lot_number FROM lots WHERE lot_number = ANY(${[...numbers]}::text[])`;
  return new Set(rows.map((row) => row.lot_number));
};

const describe = (row: ReadRow, firstLine: number | undefined, taken: ReadonlySet<string>): LotImportRow => {
  const { values, line, errors } = row;
  const weight = values.initial_weight;
  const number = numberOf(row);
  const doubled = [
    ...(firstLine !== undefined && firstLine !== line && number !== ''
      ? [{ field: 'lot_number', message: `is already in line ${firstLine}` }]
      : []),
    ...(taken.has(number) ? [{ field: 'lot_number', message: 'A lot with this number already exists' }] : []),
  ];
  return {
    line,
    lot_number: number,
    coffee_name: String(values.coffee_name ?? ''),
    origin: String(values.origin ?? ''),
    initial_weight: typeof weight === 'number' && Number.isFinite(weight) ? weight : null,
    errors: [...errors, ...doubled],
  };
};

/** Without a review, a file has to name its columns: none is guessed. */
const refuseUnclear = ({ columns }: LotReading): void => {
  const known = columns.flatMap(({ head }) => fieldOfHead(head) ?? []);
  const twice = known.find((field, at) => known.indexOf(field) !== at);
  if (twice !== undefined) throw invalid('csv', `The column ${twice} is in the file twice`);
  const fields = new Set(columns.map(({ field }) => field));
  const missing = requiredFields.filter(
    (field) => !fields.has(field) && !(field === 'initial_weight' && fields.has('bags')),
  );
  if (missing.length > 0) throw invalid('csv', `The file has no column ${missing.join(', ')}`);
};

const read = async ({ files, user }: UserContext, csv: string) => {
  try {
    return await files.run(readLots, user.id, Buffer.from(csv), {});
  } catch (error) {
    if (!(error instanceof AppError) || typeof error.detail === 'string') throw error;
    throw new AppError(
      error.code,
      error.detail.map((line) => ({ ...line, field: 'csv' })),
    );
  }
};

/**
 * Previews a CSV file of lots, or adds all of them in one transaction, for programs: with a single faulty row nothing
 * is stored. The portal imports with a review instead.
 * @throws `validation` when rows are faulty and it is not a dry run, or when the file holds no lots; `already_exists`
 * when a number was used at the same time
 */
export const importLots = async (
  context: UserContext,
  { csv, dry_run: isDryRun }: { csv: string; dry_run: boolean },
): Promise<ResponseOf<typeof importLotsEndpoint>> => {
  const { reading, rows: texts } = await read(context, csv);
  refuseUnclear(reading);
  const rows = texts.flatMap(rowsOf);
  const taken = await findTaken(context.sql, rows.map(numberOf));
  const firstLines = new Map<string, number>();
  for (const row of rows) if (!firstLines.has(numberOf(row))) firstLines.set(numberOf(row), row.line);
  const described = rows.map((row) => describe(row, firstLines.get(numberOf(row)), taken));
  const faulty = described.filter((row) => row.errors.length > 0);
  const ignored = reading.columns.flatMap(({ head, field }) => (field === null && head !== '' ? [head] : []));
  const preview = { rows: described, faulty: faulty.length, imported: 0, ignored_columns: ignored };
  if (isDryRun) return preview;
  if (faulty.length > 0) {
    throw new AppError(
      'validation',
      faulty
        .flatMap((row) => row.errors.map((error) => ({ ...error, field: `line ${row.line} ${error.field}` })))
        .slice(0, 100),
    );
  }
  try {
    const forms = rows.map(({ values }) => parseOrThrow(lotBodyShape, values));
    await context.sql.begin(async (tx) => {
      for (let at = 0; at < forms.length; at += lotsAtOnce) {
        await insertLots(tx, context, forms.slice(at, at + lotsAtOnce));
      }
    });
  } catch (error) {
    if (!isTaken(error, 'lots_lot_number_key')) throw error;
    throw new AppError('already_exists', 'Another user has just added one of these lot numbers. Nothing was imported.');
  }
  return { ...preview, imported: rows.length };
};
