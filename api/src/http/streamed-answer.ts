import { Readable } from 'node:stream';
import { nextTurn } from '@roastery/runtime/turns';

/**
 * JSON of the contract's shape that is sent while it is created, for answers of megabytes: one piece after another.
 */
export class JsonPieces {
  readonly pieces: AsyncIterable<string> | Iterable<string>;
  constructor(pieces: AsyncIterable<string> | Iterable<string>) {
    this.pieces = pieces;
  }
}

async function* encoded(pieces: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>) {
  for await (const piece of pieces) {
    yield typeof piece === 'string' ? Buffer.from(piece) : piece;
    await nextTurn();
  }
}

export const bodyOfReadable = (readable: Readable): ReadableStream<Uint8Array> =>
  Readable.toWeb(readable) as ReadableStream<Uint8Array>;

/**
 * Pieces as the body of an answer: created only as fast as they are read, and no more after the client disconnects.
 */
export const streamOf = (
  pieces: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>,
): ReadableStream<Uint8Array> => bodyOfReadable(Readable.from(encoded(pieces), { objectMode: false }));

/**
 * Pieces whose first one has been created: a failure before it is an error with its status and sentence, not a
 * response of 200 that breaks off.
 */
export const begun = async <Piece>(pieces: AsyncIterable<Piece> | Iterable<Piece>): Promise<AsyncIterable<Piece>> => {
  const source = Symbol.asyncIterator in pieces ? pieces[Symbol.asyncIterator]() : pieces[Symbol.iterator]();
  const first = await source.next();
  return (async function* () {
    try {
      for (let next = first; next.done !== true; next = await source.next()) yield next.value;
    } finally {
      await source.return?.();
    }
  })();
};
