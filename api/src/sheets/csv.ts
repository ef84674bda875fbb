/** One record of a CSV file and the line it begins on, counted from 1. */
export interface CsvRecord {
  readonly line: number;
  readonly cells: readonly string[];
}

export interface CsvFile {
  readonly separator: ',' | ';' | '\t' | '|';
  /** Line of a cell whose quote is not closed, so that it contains the rest of the file. */
  readonly unclosedQuoteLine: number | undefined;
  readonly records: readonly CsvRecord[];
}

/**
 * A spreadsheet treats a cell that begins with one of these as a formula (OWASP, CSV injection), also in full width, as
 * Chinese and Japanese keyboards write them, and also after blanks, which some remove.
 */
const needsGuard = /^'*\s*[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;
const isGuarded = /^'+\s*[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;

/**
 * Names of columns are searched in this much; a pattern over megabytes without a line end would overflow the stack.
 */
const maxHeadLength = 20_000;

/** A title above the heads has no separator, so more lines than the first are checked. */
const maxHeadLines = 40;
const decimalComma = /(?<=\d),(?=\d)/g;

/**
 * The separator of cells: the most frequent of the four in the first lines, outside of quotes. Beside another one, a
 * comma between digits is a decimal sign.
 */
const separatorOf = (text: string): CsvFile['separator'] => {
  const lines = text
    .slice(0, maxHeadLength)
    .replaceAll(/"[^"]*(?:"|$)/g, '')
    .split(/\r\n|\r|\n/, maxHeadLines)
    .map((line) => (/[;\t|]/.test(line) ? line.replaceAll(decimalComma, '') : line));
  const count = (separator: string) => lines.reduce((sum, line) => sum + line.split(separator).length - 1, 0);
  const separators = [',', ';', '\t', '|'] as const;
  return separators.reduce((best, next) => (count(next) > count(best) ? next : best));
};

/**
 * Reads CSV as in RFC 4180 and as spreadsheets write it: a byte order mark, `;`, tabs or `|` where the comma is the decimal
 * sign, any line end, quoted cells with line breaks. Blank lines are left out; an unclosed quote runs to the end. A
 * quote that guards a formula (`'=1+1`) is removed.
 */
export const parseCsv = (file: string): CsvFile => {
  const text = file.startsWith('\uFEFF') ? file.slice(1) : file;
  const separator = separatorOf(text);
  const records: CsvRecord[] = [];
  let cells: string[] = [];
  let line = 1;
  let startLine = 1;
  let unclosedQuoteLine: number | undefined;
  let at = 0;
  const endRecord = () => {
    if (cells.some((cell) => cell.trim() !== '')) records.push({ line: startLine, cells });
    cells = [];
    startLine = line;
  };
  while (at < text.length) {
    let cell: string;
    if (text[at] === '"') {
      const end = closingQuote(text, at + 1);
      if (end === text.length) unclosedQuoteLine = line;
      cell = text.slice(at + 1, end).replaceAll('""', '"');
      line += cell.split(/\r\n|\r|\n/).length - 1;
      at = end + 1;
      // Characters between the quote and the separator belong to the cell.
      const rest = endOfCell(text, at, separator);
      cell += text.slice(at, rest);
      at = rest;
    } else {
      const end = endOfCell(text, at, separator);
      cell = text.slice(at, end);
      at = end;
    }
    cells.push(isGuarded.test(cell) ? cell.slice(1) : cell);
    if (text[at] === separator) {
      at += 1;
      if (at < text.length) continue;
      cells.push('');
    }
    if (at < text.length) {
      at += text.startsWith('\r\n', at) ? 2 : 1;
      line += 1;
    }
    endRecord();
  }
  return { separator, records, unclosedQuoteLine };
};

const closingQuote = (text: string, from: number): number => {
  let at = from;
  while (at < text.length) {
    const quote = text.indexOf('"', at);
    if (quote < 0) return text.length;
    if (text[quote + 1] !== '"') return quote;
    at = quote + 2;
  }
  return text.length;
};

const endOfCell = (text: string, from: number, separator: string): number => {
  let at = from;
  while (at < text.length && text[at] !== separator && text[at] !== '\n' && text[at] !== '\r') at += 1;
  return at;
};

const writeCell = (value: string | number | boolean | null | undefined): string => {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'string') return String(value);
  const safe = needsGuard.test(value) ? `'${value}` : value;
  return /[",;\t\r\n]/.test(safe) || safe !== safe.trim() ? `"${safe.replaceAll('"', '""')}"` : safe;
};

/**
 * Rows as CSV that every spreadsheet opens: UTF-8 with a byte order mark, commas, CRLF. Text that a spreadsheet would
 * treat as a formula gets a quote in front and stays text; numbers stay numbers.
 */
export const writeCsv = (rows: readonly CsvRow[]): string => `${csvStart}${rows.map(writeCsvRow).join('')}`;

export type CsvRow = readonly (string | number | boolean | null | undefined)[];

/** The beginning of a file whose rows are written one by one. */
export const csvStart = '\uFEFF';

export const writeCsvRow = (row: CsvRow): string => `${row.map(writeCell).join(',')}\r\n`;
