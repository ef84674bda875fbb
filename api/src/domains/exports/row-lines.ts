import { AppError } from '../../http/app-error.ts';

export type ListCell = string | number | boolean | null;

/** Cells of about 200,000 roasts. */
const maxBytes = 64 * 1024 * 1024;
/** One piece of text at a time becomes bytes. */
const pieceLength = 64 * 1024;
const lineEnd = 10;

/** The rows of a long list as one block of bytes, a line of JSON each: as objects they would take ten times the memory. */
export const createRowLines = () => {
  const pieces: Buffer[] = [];
  let length = 0;
  let text = '';
  const store = (): void => {
    const piece = Buffer.from(text);
    pieces.push(piece);
    length += piece.length;
    text = '';
    if (length > maxBytes) throw new AppError('too_large', 'The list is too long for one file. Narrow its filters.');
  };
  return {
    add(cells: readonly ListCell[]): void {
      text += `${JSON.stringify(cells)}\n`;
      if (text.length > pieceLength) store();
    },
    bytes(): Uint8Array {
      store();
      return Buffer.concat(pieces, length);
    },
  };
};

/** The rows of such a block, one after another. */
export function* rowsInLines(bytes: Uint8Array): Generator<ListCell[]> {
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let from = 0; from < whole.length;) {
    const end = whole.indexOf(lineEnd, from);
    yield JSON.parse(whole.toString('utf8', from, end)) as ListCell[];
    from = end + 1;
  }
}
