import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { deserialize, serialize } from 'node:v8';
import { storableText } from '@roastery/contract/parse-shape';

const headBytes = 4;

/** Files contain texts of any bytes, so the reader's texts are made storable. */
const storable = (value: unknown): unknown => {
  if (typeof value === 'string') return storableText(value);
  if (Array.isArray(value)) return value.map(storable);
  if (value instanceof Map) return new Map([...value].map(([key, part]) => [storable(key), storable(part)]));
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, storable(part)]));
};

/** Writes a value that structured clone can copy, after its length. */
export const writeFrame = (to: Writable, value: unknown): void => {
  const body = serialize(storable(value));
  const head = Buffer.alloc(headBytes);
  head.writeUInt32BE(body.length);
  to.write(head);
  to.write(body);
};

/** Reads exactly this many bytes; never resolves when the stream ends before, so the caller must watch its end. */
export const readBytes = async (from: Readable, length: number): Promise<Uint8Array<ArrayBuffer>> => {
  const bytes = new Uint8Array(length);
  let at = 0;
  while (at < length) {
    const piece: Buffer | null = from.read(Math.min(length - at, from.readableLength));
    if (piece === null) {
      await once(from, 'readable');
      continue;
    }
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
};

/** The value of the next frame. */
export const readFrame = async (from: Readable): Promise<unknown> => {
  const head = await readBytes(from, headBytes);
  return deserialize(await readBytes(from, Buffer.from(head.buffer).readUInt32BE()));
};
