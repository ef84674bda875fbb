import { unzipSync, zipSync, type Unzipped } from 'fflate';
import readXlsxFile, { InvalidInputError, InvalidSpreadsheetError } from 'read-excel-file/node';

export type SheetCell = string | number | boolean | Date | null;

export interface SheetRows {
  readonly name: string;
  readonly rows: readonly (readonly SheetCell[])[];
}

export type WorkbookErrorCode = 'too_large' | 'damaged';

export class WorkbookError extends Error {
  override readonly name = 'WorkbookError';
  readonly code: WorkbookErrorCode;
  constructor(code: WorkbookErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Four hours at 4 Hz with ten columns are 25 MB of XML. */
const mostUnpackedBytes = 40 * 1024 * 1024;
const mostParts = 200;

/**
 * The parts of the archive, unpacked into memory of the size that the archive's directory names: a part that unpacks to more
 * is damaged, and a directory that names too much is refused before anything is unpacked.
 */
const unpack = (bytes: Uint8Array): Unzipped => {
  let parts = 0;
  let unpackedBytes = 0;
  try {
    return unzipSync(bytes, {
      filter: ({ originalSize }) => {
        parts += 1;
        unpackedBytes += originalSize;
        if (parts > mostParts || unpackedBytes > mostUnpackedBytes) {
          throw new WorkbookError('too_large', 'the workbook unpacks to more than 40 MB');
        }
        return true;
      },
    });
  } catch (error) {
    if (error instanceof WorkbookError) throw error;
    throw new WorkbookError('damaged', `the archive can't be unpacked: ${(error as Error).message}`);
  }
};

/**
 * The cells of every sheet of an XLSX file. The reader is given the parts that were unpacked here, in a new archive, so that
 * it can't find others than were counted.
 * @throws {WorkbookError}
 */
export const readWorkbook = async (bytes: Uint8Array): Promise<SheetRows[]> => {
  const parts = unpack(bytes);
  if (parts['xl/workbook.xml'] === undefined) throw new WorkbookError('damaged', 'there is no workbook in it');
  try {
    const sheets = await readXlsxFile(Buffer.from(zipSync(parts, { level: 0 })), { trim: false });
    return sheets.map(({ sheet, data }) => ({ name: sheet, rows: data.map((row) => row.map(cellOf)) }));
  } catch (error) {
    if (error instanceof InvalidInputError || error instanceof InvalidSpreadsheetError || error instanceof Error) {
      throw new WorkbookError('damaged', error.message);
    }
    throw error;
  }
};

const cellOf = (cell: unknown): SheetCell =>
  typeof cell === 'string' || typeof cell === 'number' || typeof cell === 'boolean' || cell instanceof Date
    ? cell
    : null;
