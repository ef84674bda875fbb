import { unzipSync, zipSync, type Unzipped } from 'fflate';
import readXlsxFile from 'read-excel-file/universal';
import { areCellsWithinLimits } from './cell-addresses.ts';

export type SheetCell = string | number | boolean | Date | null;

export interface SheetRows {
  readonly name: string;
  readonly rows: readonly (readonly SheetCell[])[];
}

export type WorkbookErrorCode = 'too_large' | 'too_many_cells' | 'damaged';

export class WorkbookError extends Error {
  override readonly name = 'WorkbookError';
  readonly code: WorkbookErrorCode;
  constructor(code: WorkbookErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Four hours at 4 Hz with ten columns are 25 MB of XML. */
const maxUnpackedBytes = 40 * 1024 * 1024;
const maxParts = 200;

/**
 * The parts of the archive, unpacked into memory of the size that the archive's directory names: a part that unpacks to
 * more is damaged, and a directory that names too much is refused before anything is unpacked.
 */
const unpack = (bytes: Uint8Array): Unzipped => {
  let parts = 0;
  let unpackedBytes = 0;
  try {
    return unzipSync(bytes, {
      filter: ({ originalSize }) => {
        parts += 1;
        unpackedBytes += originalSize;
        if (parts > maxParts || unpackedBytes > maxUnpackedBytes) {
          throw new WorkbookError('too_large', 'the workbook unpacks to more than 40 MB');
        }
        return true;
      },
    });
  } catch (error) {
    if (error instanceof WorkbookError) throw error;
    throw new WorkbookError(
      'damaged',
      `the archive can't be unpacked: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
};

/**
 * The cells of every sheet of an XLSX file. The reader gets the unpacked parts in a new archive, so that it can't find
 * other parts than the counted ones.
 * @throws {WorkbookError}
 */
export const readWorkbook = async (bytes: Uint8Array): Promise<SheetRows[]> => {
  const parts = unpack(bytes);
  if (parts['xl/workbook.xml'] === undefined) throw new WorkbookError('damaged', 'there is no workbook in it');
  for (const [name, content] of Object.entries(parts)) {
    if (!name.endsWith('.xml') || areCellsWithinLimits(new TextDecoder().decode(content))) continue;
    throw new WorkbookError('too_many_cells', `the cells of ${name} fill a larger area than is read`);
  }
  try {
    const archive = new Uint8Array(zipSync(parts, { level: 0 }));
    const sheets = await readXlsxFile(archive.buffer, { trim: false });
    return sheets.map(({ sheet, data }) => ({ name: sheet, rows: data.map((row) => row.map(cellOf)) }));
  } catch (error) {
    throw new WorkbookError('damaged', error instanceof Error ? error.message : String(error));
  }
};

const cellOf = (cell: unknown): SheetCell =>
  typeof cell === 'string' || typeof cell === 'number' || typeof cell === 'boolean' || cell instanceof Date
    ? cell
    : null;
