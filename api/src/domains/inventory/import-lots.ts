import type { importLots as importLotsEndpoint, LotImportRow } from '@roastery/contract/inventory';
import type { ResponseOf } from '@roastery/contract/endpoint';
import type { UserContext } from '../../context.ts';
import { isTaken } from '../../db/postgres-errors.ts';
import type { Sql } from '../../db/sql.ts';
import { AppError } from '../../http/app-error.ts';
import { insertLots } from './create-lot.ts';
import { readLots, type ParsedLotRow } from './lot-csv.ts';

/** A statement holds 65,534 values at most, and a lot has two dozen. */
const lotsAtOnce = 1000;

const numberOf = (row: ParsedLotRow): string => String(row.cells.lot_number ?? '');

/** Numbers that are in the inventory already; archived lots keep theirs. */
const findTaken = async (sql: Sql, numbers: readonly string[]): Promise<ReadonlySet<string>> => {
  const rows = await sql<{ lot_number: string }[]>`
    SELECT lot_number FROM lots WHERE lot_number = ANY(${[...numbers]}::text[])`;
  return new Set(rows.map((row) => row.lot_number));
};

const describe = (row: ParsedLotRow, firstLine: number | undefined, taken: ReadonlySet<string>): LotImportRow => {
  const { cells, line, errors } = row;
  const weight = cells.initial_weight;
  const number = numberOf(row);
  const doubled = [
    ...(firstLine !== undefined && firstLine !== line && number !== ''
      ? [{ field: 'lot_number', message: `stands in line ${firstLine} already` }]
      : []),
    ...(taken.has(number) ? [{ field: 'lot_number', message: 'There is already a lot with this number' }] : []),
  ];
  return {
    line,
    lot_number: number,
    coffee_name: String(cells.coffee_name ?? ''),
    origin: String(cells.origin ?? ''),
    initial_weight: typeof weight === 'number' && Number.isFinite(weight) ? weight : null,
    errors: [...errors, ...doubled],
  };
};

/**
 * Previews a CSV file of lots, or takes all of them in within one transaction. With a single faulty row nothing is stored.
 * @throws `validation` when rows are faulty and it is no dry run, or when the file holds no lots;
 *         `already_exists` when a number was used at the same time
 */
export const importLots = async (
  context: UserContext,
  { csv, dry_run: isDryRun }: { csv: string; dry_run: boolean },
): Promise<ResponseOf<typeof importLotsEndpoint>> => {
  const { rows, ignoredColumns } = await context.files.run(readLots, context.user.id, Buffer.from(csv), null);
  const taken = await findTaken(context.sql, rows.map(numberOf));
  const firstLines = new Map<string, number>();
  for (const row of rows) if (!firstLines.has(numberOf(row))) firstLines.set(numberOf(row), row.line);
  const described = rows.map((row) => describe(row, firstLines.get(numberOf(row)), taken));
  const faulty = described.filter((row) => row.errors.length > 0);
  const preview = { rows: described, faulty: faulty.length, imported: 0, ignored_columns: ignoredColumns };
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
    const forms = rows.flatMap(({ form }) => form ?? []);
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
