import type { ReaderFormats } from '../../format/reader-formats.ts';
import type { Letterhead } from './letterhead.ts';
import { type Pdf, reportText, type ReportText } from './report-text.ts';

export const page = { width: 595.28, height: 841.89, margin: 42 };
export const inner = page.width - 2 * page.margin;
export const grey = '#78716c';
const hairline = '#e7e5e4';

export interface Sheet {
  readonly pdf: Pdf;
  readonly text: ReportText;
  readonly formats: ReaderFormats;
}

export const rule = (pdf: Pdf, y: number): void => {
  pdf
    .save()
    .lineWidth(0.5)
    .strokeColor(hairline)
    .moveTo(page.margin, y)
    .lineTo(page.width - page.margin, y);
  pdf.stroke().restore();
};

/** The sender at the top of the page; returns where the page goes on. */
export const drawLetterhead = ({ pdf, text }: Sheet, letterhead: Letterhead, unnamed: string): number => {
  const half = inner / 2;
  text.line(letterhead.name ?? unnamed, page.margin, page.margin, { size: 11, weight: 600, width: half });
  let y = page.margin;
  for (const line of letterhead.lines) {
    text.line(line, page.margin + half, y, { size: 7.5, color: grey, width: half, align: 'right' });
    y += 10;
  }
  y = Math.max(y, page.margin + 16) + 6;
  rule(pdf, y);
  return y;
};

export interface Table {
  readonly heads: readonly string[];
  readonly widths: readonly number[];
  readonly rows: readonly (readonly string[])[];
}

export const drawTable = ({ pdf, text }: Sheet, { heads, widths, rows }: Table, x: number, top: number): number => {
  const line = (cells: readonly string[], y: number, isHead: boolean) => {
    let at = x;
    for (const [place, cell] of cells.entries()) {
      const width = widths[place] ?? 60;
      text.line(cell, at, y, {
        size: isHead ? 7 : 8.5,
        color: isHead ? grey : '#1c1917',
        width: width - 6,
        align: place === 0 ? 'left' : 'right',
      });
      at += width;
    }
  };
  line(heads, top, true);
  let y = top + 12;
  for (const row of rows) {
    line(row, y, false);
    y += 13;
  }
  pdf.fillColor('#1c1917');
  return y;
};

/** Title, author and date of the document. */
interface ReportInfo {
  readonly title: string;
  readonly author: string | null;
  readonly created: string;
}

/** A4, embedded fonts, selectable text. */
export const writeReport = async (
  { title, author, created }: ReportInfo,
  formats: ReaderFormats,
  draw: (sheet: Sheet) => void,
): Promise<Uint8Array<ArrayBuffer>> => {
  // Loaded with the first report: it would be a fifth of the start of the api.
  const { default: PdfWriter } = await import('pdfkit');
  const pdf = new PdfWriter({
    size: 'A4',
    // The text in the margins is positioned explicitly; the library would begin a new page for a line at the foot.
    margin: 0,
    bufferPages: true,
    font: '',
    info: { Title: title, Author: author ?? 'Roasting Management', CreationDate: new Date(created) },
  });
  const pieces: Buffer[] = [];
  const ended = new Promise<void>((resolve, reject) => {
    pdf.on('data', (piece: Buffer) => pieces.push(piece));
    pdf.on('end', resolve);
    pdf.on('error', reject);
  });
  draw({ pdf, text: reportText(pdf), formats });
  pdf.end();
  await ended;
  return new Uint8Array(Buffer.concat(pieces));
};
