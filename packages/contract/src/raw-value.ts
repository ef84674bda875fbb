import type { Encoding, WordOrder } from './machine-map.ts';

/** The digits of binary-coded decimal, or undefined where a nibble is none. */
const fromBcd = (word: number, digits: number): number | undefined => {
  let value = 0;
  for (let digit = digits - 1; digit >= 0; digit--) {
    const nibble = Math.floor(word / 16 ** digit) % 16;
    if (nibble > 9) return undefined;
    value = value * 10 + nibble;
  }
  return value;
};

const swapBytes = (word: number): number => ((word & 0xff) << 8) | (word >> 8);

const scratch = new DataView(new ArrayBuffer(4));

/** Puts two registers into big-endian order: ABCD as they come, CDAB words swapped, BADC bytes swapped, DCBA both. */
const loadDouble = (first: number, second: number, order: WordOrder): void => {
  const bytesSwapped = order === 'BADC' || order === 'DCBA';
  const wordsSwapped = order === 'CDAB' || order === 'DCBA';
  const [a, b] = wordsSwapped ? [second, first] : [first, second];
  scratch.setUint16(0, bytesSwapped ? swapBytes(a) : a);
  scratch.setUint16(2, bytesSwapped ? swapBytes(b) : b);
};

const doubleAs =
  (read: () => number): Reader =>
  (first, second, order) => {
    loadDouble(first, second, order);
    return read();
  };
type Reader = (first: number, second: number, order: WordOrder) => number | undefined;

const readers: Record<Encoding, Reader> = {
  u16: (first) => first,
  i16: (first) => (first >= 0x8000 ? first - 0x1_0000 : first),
  bool: (first) => (first === 0 ? 0 : 1),
  bcd16: (first) => fromBcd(first, 4),
  u32: doubleAs(() => scratch.getUint32(0)),
  i32: doubleAs(() => scratch.getInt32(0)),
  f32: doubleAs(() => scratch.getFloat32(0)),
  bcd32: (first, second, order) => {
    loadDouble(first, second, order);
    return fromBcd(scratch.getUint32(0), 8);
  },
};

/**
 * The raw value of one or two registers (each 0 to 65535). `second` matters for 32-bit encodings only. Undefined when
 * the bits are no value of that encoding: a nibble above 9 in BCD, NaN or infinity in a float.
 */
export const rawValue = (as: Encoding, order: WordOrder, first: number, second: number): number | undefined => {
  const value = readers[as](first, second, order);
  return value !== undefined && Number.isFinite(value) ? value : undefined;
};
