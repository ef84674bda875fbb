import { Zip, ZipDeflate } from 'fflate';
import { localClock } from '../format/format.ts';
import { nextTurn } from '@roastery/runtime/turns';

/** A time as a spreadsheet counts it: days since 30 December 1899, without a time zone. */
export interface SheetMoment {
  readonly days: number;
}
export type WrittenCell = string | number | boolean | SheetMoment | null | undefined;

export interface WrittenSheet {
  readonly name: string;
  /** Bold rows at the top that stay visible. */
  readonly headRows: number;
  /** In characters, by column. */
  readonly widths: readonly number[];
  readonly rows: Iterable<readonly WrittenCell[]> | AsyncIterable<readonly WrittenCell[]>;
}

const xmlHead = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const mainSpace = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const packageSpace = 'http://schemas.openxmlformats.org/package/2006';
const officeSpace = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const sheetType = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** Styles by number: 0 plain, 1 head, 2 moment. */
const styles = `${xmlHead}<styleSheet xmlns="${mainSpace}"><numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd\\ hh:mm"/></numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="3"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/><xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`;

const signs: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
/** The most characters that a cell holds. */
const maxTextLength = 32_767;

/** Most texts are written as they are. */
// oxlint-disable-next-line no-control-regex -- the pattern finds the characters that XML does not allow
const needsEscapes = /[&<>"_\u0000-\u0008\u000b-\u001f\ufffe\uffff\ud800-\udfff]/;

/**
 * Text for XML. Characters that XML does not allow, and text that looks like their escape, are written as `_x0007_`.
 */
const xmlText = (text: string): string =>
  needsEscapes.test(text) ? escaped(text.slice(0, maxTextLength)) : text.slice(0, maxTextLength);

const escaped = (text: string): string =>
  text
    .replaceAll(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
    // oxlint-disable-next-line no-control-regex -- the pattern finds the characters that XML does not allow
    .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu, (sign) => {
      const point = sign.codePointAt(0) ?? 0;
      return `_x${point.toString(16).toUpperCase().padStart(4, '0')}_`;
    })
    .replaceAll(/[&<>"]/g, (sign) => signs[sign] ?? sign)
    .replaceAll('\r', '&#13;');

const columnLetters = (place: number): string =>
  place < 26
    ? String.fromCodePoint(65 + place)
    : `${columnLetters(Math.floor(place / 26) - 1)}${String.fromCodePoint(65 + (place % 26))}`;

/** Text is written as text, whatever it begins with: no program reads it as a formula. */
const cellXml = (cell: WrittenCell, row: number, place: number, isHead: boolean): string => {
  if (cell === null || cell === undefined || cell === '') return '';
  const at = ` r="${columnLetters(place)}${row}"`;
  const style = isHead ? ' s="1"' : '';
  if (typeof cell === 'number') return Number.isFinite(cell) ? `<c${at}${style}><v>${cell}</v></c>` : '';
  if (typeof cell === 'boolean') return `<c${at}${style} t="b"><v>${cell ? 1 : 0}</v></c>`;
  if (typeof cell === 'object') return `<c${at} s="2"><v>${cell.days}</v></c>`;
  return `<c${at}${style} t="inlineStr"><is><t xml:space="preserve">${xmlText(cell)}</t></is></c>`;
};

const rowXml = (cells: readonly WrittenCell[], row: number, isHead: boolean): string =>
  `<row r="${row}">${cells.map((cell, place) => cellXml(cell, row, place, isHead)).join('')}</row>`;

const sheetStart = ({ headRows, widths }: WrittenSheet): string => {
  const pane =
    headRows === 0
      ? ''
      : `<sheetViews><sheetView workbookViewId="0"><pane ySplit="${headRows}" topLeftCell="A${headRows + 1}" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>`;
  const columns = widths
    .map((width, place) => `<col min="${place + 1}" max="${place + 1}" width="${width}" customWidth="1"/>`)
    .join('');
  return `${xmlHead}<worksheet xmlns="${mainSpace}">${pane}<cols>${columns}</cols><sheetData>`;
};

/** At most 31 characters, and none of these. */
const sheetName = (name: string): string => xmlText(name.replaceAll(/[\\/?*[\]:]/g, ' ').slice(0, 31));

const partsAround = (sheets: readonly WrittenSheet[]): [string, string][] => {
  const each = (xml: (number: number, sheet: WrittenSheet) => string) =>
    sheets.map((sheet, place) => xml(place + 1, sheet)).join('');
  return [
    [
      '[Content_Types].xml',
      `${xmlHead}<Types xmlns="${packageSpace}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${sheetType}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${sheetType}.styles+xml"/>${each((number) => `<Override PartName="/xl/worksheets/sheet${number}.xml" ContentType="${sheetType}.worksheet+xml"/>`)}</Types>`,
    ],
    [
      '_rels/.rels',
      `${xmlHead}<Relationships xmlns="${packageSpace}/relationships"><Relationship Id="rId1" Type="${officeSpace}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    ],
    [
      'xl/workbook.xml',
      `${xmlHead}<workbook xmlns="${mainSpace}" xmlns:r="${officeSpace}"><sheets>${each((number, { name }) => `<sheet name="${sheetName(name)}" sheetId="${number}" r:id="rId${number}"/>`)}</sheets></workbook>`,
    ],
    [
      'xl/_rels/workbook.xml.rels',
      `${xmlHead}<Relationships xmlns="${packageSpace}/relationships">${each((number) => `<Relationship Id="rId${number}" Type="${officeSpace}/worksheet" Target="worksheets/sheet${number}.xml"/>`)}<Relationship Id="rId${sheets.length + 1}" Type="${officeSpace}/styles" Target="styles.xml"/></Relationships>`,
    ],
    ['xl/styles.xml', styles],
  ];
};

/** Rows that are written in one turn: a millisecond. */
const rowsAtOnce = 50;

/**
 * An XLSX file in pieces, as its rows arrive: no more than a few hundred rows are in memory. A sheet's rows are
 * requested only after those of the previous sheet, and only as fast as the pieces are read.
 */
export async function* writeWorkbook(sheets: readonly WrittenSheet[]): AsyncGenerator<Uint8Array> {
  let pieces: Uint8Array[] = [];
  let failure: Error | undefined;
  const archive = new Zip((error, piece) => {
    if (error) failure = error;
    else pieces.push(piece);
  });
  const taken = (): Uint8Array[] => {
    if (failure) throw failure;
    const ready = pieces;
    pieces = [];
    return ready;
  };
  const encoder = new TextEncoder();
  const open = (name: string): ZipDeflate => {
    const part = new ZipDeflate(name, { level: 4 });
    archive.add(part);
    return part;
  };
  // Sent with the first rows, not before them: unreadable rows then give an error instead of half a file.
  for (const [name, xml] of partsAround(sheets)) open(name).push(encoder.encode(xml), true);
  for (const [place, sheet] of sheets.entries()) {
    const part = open(`xl/worksheets/sheet${place + 1}.xml`);
    let xml = sheetStart(sheet);
    let row = 0;
    for await (const cells of sheet.rows) {
      row += 1;
      xml += rowXml(cells, row, row <= sheet.headRows);
      if (row % rowsAtOnce !== 0) continue;
      part.push(encoder.encode(xml));
      xml = '';
      yield* taken();
      await nextTurn();
    }
    part.push(encoder.encode(`${xml}</sheetData></worksheet>`), true);
    yield* taken();
  }
  archive.end();
  yield* taken();
}

const spreadsheetZero = Date.UTC(1899, 11, 30);

/** A time on the roastery's clock, for a spreadsheet, which has no time zones. */
export const sheetMoments = (timeZone: string): ((instant: string) => SheetMoment) => {
  const clock = localClock(timeZone);
  return (instant) => ({ days: (clock(instant) - spreadsheetZero) / 86_400_000 });
};
