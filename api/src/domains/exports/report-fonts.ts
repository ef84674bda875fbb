import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { inflateSync } from 'node:zlib';

const woffSignature = 0x774f4646;
const woffHeadBytes = 44;
const woffEntryBytes = 20;
const sfntHeadBytes = 12;
const sfntEntryBytes = 16;

interface FontTable {
  readonly tag: Buffer;
  readonly checksum: number;
  readonly data: Buffer;
}

const tablesOf = (woff: Buffer): FontTable[] =>
  Array.from({ length: woff.readUInt16BE(12) }, (_, place) => {
    const entry = woff.subarray(woffHeadBytes + place * woffEntryBytes);
    const [offset, packed, length] = [entry.readUInt32BE(4), entry.readUInt32BE(8), entry.readUInt32BE(12)];
    const stored = woff.subarray(offset, offset + packed);
    // A table that would not shrink is stored uncompressed.
    return {
      tag: entry.subarray(0, 4),
      checksum: entry.readUInt32BE(16),
      data: packed < length ? inflateSync(stored) : stored,
    };
  });

const padded = (bytes: number): number => Math.ceil(bytes / 4) * 4;

/**
 * A WOFF 1.0 font as the TrueType or OpenType file that it was created from. The PDF library reads WOFF too, but
 * inflates each table in JavaScript for every document, which costs a report 100 ms.
 * @throws RangeError for any other kind of file
 */
export const plainFont = (woff: Buffer): Buffer<ArrayBuffer> => {
  if (woff.length < woffHeadBytes || woff.readUInt32BE(0) !== woffSignature) throw new RangeError('not a WOFF font');
  const tables = tablesOf(woff);
  const log = Math.floor(Math.log2(tables.length));
  const head = Buffer.alloc(sfntHeadBytes + tables.length * sfntEntryBytes);
  woff.copy(head, 0, 4, 8);
  head.writeUInt16BE(tables.length, 4);
  head.writeUInt16BE(2 ** log * sfntEntryBytes, 6);
  head.writeUInt16BE(log, 8);
  head.writeUInt16BE((tables.length - 2 ** log) * sfntEntryBytes, 10);
  const parts: Buffer[] = [head];
  let offset = head.length;
  for (const [place, { tag, checksum, data }] of tables.entries()) {
    const at = sfntHeadBytes + place * sfntEntryBytes;
    tag.copy(head, at);
    head.writeUInt32BE(checksum, at + 4);
    head.writeUInt32BE(offset, at + 8);
    head.writeUInt32BE(data.length, at + 12);
    parts.push(data, Buffer.alloc(padded(data.length) - data.length));
    offset += padded(data.length);
  }
  return Buffer.concat(parts);
};

const require = createRequire(import.meta.url);
const read = new Map<string, Buffer<ArrayBuffer>>();

/** Geist of one script and weight, read and unpacked once. */
export const geist = (script: string, weight: 400 | 600): Buffer<ArrayBuffer> => {
  const name = `${script}-${weight}`;
  const known = read.get(name);
  if (known !== undefined) return known;
  const font = plainFont(readFileSync(require.resolve(`@fontsource/geist/files/geist-${name}-normal.woff`)));
  read.set(name, font);
  return font;
};
