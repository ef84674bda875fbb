import { readerFormats } from '../../format/reader-formats.ts';
import { wholeFile } from '../exports/make-files.ts';
import { drawLetterhead, drawTable, grey, inner, page, type Table, writeReport } from '../exports/report-sheet.ts';
import { type WrittenSheet, writeWorkbook } from '../../sheets/write-workbook.ts';
import { type SummaryCell, type SummaryRequest, type SummaryTable, summaryTables } from './summary-tables.ts';

const cellWidth = 92;

/** As it is printed: the first column takes the room that the others leave. */
const printed = ({ heads, rows }: SummaryTable): Table => ({
  heads: heads.map(({ text }) => text),
  widths: heads.map((_, column) => (column === 0 ? inner - (heads.length - 1) * cellWidth : cellWidth)),
  rows: rows.map((row) => row.map(({ text }) => text)),
});

/** The summary on one page. */
const summaryReport = (request: SummaryRequest): Promise<Uint8Array<ArrayBuffer>> => {
  const formats = readerFormats(request.preferences);
  const { days, before, tables, note } = summaryTables(request.summary, formats, request.preferences);
  const { letterhead, created } = request;
  return writeReport({ title: `Roastery summary · ${days}`, author: letterhead.name, created }, formats, (sheet) => {
    const { text } = sheet;
    let y = drawLetterhead(sheet, letterhead, 'Roastery summary') + 12;
    text.line(days, page.margin, y, { size: 20, weight: 600, width: inner });
    const under = before === null ? [] : [`compared with ${before}`];
    const line = ['Roastery summary', ...under, formats.moment(created, letterhead.timeZone)].join(' · ');
    text.line(line, page.margin, y + 26, { size: 9, color: grey, width: inner });
    y += 52;
    for (const [place, table] of tables.entries()) {
      text.line(table.title, page.margin, y, { size: 11, weight: 600, width: inner });
      y += 20;
      if (table.rows.length === 0) {
        text.line(table.empty, page.margin, y, { size: 8.5, color: grey });
        y += 13;
      } else y = drawTable(sheet, printed(table), page.margin, y);
      if (place === 0 && note !== null) {
        text.line(note, page.margin, y + 2, { size: 7.5, color: grey, width: inner });
        y += 12;
      }
      y += 18;
    }
  });
};

/** Without the column of changes, which is only for reading. */
const calculated = ({ heads }: SummaryTable, row: readonly SummaryCell[]) =>
  row.flatMap(({ value }, column) => (heads[column]?.value === null ? [] : [value]));

/** The same tables with numbers to calculate with. */
const summaryWorkbook = (request: SummaryRequest): WrittenSheet[] => {
  const { tables, note } = summaryTables(request.summary, readerFormats(request.preferences), request.preferences);
  return tables.map((table, place) => ({
    name: sheetNames[place] ?? table.title,
    headRows: 1,
    widths: table.heads.map((_, column) => (column === 0 ? 34 : 20)),
    rows: [
      ...[table.heads, ...table.rows].map((row) => calculated(table, row)),
      ...(place === 0 && note !== null ? [[note]] : []),
    ],
  }));
};
const sheetNames = ['Overview', 'Coffees', 'Consistency', 'Runs out'];

/** Makes the file of a summary, in the process of a reader. */
export const summaryFile = (_: Uint8Array, request: SummaryRequest): Promise<Uint8Array<ArrayBuffer>> =>
  request.format === 'pdf' ? summaryReport(request) : wholeFile(writeWorkbook(summaryWorkbook(request)));
