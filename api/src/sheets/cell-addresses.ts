/** The limits of a spreadsheet: column XFD, row 1,048,576. */
const lastColumn = 16_384;
const lastRow = 1_048_576;
/** A reader creates the cells between the written ones. */
const maxCells = 5_000_000;

const tag = /<(?:\w{1,20}:)?(?:c|row)\s([^<>]*)>/g;
const addressAttribute = /(?:^|\s)r\s*=\s*["']([^\d"']*)(\d*)/;

const columnNumber = (letters: string): number => {
  let number = 0;
  for (const letter of letters) number = number * 26 + (letter.codePointAt(0) ?? 0) - 64;
  return number;
};

/**
 * Whether the cells of a sheet's XML are within a spreadsheet's limits and fill no larger area than is read: for one
 * cell `ZZZZZZZ1` a reader would create eight thousand million cells before it.
 */
export const areCellsWithinLimits = (xml: string): boolean => {
  let rows = 0;
  let columns = 0;
  for (const [, attributes = ''] of xml.matchAll(tag)) {
    const [, letters = '', digits = ''] = addressAttribute.exec(attributes) ?? [];
    const column = columnNumber(letters);
    const row = Number(digits);
    if (column > lastColumn || row > lastRow) return false;
    rows = Math.max(rows, row);
    // Cells before an empty cell are not created.
    if (!attributes.endsWith('/')) columns = Math.max(columns, column);
    if (rows * columns > maxCells) return false;
  }
  return true;
};
