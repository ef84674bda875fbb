import { readerFormats } from '../../format/reader-formats.ts';
import { AppError } from '../../http/app-error.ts';
import { writeWorkbook } from '../../sheets/write-workbook.ts';
import type { RoastFileRequest, RoastListTable } from './export-jobs.ts';
import { unpackRoast } from './exported-roast.ts';
import { roastAlog } from './roast-alog.ts';
import { roastCsv } from './roast-csv.ts';
import { roastReport } from './roast-report.ts';
import { roastListWorkbook, roastWorkbook } from './roast-workbook.ts';

/** The api holds a file in memory until it was sent. */
const maxFileBytes = 32 * 1024 * 1024;

type Pieces = AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>;

/** All pieces of a file. Throws AppError `too_large` above what the api may hold. */
export const wholeFile = async (pieces: Pieces): Promise<Uint8Array<ArrayBuffer>> => {
  const all: Uint8Array[] = [];
  let length = 0;
  for await (const piece of pieces) {
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
    length += bytes.length;
    if (length > maxFileBytes) throw new AppError('too_large', 'The file would be larger than 32 MB.');
    all.push(bytes);
  }
  return new Uint8Array(Buffer.concat(all, length));
};

/** Makes the file of one roast, in the process of a reader. */
export const roastFile = async (_: Uint8Array, request: RoastFileRequest): Promise<Uint8Array<ArrayBuffer>> => {
  const roast = unpackRoast(request.roast);
  if (request.format === 'csv') return wholeFile(roastCsv(roast, request.unit));
  if (request.format === 'alog') return wholeFile(roastAlog(roast, request.unit));
  const formats = readerFormats(request.preferences);
  if (request.format === 'pdf') return roastReport(roast, request.letterhead, request.unit, formats);
  return wholeFile(writeWorkbook(roastWorkbook(roast, request.timeZone, formats)));
};

/** Makes the workbook of a list of roasts. */
export const roastListFile = (rows: Uint8Array, table: RoastListTable): Promise<Uint8Array<ArrayBuffer>> =>
  wholeFile(writeWorkbook(roastListWorkbook(rows, table)));
