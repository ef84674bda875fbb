import { type SheetCell, type SheetRows, WorkbookError } from './read-workbook.ts';

/** A sheet of Excel 97 has at most 65,536 rows; a damaged one can claim any area. */
const maxRows = 70_000;
const maxCells = 4_000_000;

const cellOf = (cell: unknown): SheetCell =>
  typeof cell === 'string' || typeof cell === 'number' || typeof cell === 'boolean' || cell instanceof Date
    ? cell
    : null;

/**
 * The cells of every sheet of an XLS file (Excel 97 to 2003). Dates are in UTC, as the sheet shows them. @throws
 * {WorkbookError}
 */
export const readOldWorkbook = async (bytes: Uint8Array): Promise<SheetRows[]> => {
  // Loading it takes longer than the rest of a reader; few files need it.
  const { read, utils } = await import('@e965/xlsx');
  try {
    const book = read(bytes, { type: 'array', dense: true, cellDates: true, UTC: true, sheetRows: maxRows });
    let cells = 0;
    return book.SheetNames.map((name) => {
      const sheet = book.Sheets[name];
      const area = utils.decode_range(sheet?.['!ref'] ?? 'A1');
      cells += (area.e.r + 1) * (area.e.c + 1);
      if (cells > maxCells)
        throw new WorkbookError('too_many_cells', `the cells of ${name} fill a larger area than is read`);
      const rows =
        sheet === undefined
          ? []
          : utils.sheet_to_json<unknown[]>(sheet, { header: 1, raw: true, defval: null, UTC: true });
      return { name, rows: rows.map((row) => row.map(cellOf)) };
    });
  } catch (error) {
    if (error instanceof WorkbookError) throw error;
    throw new WorkbookError('damaged', error instanceof Error ? error.message : String(error));
  }
};
