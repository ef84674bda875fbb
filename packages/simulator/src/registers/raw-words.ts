import type { Encoding, WordOrder } from '@roastery/contract/machine-map';

/** The range of integers of an encoding; undefined for floats. */
const rawLimits: Record<Encoding, readonly [number, number] | undefined> = {
  u16: [0, 0xffff],
  i16: [-0x8000, 0x7fff],
  u32: [0, 0xffff_ffff],
  i32: [-0x8000_0000, 0x7fff_ffff],
  f32: undefined,
  bcd16: [0, 9999],
  bcd32: [0, 99_999_999],
  bool: [0, 1],
};

export const wordsOf = (as: Encoding): 1 | 2 =>
  as === 'u32' || as === 'i32' || as === 'f32' || as === 'bcd32' ? 2 : 1;

/** The nearest value of the encoding: an integer within its limits, or single precision. */
export const nearestRaw = (as: Encoding, raw: number): number => {
  const limits = rawLimits[as];
  if (limits === undefined) return Math.fround(raw);
  return Math.min(limits[1], Math.max(limits[0], Math.round(raw))) + 0;
};

/** Decimal digits, one per nibble: 1234 → 0x1234. */
const toBcd = (value: number): number => Number.parseInt(String(value), 16);
const fromBcd = (word: number): number | undefined => {
  const digits = word.toString(16);
  return /^\d+$/.test(digits) ? Number(digits) : undefined;
};

/** Which byte of ABCD comes at each place. Every order is its own inverse. */
const bytePlaces: Record<WordOrder, readonly [number, number, number, number]> = {
  ABCD: [0, 1, 2, 3],
  CDAB: [2, 3, 0, 1],
  BADC: [1, 0, 3, 2],
  DCBA: [3, 2, 1, 0],
};
const reorder = (bytes: Buffer, order: WordOrder): Buffer =>
  Buffer.from(bytePlaces[order].map((place) => bytes[place] ?? 0));

/** A raw value as one or two registers of 16 bits. NaN is possible in `f32` only; elsewhere it becomes 0. */
export const toWords = (as: Encoding, order: WordOrder, raw: number): number[] => {
  const value = as === 'f32' ? raw : nearestRaw(as, Number.isNaN(raw) ? 0 : raw);
  if (wordsOf(as) === 1) return [(as === 'bcd16' ? toBcd(value) : value) & 0xffff];
  const bytes = Buffer.alloc(4);
  if (as === 'f32') bytes.writeFloatBE(value);
  else if (as === 'i32') bytes.writeInt32BE(value);
  else bytes.writeUInt32BE(as === 'bcd32' ? toBcd(value) : value);
  const sent = reorder(bytes, order);
  return [sent.readUInt16BE(0), sent.readUInt16BE(2)];
};

/** One or two registers as a raw value; undefined for invalid ones (letters in BCD, NaN in a float). */
export const fromWords = (as: Encoding, order: WordOrder, words: readonly number[]): number | undefined => {
  const first = words[0] ?? 0;
  if (as === 'u16') return first;
  if (as === 'i16') return (first << 16) >> 16;
  if (as === 'bool') return first === 0 ? 0 : 1;
  if (as === 'bcd16') return fromBcd(first);
  const sent = Buffer.alloc(4);
  sent.writeUInt16BE(first, 0);
  sent.writeUInt16BE(words[1] ?? 0, 2);
  return fromFourBytes(as, reorder(sent, order));
};

const fromFourBytes = (as: 'u32' | 'i32' | 'f32' | 'bcd32', bytes: Buffer): number | undefined => {
  if (as === 'u32') return bytes.readUInt32BE();
  if (as === 'i32') return bytes.readInt32BE();
  if (as === 'bcd32') return fromBcd(bytes.readUInt32BE());
  const value = bytes.readFloatBE();
  return Number.isFinite(value) ? value : undefined;
};
