import { parseCsv, type CsvFile } from '../../sheets/csv.ts';
import { readOldWorkbook } from '../../sheets/read-old-workbook.ts';
import { readWorkbook, WorkbookError, type SheetRows, type WorkbookErrorCode } from '../../sheets/read-workbook.ts';
import { formatCount } from '../../format/format.ts';
import { maxSamples, refusedFile } from './imported-roast.ts';

/** The views of a file that formats need, decoded once for all of them. */

const onceEach = <Content>(decode: (bytes: Uint8Array) => Content): ((bytes: Uint8Array) => Content) => {
  const known = new WeakMap<Uint8Array, { readonly content: Content }>();
  return (bytes) => {
    const found = known.get(bytes) ?? { content: decode(bytes) };
    known.set(bytes, found);
    return found.content;
  };
};

const startsWith = (bytes: Uint8Array, ...signature: readonly number[]): boolean =>
  signature.every((byte, place) => bytes[place] === byte);

/** The archive that an XLSX file is. */
const isZip = (bytes: Uint8Array): boolean => startsWith(bytes, 0x50, 0x4b);
/** The container of the workbooks of Excel 97 to 2003. */
const isOldWorkbook = (bytes: Uint8Array): boolean => startsWith(bytes, 0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1);
export const isWorkbook = (bytes: Uint8Array): boolean => isZip(bytes) || isOldWorkbook(bytes);

const looksLikeText = (bytes: Uint8Array): boolean => !bytes.subarray(0, 4096).includes(0);

const encodingOf = (bytes: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' | undefined => {
  if (startsWith(bytes, 0xff, 0xfe)) return 'utf-16le';
  if (startsWith(bytes, 0xfe, 0xff)) return 'utf-16be';
  if (looksLikeText(bytes)) return 'utf-8';
  // Without a byte order mark: ASCII in two bytes has a zero in every second place.
  const head = bytes.subarray(0, 256);
  const zeros = (first: number) => head.filter((byte, place) => place % 2 === first && byte === 0).length;
  if (zeros(1) > head.length * 0.4 && zeros(0) === 0) return 'utf-16le';
  return zeros(0) > head.length * 0.4 && zeros(1) === 0 ? 'utf-16be' : undefined;
};

/**
 * Chinese in GB 18030: only pairs of bytes above ASCII, with a word of two characters. No other language on Windows is
 * written so.
 */
const isChinese = (bytes: Uint8Array): boolean => {
  const runs =
    Buffer.from(bytes.subarray(0, 20_000))
      .toString('latin1')
      .match(/[\x80-\xFF]+/g) ?? [];
  return runs.every((run) => run.length % 2 === 0) && runs.some((run) => run.length >= 4);
};

/**
 * The file as text: UTF-8, UTF-16, else the encodings of older programs on Windows. Undefined for a file that is not
 * text.
 */
export const textOf = onceEach((bytes): string | undefined => {
  if (isWorkbook(bytes)) return undefined;
  const encoding = encodingOf(bytes);
  if (encoding !== 'utf-8') return encoding && new TextDecoder(encoding).decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return new TextDecoder(isChinese(bytes) ? 'gb18030' : 'windows-1252').decode(bytes);
  }
});

/** Number of lines of a text, without creating them. */
export const countLines = (text: string): number => {
  let lines = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
};

export const tooManySamples = () =>
  refusedFile(`The file has more than ${formatCount(maxSamples)} samples. Reduce it to one roast.`);

const noTable: CsvFile = { separator: ',', unclosedQuoteLine: undefined, records: [] };

/**
 * The file as a table of cells; empty for a file that is not text. Throws `validation` for more rows than are read.
 */
export const tableOf = onceEach((bytes): CsvFile => {
  const text = textOf(bytes);
  if (text === undefined) return noTable;
  if (countLines(text) > maxSamples + 100) throw tooManySamples();
  return parseCsv(text);
});

/** The beginning of a text, without reading the whole text. */
export const headOf = (bytes: Uint8Array, length = 2000): string => textOf(bytes)?.slice(0, length) ?? '';

/** Lines at the beginning of a text, without the byte order mark. */
export const firstLines = (bytes: Uint8Array, count: number): string[] =>
  headOf(bytes, 20_000)
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\r|\n/, count);

export const maxFirstRows = 60;

/** Rows of the first lines of a text, by which a program is recognised. */
export const firstRows = onceEach((bytes): (readonly string[])[] =>
  parseCsv(firstLines(bytes, maxFirstRows).join('\n')).records.map(({ cells }) => cells),
);

export type JsonObject = Readonly<Record<string, unknown>>;

/** The file as a JSON object; undefined for any other. */
export const jsonOf = onceEach((bytes): JsonObject | undefined => {
  const text = textOf(bytes)?.replace(/^\uFEFF/, '');
  if (text === undefined || !/^\s*\{/.test(text)) return undefined;
  try {
    return JSON.parse(text) as JsonObject;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
});

const workbookSentences: Record<WorkbookErrorCode, string> = {
  too_large: 'The workbook is larger than 40 MB when unpacked.',
  too_many_cells: 'A cell of the workbook is too far right or down. Delete everything outside the table.',
  damaged: 'This is not a workbook, or it is damaged.',
};

/** The sheets of an XLSX or XLS file. Throws `validation` for one that can't be read. */
export const sheetsOf = onceEach(async (bytes): Promise<readonly SheetRows[]> => {
  if (!isWorkbook(bytes)) return [];
  try {
    return isZip(bytes) ? await readWorkbook(bytes) : await readOldWorkbook(bytes);
  } catch (error) {
    if (!(error instanceof WorkbookError)) throw error;
    throw refusedFile(workbookSentences[error.code]);
  }
});
